import type { Clock } from '../../base/clock.ts'
import type { ScaledConfig } from '../../config/index.ts'
import { createPlans } from '../../plans/service.ts'
import type { Plan } from '../../plans/types.ts'
import { openPostgres, type Storage, scaledMigrationStates } from '../../storage/index.ts'
import { unlistedPlans } from '../plans-in-use.ts'
import { accountsOf } from './accounts.ts'
import { type Finding, ok, problem, warning } from './finding.ts'
import { checkSharedClicks, checkSharedSecret } from './shared.ts'

const TOLERANCE_MS = 60_000
const DOCTOR_MS = 5_000

/** Whether PostgreSQL answers, takes writes, and has the tables of this version. */
export async function checkPostgres(
  scaled: ScaledConfig,
  { plans, secret, dataDir }: { plans: readonly Plan[]; secret: string | null; dataDir: string },
  clock: Clock,
): Promise<Finding[]> {
  const { database, replica } = scaled
  const url = database.reveal()
  const states = await scaledMigrationStates(url).catch((error: unknown) => messageOf(error))
  if (typeof states === 'string') {
    return [problem('database', states, 'look whether it runs, and whether DATABASE_URL fits')]
  }
  const findings = [ok('database', 'PostgreSQL answers'), migrationsOf(states)]
  const storage = await openPostgres({ url, poolSize: 2, statementTimeoutMs: DOCTOR_MS })
  try {
    const written = await storage.probe().catch((error: unknown) => messageOf(error))
    if (typeof written === 'string') {
      findings.push(problem('database_writes', written, 'is it a read-only copy, or full?'))
    }
    if (states.every((state) => state.applied_at !== null)) {
      const unlisted = await unlistedPlans(createPlans(plans), storage.read)
      findings.push(
        unlisted === null
          ? ok('plans', "every workspace's plan is listed")
          : problem('plans', unlisted.problem, unlisted.advice),
        await clockOf(storage, clock),
        await peopleOf(storage),
        await checkSharedSecret(storage, { dataDir, given: secret }),
        await checkSharedClicks(scaled, storage),
      )
    }
  } finally {
    await storage.close()
  }
  if (replica !== null) findings.push(await replicaOf(replica.reveal()))
  return findings
}

function migrationsOf(states: { name: string; applied_at: string | null }[]): Finding {
  const waiting = states.filter((state) => state.applied_at === null).map(({ name }) => name)
  if (waiting.length === 0) return ok('migrations', 'all applied')
  const advice = 'slugline migrate, or slugline serve'
  return warning('migrations', `not applied yet: ${waiting.join(', ')}`, advice)
}

async function clockOf(storage: Storage, clock: Clock): Promise<Finding> {
  const row = await storage.read.db
    .selectFrom('workspaces')
    .select((eb) => eb.fn.max('last_link_at').as('newest'))
    .executeTakeFirst()
  const now = clock.now()
  const found = `it says ${new Date(now).toISOString()}`
  const newest = row?.newest ?? 0
  if (newest <= now + TOLERANCE_MS) return ok('clock', found)
  const ahead = new Date(newest).toISOString()
  return problem(
    'clock',
    `${found}, but links were made until ${ahead}`,
    'set the clocks of all nodes, and keep them by NTP',
  )
}

async function peopleOf({ read }: Pick<Storage, 'read'>): Promise<Finding> {
  const row = await read.db
    .selectFrom('users')
    .select((eb) => eb.fn.countAll<number>().as('n'))
    .executeTakeFirst()
  return accountsOf(Number(row?.n ?? 0))
}

async function replicaOf(url: string): Promise<Finding> {
  const storage = await openPostgres({ url, poolSize: 2, statementTimeoutMs: DOCTOR_MS })
  try {
    await storage.read.db.selectFrom('domains').select('no').limit(1).execute()
    return ok('replica', 'the copy answers')
  } catch (error) {
    return warning(
      'replica',
      messageOf(error),
      'until it answers, the database itself is asked: look at DATABASE_REPLICA_URL',
    )
  } finally {
    await storage.close()
  }
}

/** Our own errors hold neither addresses nor passwords; others aren't repeated. */
function messageOf(error: unknown): string {
  const known = /^(StorageUnavailable|UnfitDatabase|RefusedStatement)$/
  return error instanceof Error && known.test(error.name) ? error.message : 'it can not be asked'
}
