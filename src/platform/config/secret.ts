import { hkdfSync, randomBytes } from 'node:crypto'
import { linkSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { replaceFile, syncDirectory, writeSynced } from '../../lib/base/replace-file.ts'
import { ConfigError } from './fault.ts'

/** Keys of 32 bytes, one for each use, all derived from the instance's secret. */
export type Secrets = Readonly<ReturnType<typeof deriveSecrets>>

/** The least characters of a secret. */
export const SECRET_MIN_CHARACTERS = 32

/** The secret's file, for when the environment doesn't set it. */
export function secretFile(dataDir: string): string {
  return join(dataDir, 'secret')
}

/** The files that a first start makes for the secret. */
export function secretFiles(dataDir: string): string[] {
  return [secretFile(dataDir), fingerprintFile(dataDir)]
}

/** The keys of a secret (HKDF-SHA-256, RFC 5869, one `info` for each use). */
export function deriveSecrets(secret: string) {
  const derive = (use: string): Uint8Array =>
    new Uint8Array(hkdfSync('sha256', secret, '', `slugline/${use}/1`, 32))
  return {
    /** Hashes API keys. */
    apiKeys: derive('api-keys'),
    /** Signs pagination cursors. */
    cursors: derive('cursors'),
    /** Hashes visitors, to recognize them within a day. */
    visitors: derive('visitors'),
    /** Signs sessions, encrypts second factors, hashes the keys of attempt counters. */
    accounts: derive('accounts'),
    /** Encrypts the access tokens of running imports. */
    imports: derive('imports'),
    /** Derives the URLs of shared statistics, and signs access to them. */
    shares: derive('shares'),
    /** Proves that a domain is served by this instance. */
    domains: derive('domains'),
    /** Derives the secrets and key pairs that sign requests of webhooks. */
    webhooks: derive('webhooks'),
  }
}

/**
 * The keys of this instance, from `given`, the environment's secret, or else from the file in the
 * data directory, which is created at the first start.
 * @throws ConfigError see {@link assertSecret}
 */
export function openSecrets(dataDir: string, given: string | null): Secrets {
  assertSecret(dataDir, given)
  const secret = given ?? existingSecret(dataDir) ?? createOnce(secretFile(dataDir), newSecret())
  const fingerprint = createOnce(fingerprintFile(dataDir), fingerprintOf(secret))
  // Another process may have started first, with another secret.
  if (fingerprint !== fingerprintOf(secret)) assertSecret(dataDir, given)
  return deriveSecrets(secret)
}

/**
 * Checks the secret against the fingerprint stored at the first start: with another secret no API
 * key, session or second factor would work.
 * @throws ConfigError when it differs, is missing, unreadable or too short
 */
export function assertSecret(dataDir: string, given: string | null): void {
  const known = readText(fingerprintFile(dataDir))
  const secret = given ?? existingSecret(dataDir)
  if (known === null || (secret !== null && fingerprintOf(secret) === known)) return
  const file = secretFile(dataDir)
  const consequence = 'no API key would work, and no account could sign in'
  if (given !== null) {
    const problem = `isn't the secret that ${dataDir} was made with: ${consequence}`
    throw secretFault(problem, `the value used before, or leave it unset if ${file} exists`)
  }
  const state = secret === null ? 'is gone' : 'has changed'
  const problem = `is not set, and ${file} ${state}: with another secret ${consequence}`
  throw secretFault(problem, 'the secret used before; or restore the file from a backup')
}

/** The file's secret; null: there is none. @throws ConfigError when it is unreadable or too short */
export function existingSecret(dataDir: string): string | null {
  const file = secretFile(dataDir)
  let secret: string | null
  try {
    secret = readText(file)
  } catch (error) {
    const problem = `is not set, and ${file} can't be read (${(error as NodeJS.ErrnoException).code})`
    throw secretFault(problem, `the user that runs Slugline must own the file: chown USER ${file}`)
  }
  if (secret === null || secret.length >= SECRET_MIN_CHARACTERS) return secret
  const problem = `is not set, and ${file} contains fewer than ${SECRET_MIN_CHARACTERS} characters`
  throw secretFault(problem, 'restore the file from a backup')
}

/** A new secret, of 32 bytes. */
export function newSecret(): string {
  return randomBytes(32).toString('base64url')
}

/** Identifies a secret without revealing it (HKDF, like the keys), as hexadecimal digits. */
export function fingerprintOf(secret: string): string {
  return Buffer.from(hkdfSync('sha256', secret, '', 'slugline/fingerprint/1', 32)).toString('hex')
}

/** The file of a node for the secret that all nodes share, unless the environment sets it. */
export function sharedSecretFile(dataDir: string): string {
  return join(dataDir, 'shared-secret')
}

/** The shared secret as this node stored it; null: it didn't. */
export function keptSharedSecret(dataDir: string): string | null {
  try {
    const text = readText(sharedSecretFile(dataDir))
    return text !== null && text.length >= SECRET_MIN_CHARACTERS ? text : null
  } catch {
    return null
  }
}

/** Stores the shared secret, so that the node can start without the database. */
export function keepSharedSecret(dataDir: string, secret: string): void {
  if (keptSharedSecret(dataDir) === secret) return
  replaceFile(sharedSecretFile(dataDir), `${secret}\n`)
}

function fingerprintFile(dataDir: string): string {
  return join(dataDir, 'secret-fingerprint')
}

function secretFault(problem: string, example: string): ConfigError {
  return new ConfigError([{ variable: 'SLUGLINE_SECRET', problem, example }])
}

/** Null: there is no such file. */
function readText(file: string): string | null {
  try {
    return readFileSync(file, 'utf8').trim()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw error
  }
}

/**
 * Creates a file unless it exists, and returns its text. It is written and synced under another
 * name, then linked to its own, which fails if that exists: so it is never seen incomplete, even if
 * several processes create it concurrently.
 */
function createOnce(file: string, text: string): string {
  const kept = readText(file)
  if (kept !== null) return kept
  const draft = `${file}.${process.pid}-${randomBytes(4).toString('hex')}`
  writeSynced(draft, `${text}\n`, 'wx')
  try {
    linkSync(draft, file)
    rmSync(draft)
  } catch (error) {
    // On file systems without links, concurrent processes could each create one.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') renameSync(draft, file)
    else rmSync(draft)
  }
  syncDirectory(dirname(file))
  return readText(file) ?? text
}
