import { existsSync } from 'node:fs'
import { statisticsFile } from '../../statistics/process/index.ts'
import { stateOf } from '../../statistics/process/store-state.ts'
import { type Finding, ok, problem, warning } from './finding.ts'

/** Whether the clicks can be read; a running statistics process has them for itself. */
export async function checkStatistics(dataDir: string): Promise<Finding[]> {
  const file = statisticsFile(dataDir)
  if (!existsSync(file)) return []
  const { openDuckDb } = await import('../../statistics/engine/duckdb/index.ts')
  try {
    const database = await openDuckDb(file, { readonly: true })
    try {
      const connection = await database.connect()
      const [clicks] = await connection.run(
        'SELECT count(*), max(link), max(time), max(visitor) FROM clicks',
      )
      const [state] = await connection.run('SELECT since FROM state')
      const count = Number(clicks?.[0])
      const completeFrom = Number(state?.[0])
      if (completeFrom === 0) return [ok('statistics', `${count} clicks are kept`)]
      const since = new Date(completeFrom).toISOString()
      return [
        warning(
          'statistics',
          `${count} clicks are kept; those before ${since} are missing`,
          'they are in the numbers of the links; a backup may have the whole file',
        ),
      ]
    } finally {
      database.close()
    }
  } catch (error) {
    return [findingOf(stateOf(error), file)]
  }
}

function findingOf(state: ReturnType<typeof stateOf>, file: string): Finding {
  switch (state) {
    case 'locked':
      return ok('statistics', 'another process has them open')
    case 'full':
      return problem('statistics', 'there is no space left for them', 'make room')
    case 'corrupt':
      return problem(
        'statistics',
        `${file} is damaged, or no statistics file of this version; clicks wait in the journal`,
        'restore it from a backup; moved away, a new one begins with what the journal has',
      )
    default:
      return warning('statistics', `${file} can't be read`, "the server's log says more")
  }
}
