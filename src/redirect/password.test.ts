import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { CLICK_FLAGS, journalDirectory } from '../clicks/index.ts'
import type { ClickRecord } from '../clicks/record.ts'
import { readJournal } from '../clicks/segment-reader.ts'
import { createMemoryLimiter } from '../platform/limits/index.ts'
import { SEQS_PER_WORKSPACE } from '../platform/storage/index.ts'
import { copyMigrated } from '../platform/storage/testing/database.ts'
import { openSite, type Site } from './testing/site.ts'
import { createGuessLimit } from './visitor-limits.ts'

let dir: string
let site: Site
let guesses: string[]
let allowed: number

const hash = await Bun.password.hash('größe +&', {
  algorithm: 'argon2id',
  memoryCost: 8,
  timeCost: 1,
})

beforeEach(async () => {
  dir = mkdtempSync(join(tmpdir(), 'slugline-password-'))
  guesses = []
  allowed = 5
  await copyMigrated(dir)
  site = await openSite(dir, {
    guesses: {
      take(seq, address) {
        guesses.push(`${seq} ${address}`)
        return { allowed: allowed-- > 0, retryAfterSeconds: 61 }
      },
      right: () => {},
    },
  })
})

afterEach(async () => {
  await site.close()
  rmSync(dir, { recursive: true, force: true })
})

const post = (path: string, password: string) =>
  site.visit(path, { method: 'POST', body: new URLSearchParams({ password }) })

async function clicks(seq: number): Promise<number> {
  await site.count()
  return (await site.countersOf(seq))?.total ?? 0
}

test('a password matches however its letters are composed', async () => {
  await site.addLink({ slug: 'composed', password_hash: hash })
  expect((await post('/composed', 'größe +&'.normalize('NFD'))).status).toBe(303)
})

test('the form is shown, a wrong password is refused, the correct one redirects and counts once', async () => {
  const seq = await site.addLink({
    slug: 'a',
    password_hash: hash,
    redirect_status: 308,
    forward_query: 1,
    target_url: 'https://secret.example/',
  })
  const form = await site.visit('/a')
  expect(form.status).toBe(200)
  expect(form.headers.get('set-cookie')).toBeNull()
  expect(form.headers.get('content-security-policy')).toContain("form-action 'self' http: https:")
  const html = await form.text()
  expect(html).toContain('<form method="post">')
  expect(html).not.toContain('secret.example')
  expect((await site.visit('/a', { method: 'HEAD' })).status).toBe(200)

  const wrong = await post('/a', 'größe')
  expect(wrong.status).toBe(403)
  expect(await wrong.text()).toContain('role="alert"')
  expect(await clicks(seq)).toBe(0)

  const right = await post('/a?x=1', 'größe +&')
  expect(right.status).toBe(303)
  expect(right.headers.get('location')).toBe('https://secret.example/?x=1')
  expect(right.headers.get('cache-control')).toBe('private, no-store')
  expect(right.headers.get('set-cookie')).toBeNull()
  expect(await clicks(seq)).toBe(1)
})

test('a scan stays one through the form, and its marker isn’t forwarded', async () => {
  const target_url = 'https://secret.example/'
  await site.addLink({ slug: 'a', password_hash: hash, forward_query: 1, target_url })
  expect(await (await site.visit('/a?qr=1')).text()).toContain('<form method="post">')
  const right = await post('/a?qr=1&x=1', 'größe +&')
  expect(right.headers.get('location')).toBe('https://secret.example/?x=1')
  const bits: number[] = []
  const add = (record: ClickRecord) => void bits.push(record[3])
  readJournal(journalDirectory(dir), { segment: 0, offset: 0 }, () => true, add)
  expect(bits).toEqual([CLICK_FLAGS.qr | CLICK_FLAGS.password])
  // The browser posts to the form's own URL, so there must be no `action`.
  expect(await (await site.visit('/a?qr=1')).text()).not.toContain('action=')
})

test('it works through a socket, with the body in chunks', async () => {
  await site.addLink({ slug: 'a', password_hash: hash })
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: (request, self) =>
      site.redirect.fetch(request, () => self.requestIP(request)?.address ?? ''),
  })
  const body = new ReadableStream({
    async start(controller) {
      for (const part of ['pass', 'word=gr%C3%B6%C3', '%9Fe+%2B%26']) {
        controller.enqueue(new TextEncoder().encode(part))
        await Bun.sleep(1)
      }
      controller.close()
    },
  })
  const headers = { 'content-type': 'application/x-www-form-urlencoded' }
  const url = new URL('/a', server.url)
  const response = await fetch(url, { method: 'POST', body, headers, redirect: 'manual' })
  expect(response.status).toBe(303)
  expect(guesses[0]).toEndWith(' 127.0.0.1')
  await server.stop(true)
})

test('guesses are limited per link and address, including the correct one', async () => {
  const seq = await site.addLink({ slug: 'a', password_hash: hash })
  allowed = 1
  expect((await post('/a', 'x')).status).toBe(403)
  const response = await post('/a', 'größe +&')
  expect(response.status).toBe(429)
  expect(response.headers.get('retry-after')).toBe('61')
  expect(guesses).toEqual([`${seq} 203.0.113.7`, `${seq} 203.0.113.7`])
  expect(await clicks(seq)).toBe(0)
})

test('a password uses up one visit, and only if it is correct', async () => {
  await site.addLink({ slug: 'a', password_hash: hash, max_clicks: 1 })
  expect((await site.visit('/a')).status).toBe(200)
  expect((await post('/a', 'x')).status).toBe(403)
  expect((await post('/a', 'größe +&')).status).toBe(303)
  expect((await post('/a', 'größe +&')).status).toBe(410)
  expect((await site.visit('/a')).status).toBe(410)
})

test('programs send the password as JSON or as a form of parts', async () => {
  await site.addLink({ slug: 'a', password_hash: hash })
  const headers = { 'content-type': 'application/json; charset=utf-8' }
  const body = JSON.stringify({ password: 'größe +&' })
  expect((await site.visit('/a', { method: 'POST', body, headers })).status).toBe(303)
  const form = new FormData()
  form.set('password', 'größe +&')
  expect((await site.visit('/a', { method: 'POST', body: form })).status).toBe(303)
})

test('clients that prefer JSON get a JSON error that there is a password', async () => {
  const seq = await site.addLink({
    slug: 'a',
    password_hash: hash,
    target_url: 'https://secret.example/',
  })
  allowed = 1
  const headers = { accept: 'application/json', 'accept-language': 'de' }
  const wrong = { method: 'POST', body: new URLSearchParams({ password: 'x' }), headers }
  for (const [init, status, code] of [
    [{ headers }, 403, 'LINK_PROTECTED'],
    [wrong, 403, 'LINK_PROTECTED'],
    [wrong, 429, 'RATE_LIMITED'],
  ] as const) {
    const response = await site.visit('/a', init)
    expect(response.status).toBe(status)
    expect(response.headers.get('content-type')).toBe('application/json')
    expect(response.headers.get('retry-after')).toBe(status === 429 ? '61' : null)
    const { error } = (await response.json()) as { error: Record<string, string> }
    expect(error.code).toBe(code)
    expect(error.request_id).toBe(response.headers.get('x-request-id') as string)
  }
  expect(await clicks(seq)).toBe(0)
})

test('bodies that are not a form, or too large, are refused', async () => {
  allowed = 20
  await site.addLink({ slug: 'a', password_hash: hash })
  const send = (body: string, type: string) =>
    site.visit('/a', { method: 'POST', body, headers: { 'content-type': type } })
  for (const body of ['', '{', 'null', '[]', '"größe +&"', '{"password":["größe +&"]}']) {
    expect((await send(body, 'application/json')).status).toBe(403)
  }
  expect((await send('größe +&', 'multipart/form-data; boundary=x')).status).toBe(403)
  expect((await send('password=gr%C3%B6%C3%9Fe+%2B%26', 'text/plain')).status).toBe(403)
  const form = 'application/x-www-form-urlencoded'
  expect((await send(`password=${'x'.repeat(20_000)}`, form)).status).toBe(413)
  expect((await send('password=%FF%zz&&=', form)).status).toBe(403)
})

describe('the limit on guesses', () => {
  const clock = { ms: 1_790_000_000_000, now: () => clock.ms }
  const limit = () => createGuessLimit(createMemoryLimiter(), clock)
  const allowedOf = async (
    takes: (readonly [seq: number, address: string])[],
    guesses = limit(),
  ) => {
    const all = []
    for (const [seq, address] of takes) all.push((await guesses.take(seq, address)).allowed)
    return all.filter(Boolean).length
  }

  test('treats the /64 of an IPv6 address as one', async () => {
    const from = (network: number) =>
      Array.from({ length: 20 }, (_, i) => [1, `2001:db8:0:${network}::${i + 1}`] as const)
    const guesses = limit()
    expect(await allowedOf(from(1), guesses)).toBe(5)
    expect(await allowedOf(from(2), guesses)).toBe(5)
  })

  test('limits one address across all links', async () => {
    const takes = Array.from({ length: 100 }, (_, seq) => [seq, '192.0.2.1'] as const)
    expect(await allowedOf(takes)).toBe(20)
  })

  test('has a limit per link across all addresses, which correct guesses don’t use up', async () => {
    const takes = Array.from({ length: 200 }, (_, i) => [1, `192.0.2.${i}`] as const)
    expect(await allowedOf(takes)).toBe(60)
    const guesses = limit()
    for (const [seq, address] of takes) {
      expect((await guesses.take(seq, address)).allowed).toBe(true)
      await guesses.right(seq)
    }
  })
})

test('links of one workspace don’t block the passwords of another', async () => {
  await site.close()
  const ends: (() => void)[] = []
  site = await openSite(dir, {
    verifyPassword: () => new Promise((end) => ends.push(() => end(true))),
  })
  await site.addLink({ slug: 'a', password_hash: hash })
  const other = 2 * SEQS_PER_WORKSPACE + 1
  await site.addLink({ slug: 'b', password_hash: hash, seq: other, workspace_no: 2 })
  const flood = Array.from({ length: 200 }, () => post('/a', 'x'))
  await Bun.sleep(0)
  const visit = post('/b', 'x')
  let over = false
  const all = Promise.all([...flood, visit]).finally(() => {
    over = true
  })
  while (!over) {
    ends.shift()?.()
    await Bun.sleep(0)
  }
  const statuses = (await all).map(({ status }) => status)
  expect(statuses.at(-1)).toBe(303)
  expect(statuses.filter((status) => status === 503).length).toBeGreaterThan(100)
})
