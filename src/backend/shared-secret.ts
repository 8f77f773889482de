import { sql } from 'kysely'
import {
  ConfigError,
  existingSecret,
  fingerprintOf,
  keepSharedSecret,
  keptSharedSecret,
  newSecret,
} from '../config/index.ts'
import type { Storage } from '../storage/index.ts'

interface SecretOptions {
  storage: Pick<Storage, 'read' | 'write'>
  dataDir: string
  /** The environment's secret; null: it gives none. */
  given: string | null
  /**
   * A node: it keeps the secret for a start without the database; and when it is given the secret,
   * it takes that out of the database, where it needn't be any more.
   */
  isNode: boolean
}

/** What the database knows of the secret. */
interface KnownSecret {
  fingerprint: string
  /** Null: the node that made it has it from the environment. */
  secret: string | null
}

/**
 * The one secret of all nodes. Without `SLUGLINE_SECRET` the first start takes the data directory's
 * own, or makes one, and leaves it in the database for the others; with it, only its fingerprint.
 * @throws ConfigError when it isn't the one that was used before, or can't be had; StorageUnavailable
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
  // A damaged file of this directory's is no matter where it isn't needed.
  for (const look of [() => known.secret, keptSharedSecret, existingSecret]) {
    const secret = look(dataDir)
    if (!isRight(secret)) continue
    if (isNode) keepSharedSecret(dataDir, secret)
    return secret
  }
  throw noSecret()
}

/** What the database knows of it; null: nothing yet. */
export async function knownSecret({ read }: Pick<Storage, 'read'>): Promise<KnownSecret | null> {
  const { rows } = await sql<KnownSecret>`SELECT fingerprint, secret FROM instance_secret`.execute(
    read.db,
  )
  return rows[0] ?? null
}

/** The first node decides. */
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
