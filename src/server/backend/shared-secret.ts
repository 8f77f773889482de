import { sql } from 'kysely'
import {
  ConfigError,
  existingSecret,
  fingerprintOf,
  keepSharedSecret,
  keptSharedSecret,
  newSecret,
} from '../../platform/config/index.ts'
import type { Storage } from '../../platform/storage/index.ts'

interface SecretOptions {
  storage: Pick<Storage, 'read' | 'write'>
  dataDir: string
  /** The environment's secret; null: not set. */
  given: string | null
  /**
   * A node, which keeps the secret for a start without the database, and, if the environment sets
   * the secret, deletes it from the database.
   */
  isNode: boolean
}

/** What the database stores about the secret. */
interface KnownSecret {
  fingerprint: string
  /** Null: the environment of the node that made it has it. */
  secret: string | null
}

/**
 * The secret shared by all nodes. Without `SLUGLINE_SECRET` the first start takes the data
 * directory's own, or makes one, and stores it in the database for the others; with it, only its
 * fingerprint.
 * @throws ConfigError when it differs from the one used before, or can't be read;
 *   StorageUnavailable
 */
export async function agreeOnSecret(options: SecretOptions): Promise<string> {
  const { storage, dataDir, given, isNode } = options
  const known = (await knownSecret(storage)) ?? (await propose(options))
  const isRight = (secret: string | null): secret is string =>
    secret !== null && fingerprintOf(secret) === known.fingerprint

  if (given !== null) {
    if (!isRight(given)) {
      throw secretError(
        "isn't the secret that the data in DATABASE_URL was made with: no API key would work " +
          'with it, and no account could sign in',
        'the value that the other nodes have, or had before',
      )
    }
    if (isNode && known.secret !== null) {
      await sql`UPDATE instance_secret SET secret = NULL`.execute(storage.read.db)
    }
    return given
  }
  // A damaged file of this directory doesn't matter unless it is needed.
  for (const look of [() => known.secret, keptSharedSecret, existingSecret]) {
    const secret = look(dataDir)
    if (!isRight(secret)) continue
    if (isNode) keepSharedSecret(dataDir, secret)
    return secret
  }
  throw noSecret()
}

/** What the database stores about it; null: nothing yet. */
export async function knownSecret({ read }: Pick<Storage, 'read'>): Promise<KnownSecret | null> {
  const { rows } = await sql<KnownSecret>`SELECT fingerprint, secret FROM instance_secret`.execute(
    read.db,
  )
  return rows[0] ?? null
}

/** The first node's proposal wins. */
async function propose({ storage, dataDir, given }: SecretOptions): Promise<KnownSecret> {
  const secret = given ?? keptSharedSecret(dataDir) ?? existingSecret(dataDir) ?? newSecret()
  await storage.write(async (tx) => {
    await sql`INSERT INTO instance_secret (fingerprint, secret)
      VALUES (${fingerprintOf(secret)}, ${given === null ? secret : null})
      ON CONFLICT DO NOTHING`.execute(tx.db)
  })
  const known = await knownSecret(storage)
  if (known === null) throw noSecret()
  return known
}

function noSecret(): ConfigError {
  return secretError(
    'is not set, but the data in DATABASE_URL was made by a node that had it set: all nodes ' +
      'need the same',
    'the value that the other nodes have',
  )
}

function secretError(problem: string, example: string): ConfigError {
  return new ConfigError([{ variable: 'SLUGLINE_SECRET', problem, example }])
}
