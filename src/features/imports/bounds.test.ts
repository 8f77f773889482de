import { afterEach, describe, expect, test } from 'bun:test'
import { gzipSync } from 'node:zlib'
import { eventually } from '../../../test/harness/eventually.ts'
import { createLoopWatch } from '../../../test/harness/loop-watch.ts'
import { createOutgoing } from '../../platform/outgoing/index.ts'
import { insertRows } from './store.ts'
import { startService } from './testing/services.ts'
import { createTestImports, type ShownJob, type TestImports } from './testing/site.ts'

const TOKEN = 'a-secret-token'
/** Nothing may hold up redirects for longer. */
const HOLD_MAX_MS = 250
const closing: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
})

async function siteWith(deps: Parameters<typeof createTestImports>[0] = {}): Promise<TestImports> {
  const outgoing = createOutgoing({ allowedNetworks: ['127.0.0.0/8'] })
  const site = await createTestImports({ outgoing, ...deps })
  closing.push(site.close)
  return site
}

function serve(...args: Parameters<typeof startService>) {
  const service = startService(...args)
  closing.push(service.stop)
  return service
}

const start = (site: TestImports, source: string, base_url: string) =>
  site.send('POST', '/api/v1/imports/remote', { body: { source, base_url, token: TOKEN } })

const importAll = async (site: TestImports, source: string, url: string): Promise<ShownJob> =>
  site.finished(await start(site, source, url))

const codeOf = ({ status, error }: ShownJob) => [status, error?.code]

/** The longest time that the event loop was held up while `work` ran. */
async function holdOf<T>(work: () => Promise<T>): Promise<{ value: T; longestMs: number }> {
  const watch = createLoopWatch()
  const value = await work()
  return { value, longestMs: watch.stop() }
}

/** A page of Shlink's. */
const pageOf = (data: unknown[], pagesCount = 1) => ({
  shortUrls: { data, pagination: { pagesCount, totalItems: data.length } },
})
const links = (from: number, count: number) =>
  Array.from({ length: count }, (_, n) => ({
    shortCode: `s${from + n}`,
    longUrl: `https://example.org/${from + n}`,
  }))
const pageNo = (url: URL) => Number(url.searchParams.get('page'))

test('a workspace may have four exports of rows open', async () => {
  const site = await siteWith()
  const done = await site.finished(await site.upload('url,slug\nhttps://example.org/,one\n'))
  const get = () => site.send('GET', `/api/v1/imports/${done.id}/rows.csv`)
  const open = [await get(), await get(), await get(), await get()]
  const refused = await get()
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '10'])
  for (const answer of open) expect((await answer.text()).split('\r\n')).toHaveLength(3)
  const again = await eventually('a place is free', async () => {
    const answer = await get()
    return answer.ok ? answer : undefined
  })
  await again.body?.cancel()
})

test('an export of rows with many reasons doesn’t hold the event loop', async () => {
  const site = await siteWith()
  const { id } = await site.finished(await site.upload('url,slug\nhttps://example.org/,one\n'))
  const reasons = Array.from({ length: 50 }, (_, i) => ({
    field: `aliases[${i}]`,
    code: 'OUT_OF_RANGE',
    params: { min: 1, max: 1_000 + i },
  }))
  const row = { job_id: id, status: 'refused', slug: null, destination_url: null } as const
  const rest = { link_id: null, version_before: null, version: null, clicks_before: null }
  const undone = { undo: null, reasons: JSON.stringify(reasons) }
  for (let n = 2; n <= 2_000; n += 100) {
    const rows = Array.from({ length: 100 }, (_, i) => ({ ...row, ...rest, ...undone, n: n + i }))
    await site.storage.write((tx) => insertRows(tx, rows))
  }
  const { value, longestMs } = await holdOf(async () => {
    const text = await (await site.send('GET', `/api/v1/imports/${id}/rows.csv`)).text()
    // The timer of the watch has its turn.
    await Bun.sleep(5)
    return text
  })
  expect(value.split('\r\n').length).toBeGreaterThan(2_000)
  expect(longestMs).toBeLessThan(HOLD_MAX_MS)
})

test.each([
  [5, { deleted: 1, restored: 5, kept: 0 }, []],
  [4, { deleted: 0, restored: 0, kept: 6 }, ['https://example.org/5']],
])('at most %i changes of a link are undone, all or none', async (undoReach, result, left) => {
  const site = await siteWith({ undoReach })
  const rows = Array.from({ length: 6 }, (_, n) => `https://example.org/${n},same\n`)
  const text = `url,slug\n${rows.join('')}`
  const done = await site.finished(await site.upload(text, 'csv', 'on_conflict=update'))
  expect(done.result).toMatchObject({ created: 1, updated: 5 })
  const undone = await site.finished(await site.send('POST', `/api/v1/imports/${done.id}/undo`))
  expect(undone.result).toMatchObject(result)
  const { data } = await site.links.list()
  expect(data.map((link) => link.destination_url)).toEqual(left)
})

test.each([1.5, -1, 1e300, '1e400', 'many'])(
  'a total of %p is none: only counts can be stored',
  async (totalItems) => {
    const site = await siteWith()
    const pagination = { pagesCount: 1, totalItems }
    const { url } = serve(() => ({ shortUrls: { data: links(0, 1), pagination } }))
    const { status, progress } = await importAll(site, 'shlink', url)
    expect([status, progress]).toEqual(['succeeded', { done: 1, total: null, failed: 0 }])
  },
)

describe('a page of another service', () => {
  test('of a million records ends the import, and delays no other work', async () => {
    const site = await siteWith()
    const body = `{"shortUrls":{"data":[${'{"u":1},'.repeat(999_999)}{"u":1}]}}`
    const { url } = serve(() => new Response(body))
    const { value, longestMs } = await holdOf(() => importAll(site, 'shlink', url))
    expect(codeOf(value)).toEqual(['failed', 'SOURCE_TOO_LARGE'])
    expect(longestMs).toBeLessThan(HOLD_MAX_MS)
    expect(await site.rows(value.id)).toEqual([])
  }, 240_000)

  test('that doesn’t end is cut off while it arrives', async () => {
    const site = await siteWith()
    let sent = 0
    const endless = () =>
      new ReadableStream({
        pull(controller) {
          sent += 65_536
          controller.enqueue(new Uint8Array(65_536).fill(32))
        },
      })
    const { url } = serve(() => new Response(endless()))
    expect(codeOf(await importAll(site, 'shlink', url))).toEqual(['failed', 'SOURCE_TOO_LARGE'])
    expect(sent).toBeLessThan(64 * 1024 * 1024)
  })

  test('isn’t decompressed', async () => {
    const site = await siteWith()
    const bomb = gzipSync(Buffer.alloc(64 * 1024 * 1024, 32))
    const seen: (string | null)[] = []
    const { url } = serve((_, { headers }) => {
      seen.push(headers.get('accept-encoding'))
      return new Response(bomb, { headers: { 'Content-Encoding': 'gzip' } })
    })
    expect(codeOf(await importAll(site, 'shlink', url))).toEqual(['failed', 'SOURCE_FAILED'])
    expect(seen).toEqual(['identity'])
  })

  test('that nests without end is refused', async () => {
    const site = await siteWith()
    const deep = '['.repeat(200_000) + ']'.repeat(200_000)
    const { url } = serve(
      () => new Response(`{"shortUrls":{"data":[{"longUrl":"https://example.org/","x":${deep}}]}}`),
    )
    const { value, longestMs } = await holdOf(() => importAll(site, 'shlink', url))
    expect(codeOf(value)).toEqual(['failed', 'SOURCE_TOO_LARGE'])
    expect(longestMs).toBeLessThan(HOLD_MAX_MS)
  })

  test('with records that can’t be links refuses only these', async () => {
    const site = await siteWith()
    const data = [
      '{"longUrl":[[["https://example.org/1"]]],"shortCode":[[1]],"tags":[[[1]]]}',
      `{"longUrl":"https://example.org/2","x":"${'x'.repeat(1_000_000)}"}`,
      `{"longUrl":${JSON.stringify(Object.fromEntries(Array.from({ length: 5_000 }, (_, n) => [n, n])))}}`,
      '{"longUrl":{"toString":1},"shortCode":{"valueOf":null,"toString":null},"tags":[{"name":{"toString":1}}]}',
      '{"longUrl":"https://example.org/\\u0000","shortCode":"a\\u0000b"}',
      '{"longUrl":"https://example.org/5","shortCode":"kept"}',
    ]
    const { url } = serve(() => new Response(`{"shortUrls":{"data":[${data.join(',')}]}}`))
    const { value, longestMs } = await holdOf(() => importAll(site, 'shlink', url))
    expect(value.result).toEqual({ created: 1, updated: 0, skipped: 0, refused: 5 })
    const rows = await site.rows(value.id)
    expect(rows.map(({ status }) => status)).toEqual([...Array(5).fill('refused'), 'created'])
    expect(longestMs).toBeLessThan(HOLD_MAX_MS)
  })
})

describe('a service without an end', () => {
  test.each([1, 3])('that repeats %d pages is left', async (cycle) => {
    const site = await siteWith()
    const { url, asked } = serve((at) =>
      pageOf(links((pageNo(at) % cycle) * 10, 10), Number.MAX_SAFE_INTEGER),
    )
    expect(codeOf(await importAll(site, 'shlink', url))).toEqual(['failed', 'SOURCE_ENDLESS'])
    expect(asked.length).toBeLessThan(20)
  })

  test('whose cursor stays is left', async () => {
    const site = await siteWith()
    const same = links(0, 100).map((link, n) => ({ ...link, id: n === 99 ? 'last' : `l${n}` }))
    const { url, asked } = serve(() => same)
    expect(codeOf(await importAll(site, 'dub', url))).toEqual(['failed', 'SOURCE_ENDLESS'])
    expect(asked).toHaveLength(2)
  })

  test('that always has new links is left after a number of pages', async () => {
    const site = await siteWith({ bounds: { pages: 5 } })
    const { url, asked } = serve((at) => pageOf(links(pageNo(at) * 10, 10), 1e9))
    const done = await importAll(site, 'shlink', url)
    expect(codeOf(done)).toEqual(['failed', 'SOURCE_ENDLESS'])
    expect([done.result?.created, asked.length]).toEqual([50, 5])
  })

  test('that claims more links than it returns ends with its empty page', async () => {
    const site = await siteWith()
    const { url, asked } = serve(() => ({ data: [], total: 1e12 }))
    expect((await importAll(site, 'kutt', url)).status).toBe('succeeded')
    expect(asked).toHaveLength(1)
  })

  test('whose cursor is huge is refused', async () => {
    const site = await siteWith()
    const { url } = serve(() => ({ links: links(0, 1), nextPageToken: 'x'.repeat(100_000) }))
    const { url: own } = serve((at) =>
      at.pathname === '/api/domains' ? [{ id: 1, hostname: 'a.example' }] : Response.redirect(url),
    )
    expect(codeOf(await importAll(site, 'short_io', own))).toEqual(['failed', 'SOURCE_TOO_LARGE'])
  })

  test('is left when the import has taken too long', async () => {
    const site = await siteWith()
    const { url } = serve((at) => {
      site.clock.ms += 13 * 3_600_000
      return pageOf(links(pageNo(at) * 10, 10), 1e9)
    })
    const done = await importAll(site, 'shlink', url)
    expect(codeOf(done)).toEqual(['failed', 'SOURCE_TIMEOUT'])
    expect(done.result?.created).toBe(20)
  })
})

describe('a file', () => {
  const million = 1_000_000
  test.each([
    ['json', `[${'{},'.repeat(million)}{}]`],
    ['ndjson', '{}\n'.repeat(million)],
    ['csv', `url\n${'x\n'.repeat(million)}`],
  ])(
    'of a million records that are refused, %s, delays no other work',
    async (kind, text) => {
      const site = await siteWith()
      const answer = await site.upload(text, kind, 'format=shlink&dry_run=true')
      const { id } = (await answer.clone().json()) as ShownJob
      const { longestMs } = await holdOf(() =>
        eventually('the records are counted, and some are checked', async () => {
          const { progress } = await site.get<ShownJob>(`/api/v1/jobs/${id}`)
          return progress.done >= 500 ? true : undefined
        }),
      )
      await site.send('POST', `/api/v1/jobs/${id}/cancel`)
      expect(longestMs).toBeLessThan(HOLD_MAX_MS)
    },
    240_000,
  )

  test('with too many columns can’t be read', async () => {
    const site = await siteWith()
    const columns = Array.from({ length: 20_000 }, (_, n) => `c${n}`).join(',')
    const text = `url,${columns}\n${`https://example.org/,${','.repeat(19_999)}\n`.repeat(100)}`
    const { value, longestMs } = await holdOf(() => site.upload(text, 'csv', 'format=csv'))
    const { error } = (await value.json()) as { error: { code: string } }
    expect([value.status, error.code]).toEqual([422, 'FILE_UNREADABLE'])
    expect(longestMs).toBeLessThan(HOLD_MAX_MS)
  })

  const deep = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`
  const linkWith = (slug: string, x: string) =>
    `{"destination_url":"https://example.org/","slug":"${slug}","x":${x}}`
  test.each([
    ['a list', (records: string[]) => `[${records}]`],
    ['an object', (records: string[]) => `{"data":[${records}]}`],
    ['a deeper object', (r: string[]) => `{"shortUrls":{"x":${deep(900)},"data":[${r}]},"y":1}`],
    ['lines', (records: string[]) => records.join('\n')],
  ])('whose records are nested too deep is read but for these, in %s', async (kind, around) => {
    const site = await siteWith()
    const records = [
      linkWith('a', deep(60)),
      linkWith('b', deep(100_000)),
      linkWith('c', `{"y":[1,${deep(64)},{"z":2}],"w":[]}`),
      linkWith('d', '1'),
      deep(500),
      linkWith('e', '[[2]]'),
    ]
    const text = around(records)
    const { value, longestMs } = await holdOf(async () => {
      const type = kind === 'lines' ? 'ndjson' : 'json'
      return site.finished(await site.upload(text, type, 'format=csv'))
    })
    expect(value.result).toEqual({ created: 3, updated: 0, skipped: 0, refused: 3 })
    const rows = await site.rows(value.id)
    expect(rows.map(({ slug, reasons }) => slug ?? reasons[0]?.code)).toEqual(
      ['a', null, null, 'd', null, 'e'].map((slug) => slug ?? 'UNREADABLE_RECORD'),
    )
    expect(longestMs).toBeLessThan(HOLD_MAX_MS)
  })

  test.each([
    ['of 150 MB', `{"url":"${'x'.repeat(150_000_000)}"}`],
    ['nested 20,000,000 levels deep', deep(10_000_000)],
  ])(
    'with a record %s can’t be read from there on, and delays no other work',
    async (_, record) => {
      const site = await siteWith()
      const text = `[{"url":"https://example.org/"},${record},{"url":"https://example.org/"}]`
      const answer = await site.upload(text, 'json', 'format=csv')
      const { value, longestMs } = await holdOf(() => site.finished(answer))
      expect(codeOf(value)).toEqual(['failed', 'FILE_UNREADABLE'])
      expect(longestMs).toBeLessThan(HOLD_MAX_MS)
    },
    240_000,
  )

  test.each([
    ['json', (long: string, kept: string) => `[${long},${kept}]`],
    ['ndjson', (long: string, kept: string) => `${long}\n${kept}\n`],
  ])('whose first record is too long is read but for it: %s', async (kind, text) => {
    const site = await siteWith()
    const [long, kept] = ['x'.repeat(900_000), '1'].map((x, n) => linkWith(`s${n}`, `"${x}"`))
    const answer = await site.upload(text(String(long), String(kept)), kind)
    const done = await site.finished(answer)
    expect(done.result).toMatchObject({ created: 1, refused: 1 })
  })

  test('has at most 50 reasons in a row', async () => {
    const site = await siteWith()
    const when = Object.fromEntries(Array.from({ length: 500 }, (_, n) => [`a${n}`, 1]))
    const record = { destination_url: 'https://example.org/', rules: [{ when }] }
    const text = JSON.stringify([record])
    const done = await site.finished(await site.upload(text, 'json', 'format=slugline'))
    const [row] = await site.rows(done.id)
    expect([row?.status, row?.reasons.length]).toEqual(['refused', 50])
  })

  test('whose first record is too long can’t be read', async () => {
    const site = await siteWith()
    const text = `[{"url":"https://example.org/${'x'.repeat(5_000_000)}"}]`
    const answer = await site.upload(text, 'json', 'format=csv')
    const { error } = (await answer.json()) as { error: { code: string } }
    expect([answer.status, error.code]).toEqual([422, 'FILE_UNREADABLE'])
  })

  test('of records that never end can’t be read', async () => {
    const site = await siteWith()
    const text = `[{"url":"https://example.org/"},{"url":"${'x'.repeat(5_000_000)}"}]`
    expect(codeOf(await site.finished(await site.upload(text, 'json', 'format=csv')))).toEqual([
      'failed',
      'FILE_UNREADABLE',
    ])
  })
})
