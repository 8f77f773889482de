import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ensureDataDir } from './data-dir.ts'
import { ConfigError } from './fault.ts'
import { deriveSecrets, openSecrets, secretFile } from './secret.ts'

let dir: string
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'slugline-secret-'))
})
afterEach(() => rmSync(dir, { recursive: true, force: true }))

const GIVEN = 'correct horse battery staple, and more'

describe('the secret', () => {
  test('is generated at the first start, with mode 0600, and kept', () => {
    const first = openSecrets(dir, null)
    expect(statSync(secretFile(dir)).mode & 0o777).toBe(0o600)
    expect(readFileSync(secretFile(dir), 'utf8').trim().length).toBeGreaterThanOrEqual(32)
    expect(openSecrets(dir, null)).toEqual(first)
    expect(readdirSync(dir).sort()).toEqual(['secret', 'secret-fingerprint'])
  })

  test('differs between instances', () => {
    const other = join(dir, 'other')
    ensureDataDir(other)
    expect(openSecrets(other, null)).not.toEqual(openSecrets(dir, null))
  })

  test('of the environment takes precedence and is not written to a file', () => {
    expect(openSecrets(dir, GIVEN)).toEqual(deriveSecrets(GIVEN))
    expect(readdirSync(dir)).toEqual(['secret-fingerprint'])
  })

  test('yields a separate key of 32 bytes for each use', () => {
    const keys = Object.values(deriveSecrets(GIVEN)).map((key) => Buffer.from(key).toString('hex'))
    expect(keys.length).toBeGreaterThan(1)
    expect(new Set(keys).size).toBe(keys.length)
    expect(keys.every((key) => key.length === 64)).toBe(true)
  })

  test('derives the same keys in every version, so that data stays readable', () => {
    expect(Buffer.from(deriveSecrets(GIVEN).apiKeys).toString('hex')).toBe(
      '896dd1b0afd42fa25ad38f667825dc6c0fe6c36f2b2fa1bada5d58acf57a37bd',
    )
  })

  test('that is missing is not replaced, and another one is refused', () => {
    const first = openSecrets(dir, null)
    const kept = readFileSync(secretFile(dir), 'utf8').trim()
    expect(() => openSecrets(dir, GIVEN)).toThrow(ConfigError)
    rmSync(secretFile(dir))
    expect(() => openSecrets(dir, null)).toThrow(ConfigError)
    expect(() => openSecrets(dir, GIVEN)).toThrow(ConfigError)
    expect(openSecrets(dir, kept)).toEqual(first)
    writeFileSync(secretFile(dir), GIVEN)
    expect(() => openSecrets(dir, null)).toThrow(ConfigError)
  })

  test('of the environment must stay the same after the first start', () => {
    openSecrets(dir, GIVEN)
    expect(openSecrets(dir, GIVEN)).toEqual(deriveSecrets(GIVEN))
    expect(() => openSecrets(dir, null)).toThrow(ConfigError)
    expect(() => openSecrets(dir, 'another secret of 32 characters.')).toThrow(ConfigError)
  })

  test('file that is truncated is refused', () => {
    writeFileSync(secretFile(dir), 'short\n')
    expect(() => openSecrets(dir, null)).toThrow(ConfigError)
  })

  test('is the same for processes that start concurrently', async () => {
    const script = `
      const { openSecrets } = await import(${JSON.stringify(join(import.meta.dir, 'secret.ts'))})
      console.log(Buffer.from(openSecrets(${JSON.stringify(dir)}, null).apiKeys).toString('hex'))`
    const found = await Promise.all(
      Array.from({ length: 4 }, async () => {
        const child = Bun.spawn([process.execPath, '-e', script], { stdout: 'pipe' })
        return (await new Response(child.stdout).text()).trim()
      }),
    )
    expect(new Set(found).size).toBe(1)
    expect(found[0]).toHaveLength(64)
  })
})

describe('the data directory', () => {
  test('is created with mode 0700', () => {
    const made = join(dir, 'a', 'b')
    ensureDataDir(made)
    expect(statSync(made).mode & 0o777).toBe(0o700)
    ensureDataDir(made)
  })

  test('that is a file is refused', () => {
    const file = join(dir, 'file')
    writeFileSync(file, '')
    expect(() => ensureDataDir(file)).toThrow(ConfigError)
    expect(() => ensureDataDir(join(file, 'below'))).toThrow(ConfigError)
  })
})
