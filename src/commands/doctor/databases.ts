import { existsSync } from 'node:fs'
import { databaseStates } from '../../backend/databases.ts'
import type { Clock } from '../../base/clock.ts'
import type { Config } from '../../config/index.ts'
import { createPlans } from '../../plans/service.ts'
import type { Plan } from '../../plans/types.ts'
import { statisticsFile } from '../../statistics/process/index.ts'
import { socketPath } from '../../statistics/process/socket.ts'
import { stateOf } from '../../statistics/process/store-state.ts'
import { databaseFiles, openSqlite, type Sql } from '../../storage/index.ts'
import { unlistedPlans } from '../serve.ts'
import { type Finding, guarded, ok, problem, warning } from './finding.ts'

/** An earlier time means that the clock was never set: no version of Slugline is older. */
const EARLIEST_MS = Date.UTC(2026, 0, 1)
const TOLERANCE_MS = 60_000
/** How often, and for how long each time, the process that has the statistics open is asked. */
const TRIES = 6
const READ_WITHIN_MS = 120_000
const RETRY_MS = 500
const RESTORE = 'stop the server, keep a copy of the data directory, and restore a backup'

/** What the doctor compares a database with. */
export interface Expected {
  plans: readonly Plan[]
  clock: Clock
}

/** The databases of one machine: every file is read whole. */
export async function checkEmbedded(config: Config, expected: Expected): Promise<Finding[]> {
  const { main, counters } = databaseFiles(config.dataDir)
  const check = 'integrity'
  if (!existsSync(main)) {
    if (!existsSync(counters)) return [clockOf(0, expected.clock)]
    return [problem(check, `${main} is gone, but ${counters} is not`, RESTORE)]
  }
  const recount = 'start slugline serve, which makes it anew; then run slugline clicks recount'
  const found = await guarded(check, RESTORE, () => quickCheck(main))
  const counted = existsSync(counters)
    ? guarded(check, `stop the server and move it away; ${recount}`, () => quickCheck(counters))
    : [warning(check, `${counters} is gone: clicks would count from 0`, recount)]
  if (found[0]?.status === 'ok') {
    const { db, close } = openSqlite(main, { readonly: true })
    found.push(
      ...(await guarded('migrations', RESTORE, () => checkTables(config, { db }, expected))),
    )
    close()
  }
  const moveAway =
    'stop the server, and restore a backup or move the file away with its .wal: the links keep ' +
    'their numbers, but reports begin anew with the clicks of the journal'
  const { dataDir } = config
  const kept = await guarded('statistics', moveAway, () => checkStatistics(dataDir))
  return [...found, ...(await counted), ...kept]
}

/** Whether the tables are those of this version, and what their rows say; for either database. */
export async function checkTables(
  config: Config,
  { db }: Pick<Sql, 'db'>,
  { plans, clock }: Expected,
): Promise<Finding[]> {
  const states = await databaseStates(config)
  const newer = states.filter((state) => state.newer).map(({ name }) => name)
  if (newer.length > 0) {
    const message = `made by a newer version: ${newer.join(', ')}`
    return [problem('migrations', message, 'start that version, or restore the backup before it')]
  }
  const waiting = states.filter((state) => state.applied_at === null).map(({ name }) => name)
  if (waiting.length > 0) {
    const message = `not applied yet: ${waiting.join(', ')}`
    return [warning('migrations', message, 'slugline migrate, or slugline serve')]
  }
  const unlisted = await unlistedPlans(createPlans(plans), { db })
  const newest = await db
    .selectFrom('workspaces')
    .select((eb) => eb.fn.max('last_link_at').as('at'))
    .executeTakeFirst()
  const people = await db
    .selectFrom('users')
    .select((eb) => eb.fn.countAll().as('n'))
    .executeTakeFirst()
  return [
    ok('migrations', 'all applied'),
    unlisted === null
      ? ok('plans', "every workspace's plan is listed")
      : problem('plans', unlisted.problem, unlisted.advice),
    clockOf(newest?.at ?? 0, clock),
    ok('accounts', `${people?.n}; without one, \`users claim-link\` prints where to make it`),
  ]
}

/** Whether the time is plausible, and not before what was already written. */
function clockOf(newest: number, clock: Clock): Finding {
  const now = clock.now()
  const found = `it says ${new Date(now).toISOString()}`
  if (now >= EARLIEST_MS && newest <= now + TOLERANCE_MS) return ok('clock', found)
  const written = newest > 0 ? `; links were made until ${new Date(newest).toISOString()}` : ''
  return problem('clock', found + written, 'set the clock, on every node, and keep it by NTP')
}

/** @throws what SQLite says is wrong with a file */
function quickCheck(file: string): Finding {
  const { raw, close } = openSqlite(file, { readonly: true })
  try {
    const lines = raw.query('PRAGMA quick_check(5)').values().flat().join('; ')
    if (lines === 'ok') return ok('integrity', `${file} is whole`)
    throw new Error(`${file}: ${lines.replaceAll('\n', '; ')}`)
  } finally {
    close()
  }
}

/** Whether every block of the statistics can be read. @throws what is wrong with the file */
async function checkStatistics(dataDir: string): Promise<Finding[]> {
  const file = statisticsFile(dataDir)
  if (!existsSync(file)) return []
  const since = await readStatistics(dataDir, file)
  if (since === null) {
    const unread = `${file} was not read: the process that has it open does not answer`
    return [warning('statistics', unread, 'try again, or stop the server first')]
  }
  if (since === 0) return [ok('statistics', `${file} is whole`)]
  const lost = `clicks before ${new Date(since).toISOString()} are only in links' numbers`
  return [warning('statistics', lost, 'a backup may have them')]
}

/** While a process has the file open, only that process can read it. Null: it doesn't answer. */
async function readStatistics(dataDir: string, file: string): Promise<number | null> {
  const { openDuckDb } = await import('../../statistics/engine/duckdb/index.ts')
  const { checkFile } = await import('../../statistics/engine/duckdb/check.ts')
  for (let tries = 0; tries < TRIES; tries++) {
    try {
      const database = await openDuckDb(file, { readonly: true })
      return await checkFile(database).finally(database.close)
    } catch (error) {
      if (stateOf(error) !== 'locked') throw error
    }
    const options = { unix: socketPath(dataDir), method: 'POST', body: '[]' }
    const signal = AbortSignal.timeout(READ_WITHIN_MS)
    try {
      const answer = await fetch('http://statistics/check', { ...options, signal } as RequestInit)
      if (answer.ok) return (await answer.json()) as number
      if (answer.status === 500) throw new DamagedFile(`${file} can't be read whole`)
    } catch (error) {
      if (error instanceof DamagedFile) throw error
    }
    // It is starting or about to end.
    await Bun.sleep(RETRY_MS)
  }
  return null
}

class DamagedFile extends Error {}
