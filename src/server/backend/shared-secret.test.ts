import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { postgresMissing, sharedPostgres } from '../../../test/harness/postgres.ts'
import {
  ConfigError,
  newSecret,
  openSecrets,
  secretFile,
  sharedSecretFile,
} from '../../platform/config/index.ts'
import { openPostgres, type Storage } from '../../platform/storage/index.ts'
import { agreeOnSecret, knownSecret } from './shared-secret.ts'

const GIVEN = 'correct horse battery staple, and more'

describe.skipIf(postgresMissing !== undefined)('the secret of all nodes', () => {
  let storage: Storage
  let root: string

  beforeAll(async () => {
    const server = await sharedPostgres()
    storage = await openPostgres({ url: await server.createDatabase() })
    root = mkdtempSync(join(tmpdir(), 'slugline-shared-secret-'))
  })
  afterAll(async () => {
    await storage?.close()
    if (root !== undefined) rmSync(root, { recursive: true })
  })
  beforeEach(() => sql`DELETE FROM instance_secret`.execute(storage.read.db))

  const directory = () => mkdtempSync(join(root, 'node-'))
  const agree = (dataDir: string, given: string | null = null, isNode = true) =>
    agreeOnSecret({ storage, dataDir, given, isNode })
  async function refused(dataDir: string, given: string | null): Promise<string> {
    const error = await agree(dataDir, given).catch((reason) => reason)
    expect(error).toBeInstanceOf(ConfigError)
    expect((error as ConfigError).faults.map(({ variable }) => variable)).toEqual([
      'SLUGLINE_SECRET',
    ])
    return (error as ConfigError).message
  }

  test('is the same for concurrent starts, and each node keeps a copy', async () => {
    const nodes = Array.from({ length: 12 }, directory)
    const secrets = await Promise.all(nodes.map((dataDir) => agree(dataDir)))
    const [secret = ''] = secrets
    expect(new Set(secrets).size).toBe(1)
    expect(secret.length).toBeGreaterThanOrEqual(32)
    expect((await knownSecret(storage))?.secret).toBe(secret)
    for (const dataDir of nodes) {
      const file = sharedSecretFile(dataDir)
      expect(readFileSync(file, 'utf8').trim()).toBe(secret)
      expect(statSync(file).mode & 0o777).toBe(0o600)
    }
    expect(await agree(directory(), null, false)).toBe(secret)
  })

  test('is that of the former single machine, whose file stays', async () => {
    const dataDir = directory()
    openSecrets(dataDir, null)
    const own = readFileSync(secretFile(dataDir), 'utf8')
    expect(await agree(dataDir)).toBe(own.trim())
    // Another such machine joins an instance that isn't its own.
    const other = directory()
    openSecrets(other, null)
    const before = readFileSync(secretFile(other), 'utf8')
    expect(await agree(other)).toBe(own.trim())
    expect(readFileSync(secretFile(other), 'utf8')).toBe(before)
    writeFileSync(secretFile(other), 'short')
    expect(await agree(other)).toBe(own.trim())
  })

  test('set by the environment stores only a fingerprint', async () => {
    expect(await agree(directory(), GIVEN)).toBe(GIVEN)
    const known = await knownSecret(storage)
    expect(known?.secret).toBeNull()
    expect(known?.fingerprint).toMatch(/^[0-9a-f]{64}$/)
    expect(await agree(directory(), GIVEN)).toBe(GIVEN)
    expect(await refused(directory(), newSecret())).not.toContain(GIVEN)
    await refused(directory(), null)
    // A file is equivalent.
    const dataDir = directory()
    writeFileSync(secretFile(dataDir), GIVEN)
    expect(await agree(dataDir)).toBe(GIVEN)
  })

  test('is deleted from the database once a node is given it', async () => {
    const dataDir = directory()
    const secret = await agree(dataDir)
    expect(await agree(directory(), secret, false)).toBe(secret)
    expect((await knownSecret(storage))?.secret).toBe(secret)
    expect(await agree(directory(), secret)).toBe(secret)
    expect((await knownSecret(storage))?.secret).toBeNull()
    expect(await agree(dataDir)).toBe(secret)
    await refused(directory(), null)
  })
})
