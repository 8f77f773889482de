import type { Secret } from '../../lib/base/secret.ts'
import { probeRedis } from '../../platform/cluster/index.ts'
import type { Environment, ScaledConfig } from '../../platform/config/index.ts'
import { openPostgres, type Storage } from '../../platform/storage/index.ts'
import { assertShared } from '../../server/backend/shared-instance.ts'
import { agreeOnSecret, knownSecret } from '../../server/backend/shared-secret.ts'
import { asProblem, checkTables, type Expected } from './databases.ts'
import { type Finding, guarded, ok, problem, warning } from './finding.ts'

const TIMEOUT_MS = 5_000
const OLDEST_REDIS = 7

/** Checks the servers shared by nodes. */
export async function checkShared(
  environment: Environment,
  scaled: ScaledConfig,
  expected: Expected,
): Promise<Finding[]> {
  const { database, replica, redis, clickhouse } = scaled
  const ask = (check: string, work: Parameters<typeof guarded>[2]) =>
    guarded(check, 'check that it runs, and the setting of its address', work)
  const found = await ask('database', () =>
    withPostgres(database, async (storage) => {
      await storage.probe()
      const { dataDir } = environment.config
      const mixed = await assertShared({ dataDir, scaled }, storage).then(() => null, asProblem)
      return [
        ok('database', 'PostgreSQL takes writes'),
        ...(mixed === null ? [] : [mixed]),
        ...(await ask('migrations', () => checkTables(environment.config, storage.read, expected))),
        ...(await ask('secret', () => checkSecret(storage, environment))),
      ]
    }),
  )
  const replicas = replica === null ? [] : await ask('replica', () => withPostgres(replica))
  const clicks = clickhouse && (await ask('statistics', () => checkClickHouse(clickhouse)))
  const limits = await ask('redis', () => checkRedis(redis))
  return [...found, ...replicas, ...(clicks ?? []), ...limits]
}

/** Runs `work` if PostgreSQL responds. */
async function withPostgres(
  url: Secret,
  work: (storage: Storage) => Promise<Finding[]> = async () => [ok('replica', 'it answers')],
): Promise<Finding[]> {
  const options = { url: url.reveal(), poolSize: 2, statementTimeoutMs: TIMEOUT_MS }
  const storage = await openPostgres(options)
  const answer = storage.read.db.selectNoFrom((eb) => eb.lit(1).as('one')).execute()
  return await answer.then(() => work(storage)).finally(storage.close)
}

/** Whether all nodes have the same secret, and the database doesn't have it. @throws ConfigError */
async function checkSecret(storage: Storage, environment: Environment): Promise<Finding> {
  const { config, secret: given } = environment
  const known = await knownSecret(storage)
  const write = () => Promise.reject(new Error('The doctor changes nothing'))
  const options = { storage: { ...storage, write }, dataDir: config.dataDir, given, isNode: false }
  if (known !== null) await agreeOnSecret(options)
  const isStored = known === null ? given === null : known.secret !== null
  if (given !== null && !isStored) return ok('secret', 'given by SLUGLINE_SECRET')
  const place = isStored ? 'the database, and every dump of it,' : 'this data directory alone'
  const advice = 'set SLUGLINE_SECRET on all nodes; see docs/scaling.md'
  return warning('secret', `${place} holds the secret of all nodes`, advice)
}

async function checkClickHouse(url: Secret): Promise<Finding> {
  const { openClickHouse } = await import('../../statistics/engine/clickhouse/client.ts')
  const clickHouse = openClickHouse(url.reveal())
  const signal = AbortSignal.timeout(TIMEOUT_MS)
  await clickHouse.rows('SELECT 1', [], signal).finally(clickHouse.close)
  return ok('statistics', 'ClickHouse answers')
}

/** Whether Redis responds, is new enough, and doesn't evict keys. */
export async function checkRedis(url: Secret): Promise<Finding> {
  const facts = await probeRedis(url, TIMEOUT_MS)
  if (typeof facts === 'string') {
    return problem('redis', `it can't be reached (${facts})`, 'check that it runs, and REDIS_URL')
  }
  const { version, forgets } = facts
  if (Number.parseInt(version, 10) < OLDEST_REDIS) {
    return problem('redis', `version ${version} is too old`, `use Redis or Valkey ${OLDEST_REDIS}`)
  }
  if (!forgets) return ok('redis', `Redis ${version} answers`)
  const message = 'it evicts keys when its memory is full: limits would be lost'
  return warning('redis', message, 'set maxmemory-policy to volatile-ttl or noeviction')
}
