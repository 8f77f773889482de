import { afterEach, beforeEach, expect, test } from 'bun:test'
import { createTestImports, type TestImports } from './testing/site.ts'

let site: TestImports
beforeEach(async () => {
  site = await createTestImports()
})
afterEach(() => site.close())

const DAY_MS = 86_400_000
const iso = (ms: number) => new Date(ms).toISOString()
const createdBySlug = async () =>
  Object.fromEntries(
    (await site.links.list({ limit: '100' })).data.map(({ slug, created_at }) => [
      slug,
      created_at,
    ]),
  )

test('a mapped date becomes the link’s, in the orders that files write it', async () => {
  const mapping = JSON.stringify({ destination_url: 'Ziel', slug: 'Name', created_at: 'Seit' })
  const lines = [
    'Ziel,Name,Seit',
    'https://a.example/,iso,2024-05-06T07:08:09+02:00',
    'https://a.example/,dots,06.05.2024',
    'https://a.example/,unix,1714978800',
    'https://a.example/,slashes,25/12/2023',
    'https://a.example/,none,',
  ]
  const query = `mapping=${encodeURIComponent(mapping)}`
  const done = await site.finished(await site.upload(lines.join('\n'), 'csv', query))
  expect(done.result).toMatchObject({ created: 5, refused: 0 })
  expect(await createdBySlug()).toEqual({
    iso: '2024-05-06T05:08:09.000Z',
    dots: '2024-05-06T00:00:00.000Z',
    unix: '2024-05-06T07:00:00.000Z',
    slashes: '2023-12-25T00:00:00.000Z',
    none: iso(site.clock.now()),
  })
  const { data } = await site.links.list({ created_before: '2024-01-01' })
  expect(data.map(({ slug }) => slug)).toEqual(['slashes'])
})

test('`auto` knows it in the exports of other products', async () => {
  for (const [text, kind] of [
    ['bitlink,long_url,created_at\nbit.ly/bitly,https://a.example/,2021-02-03', 'csv'],
    ['shortCode,longUrl,dateCreated\nshlink,https://a.example/,2021-02-03T00:00:00Z', 'csv'],
    ['keyword,url,timestamp\nyourls,https://a.example/,2021-02-03 00:00:00', 'csv'],
    ['url,slug,createdAt,updatedAt\nhttps://a.example/,sink,1612310400,1700000000', 'csv'],
    ['Long URL,Slug,Date created\nhttps://a.example/,own,2021-02-03', 'csv'],
  ] as const) {
    const done = await site.finished(await site.upload(text, kind))
    expect(done.result).toMatchObject({ created: 1 })
  }
  expect(new Set(Object.values(await createdBySlug()))).toEqual(
    new Set(['2021-02-03T00:00:00.000Z']),
  )
})

test('a future or unreadable date is refused, in a dry run too', async () => {
  const now = site.clock.now()
  const lines = [
    'url,slug,created_at',
    `https://a.example/,future,${iso(now + DAY_MS)}`,
    'https://a.example/,unreadable,soon',
    'https://a.example/,ambiguous,01/02/2024',
    `https://a.example/,past,${iso(now - DAY_MS)}`,
  ]
  for (const query of ['dry_run=true', '']) {
    const done = await site.finished(await site.upload(lines.join('\n'), 'csv', query))
    expect(done.result).toMatchObject({ created: 1, refused: 3 })
    const rows = await site.rows(done.id, '&status=refused')
    expect(rows.map((row) => row.reasons.map(({ field, code }) => `${field} ${code}`))).toEqual([
      ['created_at DATE_IN_FUTURE'],
      ['created_at INVALID_TIMESTAMP'],
      ['created_at INVALID_TIMESTAMP'],
    ])
  }
})

test('an update leaves the date as it is, and an undo removes the link', async () => {
  const line = (day: string) => `url,slug,title,created_at\nhttps://a.example/,one,${day},${day}`
  await site.finished(await site.upload(line('2020-01-01')))
  const update = await site.upload(line('2021-01-01'), 'csv', 'on_conflict=update')
  const second = await site.finished(update)
  expect(second.result).toMatchObject({ updated: 1 })
  expect(await createdBySlug()).toEqual({ one: '2020-01-01T00:00:00.000Z' })
  await site.finished(await site.send('POST', `/api/v1/imports/${second.id}/undo`))
  expect(await createdBySlug()).toEqual({ one: '2020-01-01T00:00:00.000Z' })
  const other = 'url,slug,created_at\nhttps://a.example/,two,2020-01-01'
  const third = await site.finished(await site.upload(other))
  await site.finished(await site.send('POST', `/api/v1/imports/${third.id}/undo`))
  expect(Object.keys(await createdBySlug())).toEqual(['one'])
})

test('Slugline’s own export is new here, unless the column is mapped', async () => {
  const line =
    'id,destination_url,slug,redirect_status,created_at\nlnk_1,https://a.example/,one,302,2020-01-01T00:00:00.000Z'
  await site.finished(await site.upload(line))
  expect(await createdBySlug()).toEqual({ one: iso(site.clock.now()) })
  const [{ id } = { id: '' }] = (await site.links.list()).data
  await site.links.remove(id)
  const fields = ['destination_url', 'slug', 'created_at']
  const mapping = JSON.stringify(Object.fromEntries(fields.map((name) => [name, name])))
  await site.finished(await site.upload(line, 'csv', `mapping=${encodeURIComponent(mapping)}`))
  expect(await createdBySlug()).toEqual({ one: '2020-01-01T00:00:00.000Z' })
})
