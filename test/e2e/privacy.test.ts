import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import ipaddr from 'ipaddr.js'
import { eventually } from '../harness/eventually.ts'
import { type Slugline, startSlugline } from '../harness/process.ts'
import { filesIn, testStore } from '../harness/store.ts'

/** Full addresses whose bytes are unlikely to occur in text or in small numbers. */
const VISITORS = [
  '151.217.133.241',
  '185.193.251.198',
  '217.239.167.135',
  '2a01:4f8:c17:e4b2:9d3a:71c6:58ef:a0d4',
  '2001:8d8:9f3:b7e1:f2a9:8cd6:e5b4:97fa',
  '2002:b9c1:fbc6:d4e8:a1b9:c3f7:85ed:9b20',
]
const MAPPED = ['::ffff:188.213.246.159', '::ffff:d5ef:cbe9']
const STRANGERS = ['193.227.194.223', '195.238.205.177', '2a02:6b8:d4c3:fe91:a7b5:e3d2:94c8:b6fa']
/** The 6to4 visitor's own IPv4 address, and the second mapped one's. */
const HIDDEN = ['185.193.251.198', '188.213.246.159', '213.239.203.233']
const ADDRESSES = [...new Set([...VISITORS, ...STRANGERS, ...HIDDEN])]

const BROWSER = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0'

/** An address in every form in which it might be stored. */
function formsOf(text: string): Buffer[] {
  const address = ipaddr.parse(text)
  const bytes = Buffer.from(address.toByteArray())
  const reversed = Buffer.from(bytes).reverse()
  const hex = bytes.toString('hex')
  const forms = [
    text,
    address.toNormalizedString(),
    address.toString(),
    hex,
    bytes.toString('base64'),
  ]
  if (address.kind() === 'ipv4') {
    const mapped = ipaddr.parse(`::ffff:${text}`)
    // Inside an IPv6 address: mapped, 6to4, NAT64.
    forms.push(`${hex.slice(0, 4)}:${hex.slice(4)}`)
    forms.push(String(bytes.readUInt32BE()), mapped.toString(), text.replaceAll('.', '-'))
  } else {
    const groups = address.toNormalizedString().split(':')
    const full = groups.map((group) => group.padStart(4, '0'))
    // What follows the /48 is enough to identify someone.
    forms.push(full.join(':'), groups.slice(3).join(':'), full.slice(3).join(''))
  }
  const texts = forms.flatMap((form) => [form, form.toUpperCase()])
  const packed =
    address.kind() === 'ipv4' ? [bytes, reversed] : [bytes, reversed, bytes.subarray(6)]
  return [...texts.map((form) => Buffer.from(form)), ...packed]
}

const FORMS = ADDRESSES.map((address) => ({ address, forms: formsOf(address) }))

/** Which addresses are in a content, and where. */
function findings(place: string, content: Buffer): string[] {
  return FORMS.flatMap(({ address, forms }) =>
    forms
      .filter((form) => content.includes(form))
      .map((form) => `${address} as ${form.toString('latin1')} in ${place}`),
  )
}

/** Searches files, of which some must have these endings. */
function search(
  files: readonly { file: string; bytes: Buffer }[],
  expected: readonly string[],
): string[] {
  for (const name of expected) expect(files.map(({ file }) => file).join('\n')).toContain(name)
  return files.flatMap(({ file, bytes }) => findings(file, bytes))
}

/** The processes' directory for temporary files. */
const temporary = mkdtempSync(join(tmpdir(), 'slugline-privacy-'))
let slugline: Slugline
let key: string
let link: { id: string }
const answers: Buffer[] = []

/** An address in an unusual notation: upper case, all zeros, with a port. */
function otherSpelling(text: string): string {
  const address = ipaddr.parse(text)
  if (address.kind() === 'ipv4') return `${text}:50123`
  const groups = address.toNormalizedString().split(':')
  return `[${groups.map((group) => group.padStart(4, '0')).join(':')}]:50123`.toUpperCase()
}

/** Sends a request as a proxy for an address, and keeps the response. */
async function ask(path: string, from: string, init: RequestInit = {}): Promise<Response> {
  const headers = new Headers(init.headers)
  headers.set('x-forwarded-for', from)
  headers.set('forwarded', `for="[${from}]";proto=https`)
  headers.set('x-real-ip', from)
  if (!headers.has('user-agent')) headers.set('user-agent', BROWSER)
  const answer = await fetch(slugline.url + path, { redirect: 'manual', ...init, headers })
  answers.push(Buffer.from(JSON.stringify([path, [...answer.headers]])))
  answers.push(Buffer.from(await answer.clone().arrayBuffer()))
  return answer
}

const asKey = () => ({ authorization: `Bearer ${key}`, 'content-type': 'application/json' })

async function makeLink(from: string, body: Record<string, unknown>): Promise<{ id: string }> {
  const method = 'POST'
  const answer = await ask('/api/v1/links', from, {
    method,
    headers: asKey(),
    body: JSON.stringify(body),
  })
  expect(answer.status).toBe(201)
  return (await answer.json()) as { id: string }
}

/** Waits until the journal is processed. */
async function settled(): Promise<void> {
  await eventually('all clicks are counted and stored', async () => {
    const text = await (await fetch(`${slugline.url}/metrics`)).text()
    const backlogs = text.match(/^slugline_\w*backlog_bytes(?:\{[^}]*\})? \S+$/gm) ?? []
    return backlogs.length > 0 && backlogs.every((line) => line.endsWith(' 0')) ? true : undefined
  })
}

beforeAll(async () => {
  slugline = await startSlugline({
    TRUSTED_PROXIES: '127.0.0.1',
    LOG_LEVEL: 'debug',
    TMPDIR: temporary,
    ANONYMOUS_REQUESTS_PER_MINUTE: '3',
  })
  key = (await slugline.createKey()).key
  const someone = STRANGERS[0] as string
  link = await makeLink(someone, { destination_url: 'https://example.com/', slug: 'a' })
  await makeLink(someone, {
    destination_url: 'https://example.com/',
    slug: 'p',
    password: 'secret',
  })
  await makeLink(someone, { destination_url: 'https://example.com/', slug: 'm', max_clicks: 1 })
  await makeLink(someone, { destination_url: 'https://example.com/', slug: 'd', enabled: false })
})

afterAll(async () => {
  await slugline.dispose()
  rmSync(temporary, { recursive: true, force: true })
})

test('the search finds an address in each notation', () => {
  for (const { address, forms } of FORMS) {
    for (const form of forms) {
      const place = Buffer.concat([Buffer.from('before'), form, Buffer.from('after')])
      expect(findings('here', place).join()).toContain(address)
    }
  }
  const networks = '151.217.133.0 2a01:4f8:c17:: 2001:8d8:9f3:: 2002:b9c1:fb00::'
  expect(findings('here', Buffer.from(networks))).toEqual([])
})

test('no full address is stored anywhere', async () => {
  const headers = { 'accept-language': 'de', referer: 'https://news.example/today' }
  for (const from of [...VISITORS, ...MAPPED]) {
    for (const path of [
      '/a',
      '/a?qr=1&utm_source=x',
      '/m',
      '/d',
      '/nothing',
      '/a+',
      '/%zz',
      '/a/b',
    ]) {
      await ask(path, from, { headers })
    }
    await ask('/a', `${from}, nonsense`)
    // The same visitor, in another proxy's notation.
    await ask('/a', otherSpelling(from))
    await ask('/a', from, { headers: { 'sec-gpc': '1' } })
    await ask('/a', from, { headers: { 'user-agent': 'curl/8.5.0' } })
    const body = new URLSearchParams({ password: 'wrong' })
    await ask('/p', from, { method: 'POST', body })
    await ask('/p', from, { method: 'POST', body: new URLSearchParams({ password: 'secret' }) })
    await ask('/p', from, { method: 'POST', body: 'x'.repeat(20_000) })
    await ask('/a', from, { method: 'DELETE' })
    await ask('/nothing', from, { headers: { accept: 'application/json' } })
  }
  for (const from of STRANGERS) {
    for (let i = 0; i < 5; i++) await ask('/api/v1/links', from)
    await ask('/api/v1/links', from, { headers: { authorization: 'Bearer slug_wrong' } })
    await ask('/api/v1/nothing', from)
    for (const body of [
      '{',
      '{"destination_url":1}',
      '{"destination_url":"https://e.com","slug":"a"}',
    ]) {
      await ask('/api/v1/links', from, { method: 'POST', headers: asKey(), body })
    }
    for (const path of ['/app', '/app/api/v1/session', '/app/api/auth/get-session', '/livez']) {
      await ask(path, from)
    }
    const sign = JSON.stringify({ email: 'ann@example.com', password: 'not the right one' })
    const json = { 'content-type': 'application/json', origin: slugline.url }
    await ask('/app/api/auth/sign-in/email', from, { method: 'POST', headers: json, body: sign })
  }
  await settled()

  const counted = await ask(`/api/v1/links/${link.id}`, STRANGERS[0] as string, {
    headers: asKey(),
  })
  const { clicks } = (await counted.json()) as { clicks: { unique: number; human: number } }
  // Proves that their addresses were used: none was mistaken for another, nor for the proxy, which
  // the visits with a broken list came from.
  expect(clicks.unique).toBe(VISITORS.length + MAPPED.length + 1)

  const from = STRANGERS[1] as string
  for (const path of [
    'stats',
    'stats/country',
    'stats/referrer',
    'clicks',
    'clicks.csv',
    'clicks.ndjson',
    'clicks.parquet',
  ]) {
    await ask(`/api/v1/links/${link.id}/${path}`, from, { headers: asKey() })
  }
  for (const path of ['/readyz', '/metrics', '/api/v1/stats', '/api/v1/links']) {
    await ask(path, from, { headers: asKey() })
  }

  const kept = {
    embedded: ['slugline.db', 'counters.db', 'statistics.duckdb'],
    postgres: ['PG_VERSION', 'pg_wal/'],
    clickhouse: ['PG_VERSION', 'pg_wal/', '.bin'],
  }[testStore]
  expect(search(await slugline.files(), [...kept, '.log'])).toEqual([])
  expect(search(filesIn(temporary), [])).toEqual([])
  expect(await slugline.stop()).toBe(0)
  expect(search(await slugline.files(), kept)).toEqual([])
  // Nor networks and agents for longer than it takes.
  const inJournal = filesIn(slugline.dataDir).filter(
    ({ file, bytes }) =>
      file.includes('/journal/') && !file.endsWith('/journal/instance') && bytes.length > 0,
  )
  expect(inJournal).toEqual([])
  expect(findings('the logs', Buffer.from(slugline.output()))).toEqual([])
  expect(findings('the answers', Buffer.concat(answers))).toEqual([])
  expect(answers.length).toBeGreaterThan(100)
})
