import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { eventually } from '../../../test/harness/eventually.ts'
import { type Api, type Caller, createApi } from '../../http/index.ts'
import { createIds } from '../../lib/base/ids.ts'
import { silentLogger } from '../../lib/base/logger.ts'
import { systemRandom } from '../../lib/base/random.ts'
import { SEQS_PER_WORKSPACE } from '../../platform/storage/index.ts'
import { testDialect } from '../../platform/storage/testing/database.ts'
import { DEFAULT_PLANS } from '../plans/defaults.ts'
import { EXPORTS_PER_WORKSPACE } from './export.ts'
import { registerLinkExportRoutes } from './export-routes.ts'
import { registerLinkRoutes } from './routes.ts'
import type { Link } from './schemas.ts'
import { createTestLinks, type TestLinks } from './testing/links.ts'

const URL_A = 'https://a.example/'
let links: TestLinks
let api: Api
beforeAll(async () => {
  links = await createTestLinks({ few: 40 })
  const { storage, clock } = links
  const plan = DEFAULT_PLANS.find(({ id }) => id === 'unlimited')
  if (plan === undefined) throw new Error('There is no such plan')
  api = createApi({
    storage,
    clock,
    logger: silentLogger,
    ids: createIds(clock, systemRandom),
    async authenticate(credential): Promise<Caller | null> {
      const no = Number(credential)
      const scopes = new Set(no > 2 ? (['links:write'] as const) : (['links:read'] as const))
      return {
        kind: 'api_key',
        keyId: 'key',
        scopes,
        workspace: { no, id: `wsp_${no}`, language: null, plan },
      }
    },
    clientAddress: (peer) => peer,
    anonymousPerMinute: 600,
    baseUrl: 'https://s.example',
  })
  registerLinkRoutes(api, { links: links.service })
  registerLinkExportRoutes(api, { links: links.service, clock })
})
afterAll(() => links.close())

const get = (path: string, { key = 1, method = 'GET' } = {}) =>
  api.fetch(
    new Request(`http://localhost:3000/api/v1/${path}`, {
      method,
      headers: { Authorization: `Bearer ${key}` },
    }),
    { peer: '192.0.2.1' },
  )

async function ndjson(query = '', key = 1): Promise<Link[]> {
  const text = await (await get(`links.ndjson${query}`, { key })).text()
  return text
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line))
}

/** The records of a CSV file (RFC 4180), by column. */
async function csv(query = ''): Promise<Record<string, string>[]> {
  const text = await (await get(`links.csv${query}`)).text()
  const rows: string[][] = [[]]
  for (const [, quoted, plain = '', end] of text.matchAll(
    /(?:"((?:[^"]|"")*)"|([^,"\r\n]*))(,|\r\n)/g,
  )) {
    rows.at(-1)?.push(quoted === undefined ? plain : quoted.replaceAll('""', '"'))
    if (end === '\r\n') rows.push([])
  }
  const [names = [], ...records] = rows.slice(0, -1)
  return records.map((cells) => Object.fromEntries(cells.map((cell, i) => [names[i], cell])))
}

/** All links of the list, by its cursors. */
async function listed(query: Record<string, string> = {}): Promise<Link[]> {
  const all: Link[] = []
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const page = await links.list({ ...query, limit: '100', ...(cursor && { cursor }) })
    all.push(...page.data)
    cursor = page.pagination.next_cursor
  }
  return all
}

describe('an export of links', () => {
  test('has every writable field, like the API', async () => {
    const link = await links.create({
      destination_url: 'https://a.example/ü?x=1',
      slug: 'Every',
      aliases: ['Other'],
      title: '=SUM(A1), "quoted" and more',
      notes: 'two\nlines',
      tags: ['b, c', 'a'],
      external_id: '-4711',
      enabled: false,
      redirect_status: 308,
      starts_at: '2026-01-01T00:00:00Z',
      expires_at: '2036-01-01T00:00:00Z',
      max_clicks: 9,
      fallback_url: 'https://a.example/over',
      password: 'open sesame',
    })
    const [exported] = await ndjson('?search=Every')
    const { status, block, short_url, clicks, last_clicked_at, updated_at, version, ...rest } = link
    expect(exported).toEqual({ ...rest, 'clicks.imported': clicks.imported } as unknown as Link)
    expect(exported).not.toHaveProperty('password')
    const [row] = await csv('?search=Every')
    expect(row).toMatchObject({
      id: link.id,
      slug: 'Every',
      aliases: '["Other"]',
      tags: JSON.stringify(link.tags),
      title: `'${link.title}`,
      notes: 'two\nlines',
      external_id: `'-4711`,
      enabled: 'false',
      redirect_status: '308',
      has_password: 'true',
    })
    const [raw] = await csv('?search=Every&raw=true')
    expect(raw).toMatchObject({ title: link.title as string, external_id: '-4711' })
    expect(Object.keys(raw ?? {})).toEqual(Object.keys(exported ?? {}))
  })

  test('has any texts like the API', async () => {
    const text = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 40 })
    await fc.assert(
      fc.asyncProperty(text, fc.array(text, { maxLength: 4 }), async (title, tags) => {
        const made = await links
          .create({ destination_url: URL_A, title, tags: tags.map((tag) => tag.slice(0, 20)) }, 1)
          // Some texts aren't valid in a link.
          .catch(() => null)
        if (made === null) return
        const after = new Date(Date.parse(made.created_at)).toISOString()
        const found = (await ndjson(`?created_after=${after}`)).find(({ id }) => id === made.id)
        expect([found?.title, found?.tags]).toEqual([made.title, made.tags])
        const rows = await csv(`?created_after=${after}&raw=true`)
        const row = rows.find(({ id }) => id === made.id)
        expect(row?.title).toBe(made.title ?? '')
        expect(JSON.parse(row?.tags ?? '')).toEqual(made.tags)
      }),
      { numRuns: testDialect === 'sqlite' ? 40 : 10 },
    )
  })

  test('has the same links as the list, in the same order, with any filter', async () => {
    for (let n = 0; n < 620; n++) {
      await links.create({
        destination_url: `https://a.example/${n}`,
        slug: `many-${n}`,
        tags: n % 3 === 0 ? ['third'] : [],
        enabled: n % 7 !== 0,
      })
      links.clock.ms += 1_000
    }
    const queries: Record<string, string>[] = [
      {},
      { sort: 'slug', order: 'asc' },
      { sort: 'updated_at', order: 'desc' },
      { sort: 'clicks', order: 'asc' },
      { tag: 'third' },
      { status: 'disabled', order: 'asc' },
      { search: 'many-61' },
      { created_after: new Date(links.clock.ms - 300_000).toISOString() },
      { search: 'nothing has this' },
    ]
    for (const query of queries) {
      const expected = (await listed(query)).map(({ id }) => id)
      const exported = await ndjson(`?${new URLSearchParams(query)}`)
      expect(exported.map(({ id }) => id)).toEqual(expected)
    }
  }, 120_000)

  test('is of one workspace, needs the scope, and has no pages', async () => {
    await links.create({ destination_url: URL_A, slug: 'strange' }, 2)
    expect((await ndjson('', 2)).map(({ slug }) => slug)).toEqual(['strange'])
    expect(await ndjson('?search=strange')).toEqual([])
    expect((await get('links.csv', { key: 3 })).status).toBe(403)
    for (const [query, code] of [
      ['limit=5', 'UNKNOWN_PARAMETER'],
      ['cursor=x', 'UNKNOWN_PARAMETER'],
      ['status=odd', 'INVALID_VALUE'],
    ]) {
      const answer = await get(`links.csv?${query}`)
      const { error } = (await answer.json()) as { error: { details: { code: string }[] } }
      expect([answer.status, error.details[0]?.code]).toEqual([422, code])
    }
    expect((await get('links.ndjson?raw=true')).status).toBe(422)
  })

  test('supports HEAD, has a file name, and is audited', async () => {
    const entries = async () =>
      (
        await links.storage.read.db
          .selectFrom('audit')
          .select(['target_id', 'after'])
          .where('action', '=', 'links.exported')
          .where('seq', '<', 2 * SEQS_PER_WORKSPACE)
          .orderBy('seq')
          .execute()
      ).map(({ target_id, after }) => [target_id, JSON.parse(after)])
    const before = (await entries()).length
    const head = await get('links.csv', { method: 'HEAD' })
    expect([head.status, await head.text()]).toEqual([200, ''])
    expect(head.headers.get('content-length')).toBeNull()
    expect(head.headers.get('content-type')).toBe('text/csv; charset=utf-8; header=present')
    expect(head.headers.get('content-disposition')).toBe('attachment; filename="links.csv"')
    expect(await entries()).toHaveLength(before)
    await (await get('links.csv?search=x')).text()
    expect((await entries()).slice(before)).toEqual([['links.csv', { search: 'x', format: 'csv' }]])
  })

  test('is generated as the client reads it; a workspace may have a limited number open', async () => {
    const open: { cancel(): Promise<void> }[] = []
    for (let n = 0; n < EXPORTS_PER_WORKSPACE; n++) {
      const reader = (await get('links.ndjson')).body?.getReader()
      if (reader !== undefined) open.push(reader)
    }
    const refused = await get('links.csv')
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '10'])
    expect((await get('links.csv', { key: 2 })).status).toBe(200)
    for (const reader of open) await reader.cancel()
    const again = await eventually('the places are free', async () => {
      const answer = await get('links.ndjson')
      return answer.ok ? answer : undefined
    })
    const { value: first } = (await again.body?.getReader().read()) ?? {}
    // One page of it, not all.
    expect(new TextDecoder().decode(first).split('\n').length - 1).toBe(100)
  })

  test('of the history has the entries of all existing and restorable links', async () => {
    const made = await links.create({ destination_url: URL_A, slug: 'past' })
    await links.patch(made.id, { title: 'T' })
    const gone = await links.create({ destination_url: URL_A, slug: 'gone' })
    await links.remove(gone.id)
    const text = await (await get('history.ndjson')).text()
    const all = text
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line))
    for (const id of [made.id, gone.id]) {
      const { data } = await links.history(id)
      expect(all.filter(({ link_id }) => link_id === id)).toEqual(
        data.map((entry) => ({ link_id: id, ...entry })),
      )
    }
    // All entries, over many pages, newest first, and no others.
    const numbers = all.map(({ id }) => Number(id.slice(4)))
    expect(numbers).toEqual(numbers.toSorted((a, b) => b - a))
    expect(new Set(all.map(({ link_id }) => link_id)).size).toBe((await listed()).length + 1)
    links.clock.ms += 8 * 86_400_000
    const later = await (await get('history.ndjson')).text()
    expect(later).toContain(made.id)
    expect(later).not.toContain(gone.id)
    expect(await (await get('history.ndjson', { key: 2 })).text()).not.toContain(made.id)
  })
})
