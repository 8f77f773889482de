import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { type ClickHouse, hasClickHouse, startClickHouse } from './clickhouse.ts'
import { sharedPostgres } from './postgres.ts'
import { startRedis } from './redis.ts'

const STORES = ['embedded', 'postgres', 'clickhouse'] as const

/** Where the processes of {@link startSlugline} keep what they keep. */
export type Store = (typeof STORES)[number]

/**
 * Which one it is in this run, by `TEST_STORE`: `embedded` (the default); `postgres`, one node with
 * PostgreSQL and Redis; `clickhouse`, the same with the clicks in ClickHouse.
 */
export const testStore: Store = storeOf(Bun.env.TEST_STORE ?? 'embedded')

function storeOf(name: string): Store {
  const store = STORES.find((each) => each === name)
  if (store === undefined) throw new Error(`TEST_STORE is none of ${STORES.join(', ')}: ${name}`)
  return store
}

/** What one process keeps, outside of its data directory. */
export interface OwnStore {
  /** The settings that lead to it. */
  env: Record<string, string>
  /** Everything that is kept there, as it is kept. Byte by byte, the log of other processes too. */
  files(): Promise<{ file: string; bytes: Buffer }[]>
  dispose(): Promise<void>
}

const NOTHING: OwnStore = { env: {}, files: async () => [], dispose: async () => {} }

let clickHouse: Promise<ClickHouse> | undefined
let databases = 0

/** Makes what a new process needs: an empty database of the servers that all tests share. */
export async function makeStore(): Promise<OwnStore> {
  if (testStore === 'embedded') return NOTHING
  const withClickHouse = testStore === 'clickhouse'
  if (withClickHouse && !hasClickHouse) throw new Error('ClickHouse is not installed')
  if (withClickHouse) clickHouse ??= startClickHouse()
  const [postgres, redis, clicks] = await Promise.all([sharedPostgres(), startRedis(), clickHouse])
  const database = await postgres.createDatabase()
  const name = new URL(database).pathname.slice(1)
  return {
    env: {
      DATABASE_URL: database,
      REDIS_URL: redis.url,
      ...(clicks && { CLICKHOUSE_URL: clicks.url(`clicks_${++databases}`) }),
    },
    async files() {
      // What is only in its memory would not be found.
      await postgres.admin('CHECKPOINT')
      const query = `SELECT oid FROM pg_database WHERE datname = '${name}'`
      const [row] = await postgres.admin(query)
      // The databases of other tests, of which there are hundreds, would take long to read.
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

/** Every file below a directory but some; those that go meanwhile are left out. */
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
