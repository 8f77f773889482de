import {
  type Config,
  deriveSecrets,
  keptSharedSecret,
  openSecrets,
  type Secrets,
} from '../config/index.ts'
import { assertMoved } from '../move/unfinished.ts'
import type { MigrationState } from '../storage/index.ts'
import { assertNoNode, migrateDatabase, openShared } from './databases.ts'
import { agreeOnSecret, knownSecret } from './shared-secret.ts'

/** What a start, or a command, begins with. */
export interface Prepared {
  secrets: Secrets
  /** Applied just now. */
  migrations: readonly MigrationState[]
  /** The database that nodes share holds the secret, because no variable gives it. */
  isSecretStored: boolean
}

type Settings = Pick<Config, 'dataDir' | 'scaled'>

/**
 * Brings the tables up to date and finds the secrets: those of the data directory, or those that
 * all nodes share. `given`: the environment's secret.
 * @throws ConfigError, StorageUnavailable, MoveUnfinished
 */
export async function prepare(
  { dataDir, scaled }: Settings,
  { given, isNode }: { given: string | null; isNode: boolean },
): Promise<Prepared> {
  if (scaled === null) {
    assertNoNode(dataDir)
    const secrets = openSecrets(dataDir, given)
    const migrations = await migrateDatabase({ dataDir, scaled })
    return { secrets, migrations, isSecretStored: false }
  }
  const migrations = await migrateDatabase({ dataDir, scaled })
  const storage = await openShared(scaled)
  try {
    await assertMoved(storage)
    const secret = await agreeOnSecret({ storage, dataDir, given, isNode })
    const isSecretStored = (await knownSecret(storage))?.secret != null
    return { secrets: deriveSecrets(secret), migrations, isSecretStored }
  } finally {
    await storage.close()
  }
}

/** The secrets of a node whose database is away; null: they aren't known without it. */
export function rememberedSecrets(
  { dataDir }: Pick<Config, 'dataDir'>,
  given: string | null,
): Secrets | null {
  const secret = given ?? keptSharedSecret(dataDir)
  return secret === null ? null : deriveSecrets(secret)
}
