import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { type ClickHouse, hasClickHouse, startClickHouse } from './clickhouse.ts'
import { sharedPostgres } from './postgres.ts'
import { startRedis } from './redis.ts'

const STORES = ['embedded', 'postgres', 'clickhouse'] as const

/** Where the processes of {@link startSlugline} store their data. */
export type Store = (typeof STORES)[number]

/**
 * The store of this run, by `TEST_STORE`: `embedded` (the default); `postgres`, one node with
 * PostgreSQL and Redis; `clickhouse`, the same with the clicks in ClickHouse.
 */
export const testStore: Store = storeOf(Bun.env.TEST_STORE ?? 'embedded')

function storeOf(name: string): Store {
  const store = STORES.find((each) => each === name)
  if (store === undefined) throw new Error(`TEST_STORE is none of ${STORES.join(', ')}: ${name}`)
  return store
}

/** The data of one process outside of its data directory. */
export interface OwnStore {
  /** The settings for it. */
  env: Record<string, string>
  /** Everything stored there, byte by byte, including logs of other processes. */
  files(): Promise<{ file: string; bytes: Buffer }[]>
  dispose(): Promise<void>
}

const NOTHING: OwnStore = { env: {}, files: async () => [], dispose: async () => {} }

let clickHouse: Promise<ClickHouse> | undefined
let databases = 0

/** A ClickHouse for all tests of a process. */
export function sharedClickHouse(): Promise<ClickHouse> {
  clickHouse ??= startClickHouse()
  return clickHouse
}

/** Creates the stores of a new process: an empty database on the servers shared by all tests. */
export async function makeStore(): Promise<OwnStore> {
  if (testStore === 'embedded') return NOTHING
  const withClickHouse = testStore === 'clickhouse'
  if (withClickHouse && !hasClickHouse) throw new Error('ClickHouse is not installed')
  const [postgres, redis, clicks] = await Promise.all([
    sharedPostgres(),
    startRedis(),
    withClickHouse ? sharedClickHouse() : undefined,
  ])
  const database = await postgres.createDatabase()
  const name = new URL(database).pathname.slice(1)
  return {
    env: {
      DATABASE_URL: database,
      REDIS_URL: redis.url,
      ...(clicks && { CLICKHOUSE_URL: clicks.url(`clicks_${++databases}`) }),
    },
    async files() {
      // Writes what is only in memory.
      await postgres.admin('CHECKPOINT')
      const query = `SELECT oid FROM pg_database WHERE datname = '${name}'`
      const [row] = await postgres.admin(query)
      // Reading the databases of hundreds of other tests would take long.
      const isOther = (file: string) =>
        /\/base\/\d+\//.test(file) && !file.includes(`/base/${row?.oid}/`)
      return [...filesIn(postgres.data, isOther), ...(clicks ? filesIn(clicks.directory) : [])]
    },
    async dispose() {
      await redis.dispose()
      await postgres.admin(`DROP DATABASE ${name} WITH (FORCE)`)
    },
  }
}

/** Every file below a directory except some; files deleted in the meantime are skipped. */
export function filesIn(
  directory: string,
  isLeftOut = (_file: string) => false,
): { file: string; bytes: Buffer }[] {
  const files: { file: string; bytes: Buffer }[] = []
  for (const name of readdirSync(directory, { recursive: true })) {
    const file = join(directory, String(name))
    if (isLeftOut(file)) continue
    try {
      if (statSync(file).isFile()) files.push({ file, bytes: readFileSync(file) })
    } catch (error) {
      if (existsSync(file)) throw error
    }
  }
  return files
}
