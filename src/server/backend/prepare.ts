import {
  assertSecret,
  type Config,
  deriveSecrets,
  keptSharedSecret,
  openSecrets,
  type Secrets,
} from '../../platform/config/index.ts'
import type { MigrationState } from '../../platform/storage/index.ts'
import { askOwner } from '../../statistics/process/index.ts'
import { assertOneInstance } from '../operations/instance.ts'
import { assertNoNode, migrateDatabase, openShared } from './databases.ts'
import { keepNumbers } from './numbers.ts'
import { assertShared, keepSharedNumbers } from './shared-instance.ts'
import { agreeOnSecret, knownSecret } from './shared-secret.ts'
import { assertMoved } from './unfinished.ts'

/** The preparation of a start or a command. */
export interface Prepared {
  secrets: Secrets
  /** Migrations that were applied. */
  migrations: readonly MigrationState[]
  /** The shared database stores the secret, because no variable sets it. */
  isSecretStored: boolean
}

type Settings = Pick<Config, 'dataDir' | 'scaled'>

/**
 * Migrates the database and loads the secrets: those of the data directory, or those shared by all
 * nodes. `given`: the environment's secret.
 * @throws ConfigError, StorageUnavailable, OperatorError
 */
export async function prepare(
  { dataDir, scaled }: Settings,
  { given, isNode }: { given: string | null; isNode: boolean },
): Promise<Prepared> {
  if (scaled === null) {
    assertNoNode(dataDir)
    await assertOneInstance(dataDir)
    const known = isNode ? await askOwner(dataDir) : []
    assertSecret(dataDir, given)
    // First, so that no other file of an instance is ever there without its links.
    const migrations = await migrateDatabase({ dataDir, scaled })
    if (isNode) await keepNumbers(dataDir, known)
    const secrets = openSecrets(dataDir, given)
    return { secrets, migrations, isSecretStored: false }
  }
  const storage = await openShared(scaled)
  try {
    await assertShared({ dataDir, scaled }, storage)
    const migrations = await migrateDatabase({ dataDir, scaled })
    await assertMoved(storage)
    const secret = await agreeOnSecret({ storage, dataDir, given, isNode })
    if (isNode) await keepSharedNumbers({ dataDir, scaled }, storage)
    const isSecretStored = (await knownSecret(storage))?.secret != null
    return { secrets: deriveSecrets(secret), migrations, isSecretStored }
  } finally {
    await storage.close()
  }
}

/** The secrets of a node whose database is down; null: unknown without it. */
export function storedSecrets(
  { dataDir }: Pick<Config, 'dataDir'>,
  given: string | null,
): Secrets | null {
  const secret = given ?? keptSharedSecret(dataDir)
  return secret === null ? null : deriveSecrets(secret)
}
