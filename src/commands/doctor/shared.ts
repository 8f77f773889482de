import { sql } from 'kysely'
import { agreeOnSecret, knownSecret } from '../../backend/shared-secret.ts'
import { ConfigError, type ScaledConfig, sharedSecretFile } from '../../config/index.ts'
import type { Storage } from '../../storage/index.ts'
import { type Finding, ok, problem, warning } from './finding.ts'

/** With more clicks than this, reports over all of a workspace take PostgreSQL many seconds. */
const MANY_CLICKS = 300_000_000

/** Whether all nodes have one secret, and nobody else has it. */
export async function checkSharedSecret(
  storage: Pick<Storage, 'read'>,
  { dataDir, given }: { dataDir: string; given: string | null },
): Promise<Finding> {
  const known = await knownSecret(storage)
  if (known === null) {
    if (given !== null) return ok('secret', 'given by SLUGLINE_SECRET')
    return warning(
      'secret',
      'will be made at the first start, and kept in the database',
      'set SLUGLINE_SECRET on all nodes: the output of openssl rand -base64 32',
    )
  }
  const write = () => Promise.reject(new Error('The doctor changes nothing'))
  try {
    await agreeOnSecret({ storage: { ...storage, write }, dataDir, given, isNode: false })
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    const [fault] = error.faults
    return problem('secret', `${fault?.variable} ${fault?.problem}`, `${fault?.example}`)
  }
  const file = sharedSecretFile(dataDir)
  if (known.secret !== null) {
    return warning(
      'secret',
      'lies in the database, and so in every dump of it',
      given === null
        ? `set SLUGLINE_SECRET on all nodes to what ${file} holds: a start takes it out of the database then`
        : 'the next start of a node takes it out',
    )
  }
  if (given !== null) return ok('secret', 'given by SLUGLINE_SECRET')
  return warning(
    'secret',
    `only ${file} holds it here: a new node would not start`,
    'set SLUGLINE_SECRET, as the other nodes have it',
  )
}

/** Whether the clicks can be asked. */
export async function checkSharedClicks(
  { clickhouse }: Pick<ScaledConfig, 'clickhouse'>,
  { read }: Pick<Storage, 'read'>,
): Promise<Finding> {
  if (clickhouse !== null) {
    const { openClickHouse } = await import('../../statistics/engine/clickhouse/client.ts')
    const clickHouse = openClickHouse(clickhouse.reveal())
    try {
      await clickHouse.rows('SELECT 1', [], AbortSignal.timeout(5_000))
      return ok('statistics', 'ClickHouse answers')
    } catch (error) {
      const { message } = error as Error
      const advice = 'look whether it runs, and whether CLICKHOUSE_URL fits; clicks wait for it'
      return warning('statistics', message, advice)
    } finally {
      await clickHouse.close()
    }
  }
  const { rows } = await sql<{ clicks: number }>`SELECT greatest(reltuples, 0)::bigint AS clicks
    FROM pg_class WHERE oid = 'clicks'::regclass`.execute(read.db)
  const clicks = rows[0]?.clicks ?? 0
  const found = `about ${clicks} clicks are kept in PostgreSQL`
  if (clicks < MANY_CLICKS) return ok('statistics', found)
  return warning('statistics', found, 'reports are quicker in ClickHouse: see docs/clickhouse.md')
}
