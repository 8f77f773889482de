import { hkdfSync, randomBytes } from 'node:crypto'
import {
  closeSync,
  existsSync,
  fsyncSync,
  linkSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import { databaseFiles, openSqlite } from '../storage/index.ts'
import { ConfigError, type ConfigFault } from './fault.ts'

/** Keys of 32 bytes, one for each use, all derived from the instance's one secret. */
export interface Secrets {
  /** Hashes API keys. */
  readonly apiKeys: Uint8Array
  /** Signs pagination cursors. */
  readonly cursors: Uint8Array
  /** Tells a day's visitors apart. */
  readonly visitors: Uint8Array
  /** Signs sessions, encrypts second factors, hashes what attempts are counted by. */
  readonly accounts: Uint8Array
}

/** A secret has at least this many characters. */
export const SECRET_MIN_CHARACTERS = 32

/** Where the secret is kept when the environment doesn't give one. */
export function secretFile(dataDir: string): string {
  return join(dataDir, 'secret')
}

/** The keys of a secret (HKDF-SHA-256, RFC 5869, one `info` for each use). */
export function deriveSecrets(secret: string): Secrets {
  const derive = (use: string) =>
    new Uint8Array(hkdfSync('sha256', secret, '', `slugline/${use}/1`, 32))
  return {
    apiKeys: derive('api-keys'),
    cursors: derive('cursors'),
    visitors: derive('visitors'),
    accounts: derive('accounts'),
  }
}

/**
 * The keys of this instance: from `given`, the environment's secret, or else from the file in
 * the data directory, which is made at the first start and never again.
 * @throws ConfigError when the file is missing beside existing data, unreadable or too short.
 */
export function openSecrets(dataDir: string, given: string | null): Secrets {
  return deriveSecrets(given ?? readSecretFile(dataDir) ?? createSecretFile(dataDir))
}

/** The file's secret; null: there is none. @throws ConfigError when it is unreadable or too short */
export function existingSecret(dataDir: string): string | null {
  return readSecretFile(dataDir)
}

/** A new secret, of 32 bytes. */
export function newSecret(): string {
  return randomBytes(32).toString('base64url')
}

/**
 * What tells whether a secret is the same as before, and nothing more of it (HKDF, as the keys), as
 * hexadecimal digits.
 */
export function fingerprintOf(secret: string): string {
  return Buffer.from(hkdfSync('sha256', secret, '', 'slugline/fingerprint/1', 32)).toString('hex')
}

/** Where a node keeps the secret that all nodes share, unless the environment gives it. */
export function sharedSecretFile(dataDir: string): string {
  return join(dataDir, 'shared-secret')
}

/** The secret that the nodes share, as this one kept it; null: it didn't. */
export function keptSharedSecret(dataDir: string): string | null {
  try {
    const text = readFileSync(sharedSecretFile(dataDir), 'utf8').trim()
    return text.length >= SECRET_MIN_CHARACTERS ? text : null
  } catch {
    return null
  }
}

/** Keeps it, for a start without the database. */
export function keepSharedSecret(dataDir: string, secret: string): void {
  if (keptSharedSecret(dataDir) === secret) return
  const draft = join(dataDir, `.secret-${process.pid}-${randomBytes(4).toString('hex')}`)
  writeDurably(draft, `${secret}\n`)
  renameSync(draft, sharedSecretFile(dataDir))
  syncDirectory(dataDir)
}

/** Why the file's secret can't be used, or null: it can, or the next start will make it. */
export function secretFault(dataDir: string): ConfigFault | null {
  try {
    if (readSecretFile(dataDir) === null) assertNoKeys(dataDir)
    return null
  } catch (error) {
    if (error instanceof ConfigError) return error.faults[0] ?? null
    throw error
  }
}

function readSecretFile(dataDir: string): string | null {
  const file = secretFile(dataDir)
  let text: string
  try {
    text = readFileSync(file, 'utf8').trim()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw new ConfigError([
      {
        variable: 'SLUGLINE_SECRET',
        problem: `is not set, and ${file} can't be read (${(error as NodeJS.ErrnoException).code})`,
        example: `chown the file to the user that runs Slugline, and: chmod 600 ${file}`,
      },
    ])
  }
  if (text.length >= SECRET_MIN_CHARACTERS) return text
  throw new ConfigError([
    {
      variable: 'SLUGLINE_SECRET',
      problem: `is not set, and ${file} holds fewer than ${SECRET_MIN_CHARACTERS} characters`,
      example: 'restore the file from a backup',
    },
  ])
}

/**
 * The file appears whole or not at all, whoever else starts at the same moment: it is written
 * and synced under another name, then linked to its own, which fails when that exists.
 */
function createSecretFile(dataDir: string): string {
  assertNoKeys(dataDir)
  const secret = newSecret()
  const draft = join(dataDir, `.secret-${process.pid}-${randomBytes(4).toString('hex')}`)
  writeDurably(draft, `${secret}\n`)
  try {
    linkSync(draft, secretFile(dataDir))
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    // File systems without links: the plain way, whose only gap is a crash while writing.
    if (code !== 'EEXIST') writeDurably(secretFile(dataDir), `${secret}\n`)
  } finally {
    rmSync(draft, { force: true })
  }
  syncDirectory(dataDir)
  // Another process may have been first: what the file says holds.
  return readSecretFile(dataDir) ?? secret
}

/** @throws ConfigError when there are keys, and no secret that they were made with. */
function assertNoKeys(dataDir: string): void {
  if (!holdsKeys(databaseFiles(dataDir).main)) return
  // Another process's first start may have made both since we looked.
  if (readSecretFile(dataDir) !== null) return
  throw new ConfigError([
    {
      variable: 'SLUGLINE_SECRET',
      problem:
        `is not set, and ${secretFile(dataDir)} is gone, while ${dataDir} holds data made with ` +
        'that secret: with a new one no API key would work any more',
      example: 'set it to the secret used before, or restore the file from a backup',
    },
  ])
}

function holdsKeys(file: string): boolean {
  if (!existsSync(file)) return false
  const { raw, close } = openSqlite(file, { readonly: true })
  try {
    const tables = raw.query("SELECT 1 FROM sqlite_schema WHERE name = 'api_keys'").all()
    return tables.length > 0 && raw.query('SELECT 1 FROM api_keys LIMIT 1').all().length > 0
  } finally {
    close()
  }
}

function writeDurably(file: string, text: string): void {
  const descriptor = openSync(file, 'wx', 0o600)
  try {
    writeSync(descriptor, text)
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}

function syncDirectory(path: string): void {
  const descriptor = openSync(path, 'r')
  try {
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}
