import { copyFileSync, existsSync, mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { openSharedVisitors } from '../../clicks/index.ts'
import { systemClock } from '../../lib/base/clock.ts'
import { systemRandom } from '../../lib/base/random.ts'
import { OperatorError } from '../../lib/errors/index.ts'
import { readNode } from '../../platform/cluster/node.ts'
import {
  assertSecret,
  deriveSecrets,
  existingSecret,
  fingerprintOf,
} from '../../platform/config/index.ts'
import {
  databaseFiles,
  migrateScaled,
  openPostgres,
  openSqlite,
} from '../../platform/storage/index.ts'
import { agreeOnSecret } from '../../server/backend/shared-secret.ts'
import { migrateInstance } from '../../server/operations/instance.ts'
import { lockDataDir, lockState } from '../../server/operations/lock.ts'
import { type ClickHouse, openClickHouse } from '../../statistics/engine/clickhouse/client.ts'
import { migrateClickHouse } from '../../statistics/engine/clickhouse/migrate.ts'
import { CLICK_TABLES, clicksInClickHouse, clicksInPostgres } from './click-store.ts'
import { moveClicks } from './clicks.ts'
import { isSame, type Progress } from './digest.ts'
import { type Marks, openMarks } from './marks.ts'
import { compareTables, copyTables } from './rows.ts'
import { openSource, type Source } from './source.ts'
import { openTarget, type Target } from './target.ts'

/** The target's record of moves; see `assertMoved`. */
const MOVES = `CREATE TABLE IF NOT EXISTS moves (
  one BOOLEAN PRIMARY KEY DEFAULT true CHECK (one),
  source TEXT COLLATE "C" NOT NULL,
  clicks TEXT COLLATE "C" NOT NULL,
  begun_at BIGINT NOT NULL,
  ended_at BIGINT
)`

/** The source and target of a move. URLs may hold passwords. */
interface MoveOptions {
  /** The embedded instance's data directory; its server may run. */
  dataDir: string
  /** The environment's secret; null: that of the data directory. */
  given: string | null
  geoipDatabase: string | null
  plansFile: string | null
  /** PostgreSQL: `postgres://…`. */
  to: string
  /** ClickHouse for the clicks; null: PostgreSQL stores them too. */
  clickHouse: string | null
  progress: Progress
}

/**
 * Copies an embedded instance into PostgreSQL, and optionally ClickHouse. It can be interrupted at
 * any point and called again. Nodes refuse the database until a move of the stopped instance is
 * complete.
 * @throws OperatorError; DataDirLocked; ConfigError; errors of the databases
 */
export async function moveInstance(options: MoveOptions) {
  const { dataDir, to, given, progress } = options
  const source = await nameOfSource(dataDir, given)
  const wasRunning = lockState(dataDir).held
  const lock = wasRunning ? null : lockDataDir(dataDir)
  const scratch = join(dataDir, 'moving')
  const migrated = await migrateScaled(to)
  const target = await openTarget(to)
  const url = options.clickHouse === null ? null : new URL(options.clickHouse)
  const clickHouse = url && openClickHouse(url.href)
  let beside: Target | undefined
  let opened: Source | undefined
  try {
    // Without the password.
    const clicks = url === null ? 'postgres' : `clickhouse ${url.host}${url.pathname}`
    const run = { source, clicks, isMigrated: migrated.length > 0 }
    const marks = await begin(target, clickHouse, run)
    mkdirSync(scratch, { recursive: true, mode: 0o700 })
    // Another connection: the target counts its rows while the instance is read.
    beside = await openTarget(to)
    const besideMarks = await openMarks(beside)
    const read = async () => {
      const source = await openSource(dataDir, { ...options, scratch, isRunning: wasRunning })
      opened = source
      const databases = [source.main, source.counters]
      return { source, compared: await compareTables(databases, { target, marks, progress }) }
    }
    const elsewhere = clickHouse === null ? [] : CLICK_TABLES.map(({ name }) => name)
    const [{ source: from, compared }] = await both(read(), besideMarks.assertOurs(elsewhere))
    await record(target, run, clickHouse !== null)
    await moveSecrets(options, target, { main: from.main, scratch })
    const store = clickHouse === null ? clicksInPostgres(beside) : clicksInClickHouse(clickHouse)
    const tables = (
      await both(
        copyTables(compared, { target, marks, progress }),
        moveClicks(from.clicks, store, { marks: besideMarks, progress }),
      )
    ).flat()
    /** Whether every table has the same rows on both sides. */
    const isComplete = tables.every((table) => isSame(table.source, table.target))
    if (isComplete && !wasRunning) {
      // Makes this and everything before durable.
      await target.all('SET synchronous_commit = on')
      await marks.transaction(async () => {
        await target.all('ALTER TABLE slugs ENABLE TRIGGER slugs_changed')
        await target.all('UPDATE moves SET ended_at = $1', [Date.now()])
        // The source goes on if the move is given up: readers must not take one feed for the
        // other. The next run copies the table again.
        await target.all("UPDATE instance SET value = $1 WHERE name = 'feed'", [
          crypto.randomUUID(),
        ])
        await marks.forget('instance')
      })
    }
    return { wasRunning, asOf: from.asOf, tables, isComplete }
  } finally {
    opened?.close()
    await Promise.all([target.close(), beside?.close(), clickHouse?.close()])
    rmSync(scratch, { recursive: true, force: true })
    lock?.release()
  }
}

/** Both results, or the first error: not before both have ended, since they use the same databases. */
async function both<A, B>(a: Promise<A>, b: Promise<B>): Promise<[A, B]> {
  await Promise.allSettled([a, b])
  return [await a, await b]
}

const FIRST_WORKSPACE = `SELECT id FROM
  (SELECT no, id FROM workspaces UNION ALL SELECT no, id FROM deleted_workspaces)
  ORDER BY no LIMIT 1`

/** Identifies an instance by its first workspace: several may share a secret. */
async function nameOfSource(dataDir: string, given: string | null): Promise<string> {
  if (readNode(dataDir) !== null) {
    const message = 'This is the data directory of a node: set SLUGLINE_DATA_DIR to the instance'
    throw new OperatorError('NODE_DIRECTORY', message)
  }
  assertSecret(dataDir, given)
  const secret = given ?? existingSecret(dataDir)
  if (secret === null || !existsSync(databaseFiles(dataDir).main)) {
    const message = 'There is no instance in the data directory. Is SLUGLINE_DATA_DIR right?'
    throw new OperatorError('NO_INSTANCE', message)
  }
  await migrateInstance(dataDir)
  const { raw, close } = openSqlite(databaseFiles(dataDir).main, { readonly: true })
  const [first] = raw.query(FIRST_WORKSPACE).values()
  close()
  return `${fingerprintOf(secret)} ${first?.[0] ?? ''}`
}

function inUse(): OperatorError {
  const message = 'Nodes have been started on this database. Use an empty database'
  return new OperatorError('TARGET_IN_USE', message)
}

/** What a target records of its move. */
interface Run {
  source: string
  clicks: string
}

/**
 * Checks that the target is empty or has an earlier move of the same instance. Nodes refuse the
 * database from now on until a move is complete, unless one is. @throws OperatorError
 */
async function begin(
  target: Target,
  clickHouse: ClickHouse | null,
  { source, clicks, isMigrated }: Run & { isMigrated: boolean },
): Promise<Marks> {
  const [lock] = await target.all<{ taken: boolean }>(
    "SELECT pg_try_advisory_lock(hashtext('slugline move')) AS taken",
  )
  if (!lock?.taken)
    throw new OperatorError('MOVE_RUNNING', 'Another move into this database is running')
  await target.all(MOVES)
  const marks = await openMarks(target)
  const [earlier] = await target.all<{ source: string; clicks: string }>('SELECT * FROM moves')
  const [used] = await target.all<{ nodes: boolean; data: boolean }>(
    `SELECT EXISTS (SELECT FROM nodes) AS nodes, EXISTS (SELECT FROM workspaces)
       OR EXISTS (SELECT FROM users) OR EXISTS (SELECT FROM clicks) AS data`,
  )
  const isSameSource = earlier === undefined || source.startsWith(earlier.source)
  const refuse = (isTrue: boolean | undefined, code: string, message: string) => {
    if (isTrue) throw new OperatorError(code, `${message}. Use an empty database`)
  }
  if (used?.nodes) throw inUse()
  refuse(earlier === undefined && used?.data, 'TARGET_NOT_EMPTY', 'The database holds other data')
  refuse(!isSameSource, 'TARGET_OF_ANOTHER', 'Another instance was moved into this database')
  if (clickHouse !== null) {
    await migrateClickHouse(clickHouse)
    const [row] = await clickHouse.rows('SELECT 1 FROM clicks LIMIT 1')
    const isOther = earlier?.clicks !== clicks && row !== undefined
    refuse(isOther, 'CLICKS_NOT_EMPTY', 'ClickHouse holds other clicks')
    // They get that of the instance which is moved.
    await clickHouse.command('TRUNCATE TABLE instance')
  }
  // Migrations write to all rows, and change what is compared.
  if (isMigrated) await marks.forgetAll()
  if (earlier?.clicks !== clicks) for (const { name } of CLICK_TABLES) await marks.forget(name)
  await target.all(
    'INSERT INTO moves (source, clicks, begun_at) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING',
    [source, clicks, Date.now()],
  )
  return marks
}

/** Records that a move writes to a target that only moves have written to. @throws OperatorError */
async function record(
  target: Target,
  { source, clicks }: Run,
  isClickHouse: boolean,
): Promise<void> {
  const recorded = await target.all(
    `UPDATE moves SET source = $1, clicks = $2, begun_at = $3, ended_at = NULL
     WHERE NOT EXISTS (SELECT FROM nodes) RETURNING one`,
    [source, clicks, Date.now()],
  )
  if (recorded.length === 0) throw inUse()
  // No node has read a slug yet.
  await target.all('ALTER TABLE slugs DISABLE TRIGGER slugs_changed')
  // An earlier move may have copied them to PostgreSQL.
  if (isClickHouse) await target.all('TRUNCATE clicks, daily')
}

/** Moves what isn't in a table of the source: the secret, the salts, the last workspace number. */
async function moveSecrets(
  { to, dataDir, given }: MoveOptions,
  target: Target,
  { main, scratch }: Pick<Source, 'main'> & { scratch: string },
): Promise<void> {
  const last = main.raw
    .query<{ seq: number }, []>("SELECT seq FROM sqlite_sequence WHERE name = 'workspaces'")
    .get()
  const highest = "UPDATE numbers SET value = greatest(value, $1) WHERE name = 'workspaces'"
  await target.all(highest, [last?.seq ?? 0])
  const file = join(scratch, 'salts')
  if (existsSync(join(dataDir, 'salts'))) copyFileSync(join(dataDir, 'salts'), file)
  await target.all('DELETE FROM visitor_salts')
  const storage = await openPostgres({ url: to, poolSize: 2 })
  try {
    const secret = await agreeOnSecret({ storage, dataDir, given, isNode: false })
    const key = deriveSecrets(secret).visitors
    const machine = { clock: systemClock, random: systemRandom }
    const visitors = await openSharedVisitors({ storage, key, file, ...machine })
    // The first attempt to store the salts may have failed.
    await visitors.refresh().finally(visitors.close)
  } finally {
    await storage.close()
  }
}
