import { startPostgres, type TestPostgres } from '../../test/harness/postgres.ts'
import { startRedis, type TestRedis } from '../../test/harness/redis.ts'

/** PostgreSQL (commits survive a power cut) and Redis on this machine, and a node's settings. */
export interface ScaledMachine {
  postgres: TestPostgres
  redis: TestRedis
  databaseUrl: string
  env: Record<string, string>
  dispose(): Promise<void>
}

/** Starts them. Nothing listens at ClickHouse's port: the clicks stay in the journal. */
export async function startScaled(): Promise<ScaledMachine> {
  const postgres = await startPostgres({
    durable: true,
    settings: {
      shared_buffers: '1GB',
      work_mem: '32MB',
      max_wal_size: '4GB',
      random_page_cost: '1.1',
      effective_cache_size: '4GB',
    },
  })
  const redis = await startRedis()
  const databaseUrl = await postgres.createDatabase()
  return {
    postgres,
    redis,
    databaseUrl,
    env: {
      DATABASE_URL: databaseUrl,
      REDIS_URL: redis.url,
      CLICKHOUSE_URL: 'http://127.0.0.1:9/slugline',
      BASE_URL: 'http://sho.rt',
      SLUGLINE_SECRET: 'a secret of the benchmark, long enough',
    },
    async dispose() {
      await redis.dispose()
      await postgres.dispose()
    },
  }
}
