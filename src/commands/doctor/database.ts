import { existsSync } from 'node:fs'
import packageFile from '../../../package.json' with { type: 'json' }
import type { Clock } from '../../base/clock.ts'
import { createPlans } from '../../plans/service.ts'
import type { Plan } from '../../plans/types.ts'
import { databaseFiles, migrationStates, openSqlite } from '../../storage/index.ts'
import { unlistedPlans } from '../plans-in-use.ts'
import { type Finding, ok, problem, warning } from './finding.ts'

const MAIN_DAMAGED = 'stop the server, keep a copy of the data directory, and restore a backup'
/** Nothing else is in this file: the links' numbers are made anew from the stored clicks. */
const COUNTERS_DAMAGED =
  'stop the server, move counters.db, counters.db-wal and counters.db-shm elsewhere, start it ' +
  'again, which makes them anew, and then: slugline clicks recount'

/** Before this, the clock was never set: no version of Slugline is older. */
const EARLIEST_MS = Date.UTC(2026, 0, 1)
const TOLERANCE_MS = 60_000

/** Whether the files hold what they should; reads all of them. */
export function checkIntegrity(dataDir: string): Finding[] {
  const files = databaseFiles(dataDir)
  if (!existsSync(files.main)) {
    if (!existsSync(files.counters)) return []
    const advice = 'restore a backup of the whole data directory'
    return [problem('integrity', `${files.main} is gone, while counters.db is there`, advice)]
  }
  return Object.entries(files).flatMap(([name, file]) => {
    if (!existsSync(file)) {
      const advice = 'slugline serve makes it anew; then: slugline clicks recount'
      return [warning('integrity', `${file} is gone: links' clicks would count from 0`, advice)]
    }
    const found = quickCheck(file)
    return found === 'ok'
      ? [ok('integrity', `${name}: ok`)]
      : [
          problem(
            'integrity',
            `${name}: ${found}`,
            name === 'counters' ? COUNTERS_DAMAGED : MAIN_DAMAGED,
          ),
        ]
  })
}

function quickCheck(file: string): string {
  try {
    const { raw, close } = openSqlite(file, { readonly: true })
    try {
      const rows = raw.query('PRAGMA quick_check(5)').values() as string[][]
      return rows.map(([line]) => line?.replaceAll('\n', '; ')).join('; ')
    } finally {
      close()
    }
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

/** Whether the tables are those of this version. */
export async function checkMigrations(dataDir: string): Promise<Finding> {
  const states = await migrationStates(dataDir)
  const newer = states.filter((state) => state.newer).map(({ name }) => name)
  if (newer.length > 0) {
    const advice = 'start that version, or restore the backup from before the upgrade'
    return problem('migrations', `made by a newer version: ${newer.join(', ')}`, advice)
  }
  const waiting = states.filter((state) => state.applied_at === null)
  if (waiting.length === 0) return ok('migrations', 'all applied')
  const names = waiting.map(({ database, name }) => `${database}/${name}`).join(', ')
  return warning('migrations', `not applied yet: ${names}`, 'slugline migrate, or slugline serve')
}

/** Whether every workspace's plan is listed; nothing is said where there are no tables yet. */
export async function checkPlans(dataDir: string, plans: readonly Plan[]): Promise<Finding[]> {
  const { raw, db, close } = openSqlite(databaseFiles(dataDir).main, { readonly: true })
  try {
    if (raw.query("SELECT 1 FROM sqlite_schema WHERE name = 'workspaces'").get() === null) return []
    const unlisted = await unlistedPlans(createPlans(plans), { db })
    if (unlisted === null) return [ok('plans', "every workspace's plan is listed")]
    return [problem('plans', unlisted.problem, unlisted.advice)]
  } finally {
    close()
  }
}

/** Whether the time is plausible, and not before what was already written. */
export async function checkClock(dataDir: string, clock: Clock): Promise<Finding> {
  const now = clock.now()
  const advice = 'set the clock, and keep it by NTP'
  const time = new Date(now).toISOString()
  if (now < EARLIEST_MS) return problem('clock', `it says ${time}`, advice)
  const newest = await newestMs(databaseFiles(dataDir).main)
  if (newest <= now + TOLERANCE_MS) return ok('clock', `it says ${time}`)
  const ahead = new Date(newest).toISOString()
  return problem('clock', `it says ${time}, but links were made until ${ahead}`, advice)
}

async function newestMs(file: string): Promise<number> {
  if (!existsSync(file)) return 0
  try {
    const { db, close } = openSqlite(file, { readonly: true })
    try {
      const row = await db
        .selectFrom('workspaces')
        .select((eb) => eb.fn.max('last_link_at').as('newest'))
        .executeTakeFirst()
      return row?.newest ?? 0
    } finally {
      close()
    }
  } catch {
    // No tables yet, or a broken file, which the check of integrity tells.
    return 0
  }
}

/** Whether the parts are those that this version was tested with. */
export function checkVersions(): Finding {
  const { raw, close } = openSqlite(':memory:')
  const [row] = raw.query('SELECT sqlite_version()').values() as string[][]
  close()
  const found = `Slugline ${packageFile.version}, Bun ${Bun.version}, SQLite ${row?.[0]}`
  const wanted = packageFile.dependencies.bun
  if (Bun.version === wanted) return ok('versions', found)
  return warning('versions', found, `this version was tested with Bun ${wanted}: npm ci`)
}
