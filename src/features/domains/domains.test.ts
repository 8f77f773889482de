import { afterEach, beforeEach, expect, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DomainConflict, syncDomains } from '../../model/domains/index.ts'
import type { Storage } from '../../platform/storage/index.ts'
import { openTestStorage } from '../../platform/storage/testing/database.ts'

let dir: string
let storage: Storage
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'slugline-domains-'))
  storage = await openTestStorage(dir)
})
afterEach(async () => {
  await storage.close()
  await rm(dir, { recursive: true })
})

const rows = () =>
  storage.read.db.selectFrom('domains').select(['no', 'host']).orderBy('no').execute()

async function giveSlug(domainNo: number): Promise<void> {
  await storage.write((tx) =>
    tx.db
      .insertInto('slugs')
      .values({
        slug_key: 'x',
        slug: 'x',
        domain_no: domainNo,
        workspace_no: 1,
        link_seq: null,
        target_url: null,
        redirect_status: 302,
        special: 0,
      })
      .execute(),
  )
}

test('the host of the base address is number 0, short domains follow', async () => {
  const domains = await syncDomains(storage, 'https://Example.com', [
    'go.example',
    'münchen.example',
  ])
  expect(await rows()).toEqual([
    { no: 0, host: 'example.com' },
    { no: 1, host: 'go.example' },
    { no: 2, host: 'xn--mnchen-3ya.example' },
  ])
  expect(domains.hostOf(0)).toBe('example.com')
  expect(domains.hosts).toEqual(['example.com', 'go.example', 'xn--mnchen-3ya.example'])
})

test('a host is found in any notation', async () => {
  const domains = await syncDomains(storage, 'http://localhost:3000', [
    'go.example:8080',
    'münchen.example',
  ])
  for (const [host, no] of [
    ['localhost:3000', 0],
    ['LOCALHOST:3000', 0],
    ['go.example:8080', 1],
    ['GO.example.:8080', 1],
    ['München.example', 2],
    ['xn--mnchen-3ya.example', 2],
    ['münchen.example:80', 2],
    ['localhost', undefined],
    ['go.example', undefined],
    ['user@münchen.example', undefined],
    ['münchen.example/x', undefined],
    ['', undefined],
    ['a b', undefined],
  ] as const) {
    expect([host, domains.noOf(host)]).toEqual([host, no])
  }
})

test('short addresses have the scheme of the base address, and are percent-encoded', async () => {
  const domains = await syncDomains(storage, 'https://s.example:8443', ['go.example'])
  expect(domains.shortUrl(0, 'A-b_9')).toBe('https://s.example:8443/A-b_9')
  expect(domains.shortUrl(1, 'Käse')).toBe('https://go.example/K%C3%A4se')
  expect(new URL(domains.shortUrl(1, '夏')).href).toBe(domains.shortUrl(1, '夏'))
})

test('numbers stay when the configuration changes', async () => {
  await syncDomains(storage, 'https://a.example', ['b.example', 'c.example'])
  const domains = await syncDomains(storage, 'https://a.example', ['d.example', 'c.example'])
  expect(domains.noOf('c.example')).toBe(2)
  expect(domains.noOf('d.example')).toBe(3)
  // No longer served, but its links still have its host.
  expect(domains.noOf('b.example')).toBeUndefined()
  expect(domains.hostOf(1)).toBe('b.example')
  expect(domains.shortUrl(1, 'x')).toBe('https://b.example/x')
})

test('the links of the base address move with it', async () => {
  await syncDomains(storage, 'https://a.example', [])
  const domains = await syncDomains(storage, 'https://b.example', ['a.example'])
  expect(domains.hostOf(0)).toBe('b.example')
  expect(domains.noOf('a.example')).toBe(1)
})

test('a short domain becomes the base address only without links of its own', async () => {
  await syncDomains(storage, 'https://a.example', ['b.example', 'c.example'])
  await giveSlug(2)
  const domains = await syncDomains(storage, 'https://b.example', ['c.example'])
  expect([domains.hostOf(0), domains.noOf('c.example')]).toEqual(['b.example', 2])
  await expect(syncDomains(storage, 'https://c.example', [])).rejects.toBeInstanceOf(DomainConflict)
  expect((await rows())[0]).toEqual({ no: 0, host: 'b.example' })
})

test('nothing is written when nothing has changed', async () => {
  await syncDomains(storage, 'https://a.example', ['b.example'])
  const reading = { ...storage, write: () => Promise.reject(new Error('It wrote')) } as Storage
  expect((await syncDomains(reading, 'https://a.example', ['b.example'])).hosts).toHaveLength(2)
})

test('what each of several nodes listens on stands for one default domain', async () => {
  const a = await syncDomains(storage, 'http://127.0.0.1:3001', ['go.example'], {
    isOneOfMany: true,
  })
  const b = await syncDomains(storage, 'http://127.0.0.1:3002', ['go.example'], {
    isOneOfMany: true,
  })
  expect(await rows()).toEqual([
    { no: 0, host: '127.0.0.1:3001' },
    { no: 1, host: 'go.example' },
  ])
  for (const [domains, own] of [
    [a, '127.0.0.1:3001'],
    [b, '127.0.0.1:3002'],
  ] as const) {
    expect(domains.hostOf(0)).toBe(own)
    expect(domains.shortUrl(0, 'x')).toBe(`http://${own}/x`)
    expect([domains.noOf(own), domains.noOf('127.0.0.1:3001')]).toEqual([0, 0])
    expect(domains.noOf('go.example')).toBe(1)
  }
  // A node with a configured public URL names the domain for all.
  await syncDomains(storage, 'https://sho.rt', [])
  expect((await rows())[0]).toEqual({ no: 0, host: 'sho.rt' })
  const c = await syncDomains(storage, 'http://127.0.0.1:3003', [], { isOneOfMany: true })
  expect([c.noOf('sho.rt'), c.noOf('127.0.0.1:3003')]).toEqual([0, 0])
  await giveSlug(1)
  await expect(
    syncDomains(storage, 'http://go.example', [], { isOneOfMany: true }),
  ).rejects.toBeInstanceOf(DomainConflict)
})
