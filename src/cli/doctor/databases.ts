import { existsSync } from 'node:fs'
import { createPlans } from '../../features/plans/service.ts'
import type { Clock } from '../../lib/base/clock.ts'
import { OperatorError } from '../../lib/errors/index.ts'
import type { Plan } from '../../model/plans/types.ts'
import type { Config } from '../../platform/config/index.ts'
import {
  areUnfilled,
  databaseFiles,
  faultOfCounters,
  keptCounters,
  openSqlite,
  PUT_BACK,
  type Sql,
} from '../../platform/storage/index.ts'
import { databaseStates } from '../../server/backend/databases.ts'
import { assertOneInstance } from '../../server/operations/instance.ts'
import type { StoredFacts } from '../../statistics/engine/types.ts'
import { damagedLog, statisticsFile, statisticsLog } from '../../statistics/process/files.ts'
import { isLogTorn } from '../../statistics/process/store-state.ts'
import { unlistedPlans } from '../server/serve.ts'
import { type CountedFacts, compareFiles, readCountedFacts } from './consistency.ts'
import { type Finding, guarded, ok, problem, warning } from './finding.ts'

/** An earlier time means that the clock was never set: no version of Slugline is older. */
const EARLIEST_MS = Date.UTC(2026, 0, 1)
const TOLERANCE_MS = 60_000
const RESTORE = 'stop the server, keep a copy of the data directory, and restore a backup'
const ANEW =
  'start slugline serve: it recreates the file from the stored clicks, and keeps the damaged one'
const DELETE = 'delete it with its -wal, unless you want to find the cause; nothing uses it'
const MOVE_AWAY =
  'stop the server, and restore a backup or move the file away with its .wal: the links keep ' +
  'their numbers, but reports begin anew with the clicks of the journal'
const CUT =
  'start slugline serve: it cuts the end off and stores its clicks again (a power cut can cause this)'
const KEPT =
  'stop the server and run slugline clicks recount; if no clicks are missing, delete the file'

/** What a database is compared with. */
export interface Expected {
  plans: readonly Plan[]
  clock: Clock
}

/** Checks the databases of a single machine, reading every file. */
export async function checkEmbedded(config: Config, expected: Expected): Promise<Finding[]> {
  const { dataDir } = config
  const { main, counters } = databaseFiles(dataDir)
  const check = 'integrity'
  const mixed = await assertOneInstance(dataDir).then(() => null, asProblem)
  // What is there instead of the links would be changed by opening it.
  if (mixed?.check === check) return [mixed]
  if (!existsSync(main)) return [clockOf(0, expected.clock)]
  const found = await guarded(check, RESTORE, () => quickCheck(main))
  if (mixed !== null) found.push(mixed)
  if (found[0]?.status === 'ok') {
    const tables = async () => {
      const { db, close } = openSqlite(main, { readonly: true })
      return await checkTables(config, { db }, expected).finally(close)
    }
    found.push(...(await guarded('migrations', RESTORE, tables)))
  }
  found.push(...(await guarded(check, ANEW, () => examineCounters(counters))))
  found.push(
    ...keptCounters(counters).map((kept) =>
      warning(check, `${kept} is a damaged file of counters that has been recreated`, DELETE),
    ),
  )
  let counted: CountedFacts | null = null
  await guarded(check, ANEW, () => {
    counted = faultOfCounters(counters, null) === null ? readCountedFacts(dataDir) : null
    return []
  })
  let stored: StoredFacts | null = null
  const examine = () =>
    examineStatistics(dataDir, (facts) => {
      stored = facts
    })
  found.push(...(await guarded('statistics', MOVE_AWAY, examine)))
  const compare = () => compareFiles(dataDir, counted, stored)
  return [...found, ...(await guarded('consistency', RESTORE, compare))]
}

/** The problem of data that is not of one instance, or of another version. @throws any other error */
export function asProblem(error: unknown): Finding {
  if (!(error instanceof OperatorError)) throw error
  if (error.code === 'DATA_NEWER' || error.code === 'DATA_OLD') {
    const end = error.message.lastIndexOf('. ')
    return problem('migrations', error.message.slice(0, end), error.message.slice(end + 2))
  }
  const message = error.message.replace(`. ${PUT_BACK}`, '')
  return problem(error.code === 'DATA_DAMAGED' ? 'integrity' : 'instance', message, PUT_BACK)
}

/** Whether the tables are of this version and their rows are plausible; for either database. */
export async function checkTables(
  config: Config,
  { db }: Pick<Sql, 'db'>,
  { plans, clock }: Expected,
): Promise<Finding[]> {
  const states = await databaseStates(config)
  const newer = states.filter((state) => state.newer).map(({ name }) => name)
  if (newer.length > 0) {
    const message = `made by a newer version: ${newer.join(', ')}`
    return [
      problem('migrations', message, 'start that version, or restore a backup from before it'),
    ]
  }
  const waiting = states.filter((state) => state.applied_at === null).map(({ name }) => name)
  if (waiting.length > 0) {
    const message = `not applied yet: ${waiting.join(', ')}`
    return [warning('migrations', message, 'run slugline migrate, or start slugline serve')]
  }
  const unlisted = await unlistedPlans(createPlans(plans), { db })
  const links = db.selectFrom('workspaces').select((eb) => eb.fn.max('last_link_at').as('at'))
  const newest = await links.executeTakeFirst()
  const users = db.selectFrom('users').select((eb) => eb.fn.countAll().as('n'))
  const people = await users.executeTakeFirst()
  return [
    ok('migrations', 'all applied'),
    unlisted === null
      ? ok('plans', "every workspace's plan is listed")
      : problem('plans', unlisted.problem, unlisted.advice),
    clockOf(newest?.at ?? 0, clock),
    ok(
      'accounts',
      people?.n === 0 ? 'none; create one with `slugline users claim-link`' : `${people?.n}`,
    ),
  ]
}

/** Whether the time is plausible, and not before the newest row. */
function clockOf(newest: number, clock: Clock): Finding {
  const now = clock.now()
  const found = new Date(now).toISOString()
  if (now >= EARLIEST_MS && newest <= now + TOLERANCE_MS) return ok('clock', found)
  const written = newest > 0 ? `; the newest link is from ${new Date(newest).toISOString()}` : ''
  return problem('clock', found + written, 'set the clock, on every node, and keep it by NTP')
}

/** Whether the counters are there, whole and filled. @throws SQLite's description of a damaged file */
function examineCounters(file: string): Finding {
  const fault = faultOfCounters(file, null)
  if (fault === 'missing') return warning('integrity', `${file} is missing`, ANEW)
  if (fault === 'empty') return warning('integrity', `${file} is empty`, ANEW)
  if (fault === 'damaged') return problem('integrity', `${file} is damaged`, ANEW)
  const found = quickCheck(file)
  const counters = openSqlite(file, { readonly: true })
  try {
    if (!areUnfilled(counters)) return found
    return warning('integrity', `${file} is new, and not filled from the stored clicks yet`, ANEW)
  } finally {
    counters.close()
  }
}

/** @throws SQLite's description of a damaged file */
function quickCheck(file: string): Finding {
  const { raw, close } = openSqlite(file, { readonly: true })
  try {
    const lines = raw.query('PRAGMA quick_check(5)').values().flat().join('; ')
    if (lines === 'ok') return ok('integrity', `${file} is whole`)
    throw new Error(lines.replaceAll('\n', '; '))
  } catch (error) {
    throw new Error(`${file}: ${(error as Error).message}`)
  } finally {
    close()
  }
}

/** Takes what statistics that are whole say of themselves. */
type ReadFacts = (facts: StoredFacts) => void

/** Whether every block of the statistics is readable. @throws the reason if not */
async function examineStatistics(dataDir: string, read: ReadFacts): Promise<Finding[]> {
  const file = statisticsFile(dataDir)
  if (!existsSync(file)) return []
  const kept = damagedLog(file)
  const cut = existsSync(kept)
    ? [warning('statistics', `${kept} is a log as it was before its damaged end was cut off`, KEPT)]
    : []
  return [...cut, await examineFile(dataDir, file, read)]
}

async function examineFile(dataDir: string, file: string, read: ReadFacts): Promise<Finding> {
  const { checkStatistics } = await import('../../statistics/process/check.ts')
  let facts: StoredFacts | null
  try {
    facts = await checkStatistics(dataDir)
  } catch (error) {
    if (isLogTorn(error))
      return warning('statistics', `${statisticsLog(file)} has a damaged end`, CUT)
    return asProblem(error)
  }
  if (facts === null) {
    const unread = `${file} was not read: the process that has it open does not answer`
    return warning('statistics', unread, 'try again, or stop the server first')
  }
  read(facts)
  const { since } = facts
  if (since === 0) return ok('statistics', `${file} is whole`)
  const lost = `clicks before ${new Date(since).toISOString()} are only in links' numbers`
  return warning('statistics', lost, 'a backup may have them')
}
