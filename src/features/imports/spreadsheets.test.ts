import { afterAll, beforeAll, expect, test } from 'bun:test'
import { csvField, withoutApostrophe } from '../../lib/base/csv.ts'
import { registerLinkExportRoutes } from '../links/export-routes.ts'
import { countOf, flagOf, parseNested } from './formats/values.ts'
import { createTestImports, type TestImports } from './testing/site.ts'

let site: TestImports
beforeAll(async () => {
  site = await createTestImports()
  registerLinkExportRoutes(site.api, { links: site.links.service, clock: site.clock })
})
afterAll(() => site.close())

const HEAD = 'destination_url,slug,redirect_status,enabled,archived,expires_at,title\n'
const exported = async (search: string, query = '') =>
  (await site.send('GET', `/api/v1/links.csv?search=${search}${query}`)).text()

/** The cells of a CSV file without line breaks in cells. */
const cells = (line: string) =>
  [...line.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,]*))/g)].map(
    ([, quoted, plain]) => quoted?.replaceAll('""', '"') ?? plain ?? '',
  )
const table = (file: string) => file.trimEnd().split('\r\n').map(cells)
const quoted = (cell: string) => `"${cell.replaceAll('"', '""')}"`

/** How programs write a table again. */
const PROGRAMS: [string, (rows: string[][]) => string][] = [
  ['TRUE', (rows) => rows.map((row) => row.map(upper).map(quoted).join(',')).join('\n')],
  ['WAHR and semicolons', (rows) => rows.map((row) => row.map(german).join(';')).join('\r\n')],
  ['tabs', (rows) => rows.map((row) => row.map(upper).map(quoted).join('\t')).join('\r\n')],
  ['sep', (rows) => `sep=;\r\n${rows.map((row) => row.map(quoted).join(';')).join('\r\n')}`],
  ['old Mac', (rows) => rows.map((row) => row.map(quoted).join(',')).join('\r')],
  [
    'blank rows',
    (rows) => `\ufeff${rows.map((row) => row.map(quoted).join(',')).join('\n')}\n,,,\n,,\n`,
  ],
  [
    'names in capitals',
    ([head = [], ...rows]) =>
      [head.map(shout), ...rows].map((row) => row.map(quoted).join(',')).join('\n'),
  ],
  ['0 and 1', (rows) => rows.map((row) => row.map(zero).map(quoted).join(';')).join('\r\n')],
  [
    'formatted numbers',
    (rows) => rows.map((row) => row.map(comma).map(quoted).join(';')).join('\r\n'),
  ],
]
const shout = (name: string) => name.toUpperCase().replace('_', ' ')
const zero = (cell: string) => ({ true: '1', false: '0' })[cell] ?? cell
const comma = (cell: string) => cell.replace(/^(?:5|302)$/, '$&,00')
const upper = (cell: string) => (/^(true|false)$/.test(cell) ? cell.toUpperCase() : cell)
const german = (cell: string) =>
  quoted(cell)
    .replace(/^"true"$/, 'WAHR')
    .replace(/^"false"$/, 'FALSCH')

test.each(PROGRAMS)(
  'an own export saved by a spreadsheet imports again: %s',
  async (name, save) => {
    const slug = `sheet-${PROGRAMS.findIndex(([each]) => each === name)}`
    const link = await site.links.create({
      destination_url: 'https://example.org/a,b;c',
      slug,
      title: '=1+1',
      tags: ['a', 'b'],
      forward_query: true,
      max_clicks: 5,
      expires_at: '2031-01-31T21:00:00.000Z',
    })
    const file = save(table(await exported(slug)))
    await site.links.remove(link.id)
    const done = await site.finished(await site.upload(file))
    expect([done.result, await site.rows(done.id, '&status=refused')]).toMatchObject([
      { created: 1, refused: 0 },
      [],
    ])
    const [copy] = (await site.links.list({ search: slug })).data
    // Neither is in the file, or comes from elsewhere.
    const { id: _, version: __, created_at: ___, updated_at: ____, notes: _____, ...rest } = link
    const { created_by: ______, ...same } = rest
    expect(copy).toMatchObject(same)
  },
)

test('an update from an own export keeps the password that is there', async () => {
  const link = await site.links.create({
    destination_url: 'https://example.org/',
    slug: 'locked',
    password: 'open sesame',
  })
  const file = (await exported('locked')).replace('https://example.org/', 'https://example.org/2')
  const skipped = await site.finished(await site.upload(file))
  expect(skipped.result).toMatchObject({ skipped: 1, refused: 0 })
  for (const query of ['dry_run=true&on_conflict=update', 'on_conflict=update']) {
    const done = await site.finished(await site.upload(file, 'csv', query))
    expect(done.result).toMatchObject({ updated: 1, refused: 0 })
  }
  const { has_password, destination_url } = (await site.links.list({ search: 'locked' }))
    .data[0] as never
  expect({ has_password, destination_url }).toEqual({
    has_password: true as never,
    destination_url: 'https://example.org/2' as never,
  })
  // Without a password there, the destination would be open to everyone.
  await site.links.patch(link.id, { password: null })
  for (const query of ['on_conflict=update', 'on_conflict=rename']) {
    const [row] = await site.rows((await site.finished(await site.upload(file, 'csv', query))).id)
    expect(row?.reasons.map(({ code }) => code)).toEqual(['PASSWORD_NOT_INCLUDED'])
  }
})

test('a column named in other case keeps its meaning: no link loses its password or its end', async () => {
  const text = `destination_url,slug,redirect_status,Has_Password,EXPIRES_AT
https://a.example/,capital-1,,TRUE,
https://a.example/,capital-2,,false,2031-01-31 21:00
`
  const done = await site.finished(await site.upload(text))
  const [row] = await site.rows(done.id, '&status=refused')
  expect(row?.reasons.map(({ code }) => code)).toEqual(['PASSWORD_NOT_INCLUDED'])
  const { data } = await site.links.list({ search: 'capital' })
  expect(data).toMatchObject([{ slug: 'capital-2', expires_at: '2031-01-31T21:00:00.000Z' }])
})

test.each(['1.23457E+11', '1,23457E+11', '1E+15'])(
  'an external ID that a spreadsheet shortened is refused: %s',
  async (id) => {
    for (const [head, format] of [
      ['destination_url,external_id', 'csv'],
      ['destination_url,slug,redirect_status,external_id', 'slugline'],
    ] as const) {
      const cells = format === 'csv' ? '' : ',,'
      const text = `${head}\nhttps://a.example/${cells},"${id}"\n`
      const done = await site.finished(await site.upload(text, 'csv', `format=${format}`))
      const rows = await site.rows(done.id)
      expect(rows.flatMap(({ reasons }) => reasons)).toMatchObject([
        { field: 'external_id', code: 'INVALID_VALUE' },
      ])
    }
  },
)

test.each([
  ['2024', ['2024']],
  ['a, 7', ['7', 'a']],
  ['["a","b', null],
  ['[“a”,“b”]', null],
])('tags typed or cut in a spreadsheet: %s', async (cell, tags) => {
  const text = `destination_url,slug,redirect_status,tags\nhttps://a.example/,typed-tags,,"${cell.replaceAll('"', '""')}"\n`
  const done = await site.finished(await site.upload(text))
  expect(done.result).toMatchObject({ created: tags === null ? 0 : 1 })
  const [link] = (await site.links.list({ search: 'typed-tags' })).data
  expect(link?.tags ?? null).toEqual(tags)
  if (link !== undefined) await site.links.remove(link.id)
})

test('UTF-16 with a byte order mark is read', async () => {
  const text = `\ufeff${HEAD}https://example.org/ä,utf16-ä,302,TRUE,FALSE,,\n`.replaceAll(',', '\t')
  for (const order of ['le', 'be']) {
    const bytes = Buffer.from(text.replaceAll('utf16', `utf16${order}`), 'utf16le')
    if (order === 'be') bytes.swap16()
    const answer = await site.send('POST', '/api/v1/imports', {
      headers: { 'Content-Type': 'text/csv' },
      body: bytes as never,
    })
    expect((await site.finished(answer)).result).toMatchObject({ created: 1, refused: 0 })
  }
})

const unreadable = async (text: string, kind: string) => {
  const answer = await site.upload(text, kind, 'lang=en')
  const { error } = (await answer.json()) as { error: { code: string; message: string } }
  const [line, column] = [...error.message.matchAll(/\d+/g)].map(([digits]) => Number(digits))
  return [error.code, line, column]
}

test.each([
  ['json', '[{"url":"https://a.example/"\n "slug":"x"}]', 2, 2],
  ['json', '\n\n  [{"url":"ä" "x"}]', 3, 15],
  ['json', '[{"url":"https://a.exa', 1, 23],
  ['json', '{"links":[}', 1, 11],
  ['json', '{"destination_url":"https://a.example/"}', 1, 1],
  ['json', `{"x":${'['.repeat(70_000)}${']'.repeat(70_000)}}`, 1, 1],
  ['json', '"links"', 1, 1],
  ['json', 'null', 1, 1],
  ['json', '{}', 1, 1],
  ['csv', 'url,slug\n"https://a.example/,x\n', 2, 1],
  ['csv', 'sep=;\nurl;slug\n"https://a.example/;x\n', 3, 1],
  ['ndjson', '{"url":"https://a.example/"\n', 1, 1],
])('a %s file that can’t be read is no empty file: %j', async (kind, text, line, column) => {
  expect(await unreadable(text, kind)).toEqual(['FILE_UNREADABLE', line, column])
})

test.each(['[]', ' [ ] ', '{"links":[]}', '{"total":0,"data":[]}', '{"shortUrls":{"data":[]}}'])(
  'a list without records is an empty file: %s',
  async (text) => {
    const { error } = (await (await site.upload(text, 'json')).json()) as {
      error: { details: { code: string }[] }
    }
    expect(error.details.map(({ code }) => code)).toEqual(['EMPTY_FILE'])
  },
)

test('a table of which no row can be read is known by its columns, and each row is refused', async () => {
  const text = 'Long URL,Slug\nhttps://a.example/?a=1,2,x\nhttps://b.example/?a=1,2,y\n'
  const done = await site.finished(await site.upload(text))
  expect(done.result).toEqual({ created: 0, updated: 0, skipped: 0, refused: 2 })
  const rows = await site.rows(done.id)
  expect(rows.map(({ reasons }) => reasons[0]?.code)).toEqual(Array(2).fill('UNREADABLE_RECORD'))
  const other = await site.upload('Adresse,Kürzel\na,b,c\n')
  const { error } = (await other.json()) as { error: { details: { code: string }[] } }
  expect(error.details.map(({ code }) => code)).toEqual(['UNKNOWN_FORMAT'])
})

test('a file that breaks off later says where', async () => {
  const text = `[${'{"url":"https://a.example/"},\n'.repeat(300)}{"url":"https://a.exam`
  const done = await site.finished(await site.upload(text, 'json', 'lang=en'))
  expect(done.error).toMatchObject({
    code: 'FILE_UNREADABLE',
    message: expect.stringContaining('301'),
  })
})

test('one huge cell, or one nested too deep, is one refused row', async () => {
  const huge = `${HEAD}https://a.example/1,,,,,,${'x'.repeat(600_000)}\nhttps://a.example/2,,,,,,\n`
  const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`
  const line = (rules: string) => `{"destination_url":"https://a.example/","rules":${rules}}`
  const files = [
    ['csv', huge],
    [
      'csv',
      `destination_url,slug,redirect_status,rules\nhttps://a.example/,,,${deep}\nhttps://a.example/,,,\n`,
    ],
    ['ndjson', `${line(deep)}\n${line('[]')}\n`],
    ['json', `[${line(`["${'x'.repeat(600_000)}"]`)},${line('[]')}]`],
  ]
  for (const [kind, text] of files) {
    const done = await site.finished(await site.upload(text as string, kind, 'format=slugline'))
    expect([kind, done.error, done.result]).toMatchObject([kind, null, { created: 1, refused: 1 }])
  }
})

test('a record of 150 MB ends the import in bounded memory', async () => {
  const text = `[{"url":"https://a.example/"},{"url":"${'x'.repeat(150_000_000)}"}]`
  const done = await site.finished(await site.upload(text, 'json', 'format=csv'))
  expect(done.error?.code).toBe('FILE_UNREADABLE')
})

test('an export for Excel begins with a byte order mark, and guards full-width formulas', async () => {
  await site.links.create({ destination_url: 'https://a.example/', slug: 'wide', title: '＝1+1' })
  const file = new Uint8Array(
    await (await site.send('GET', '/api/v1/links.csv?search=wide&bom=true')).arrayBuffer(),
  )
  expect([...file.slice(0, 3)]).toEqual([0xef, 0xbb, 0xbf])
  expect(new TextDecoder().decode(file)).toContain("'＝1+1")
  for (const text of ['＋1', '－1', '＠x', '\n=1', '＝', "'x", 'plain']) {
    const field = csvField(text)
    const cell = field.startsWith('"') ? field.slice(1, -1) : field
    expect(cell.startsWith("'")).toBe(text !== 'plain')
    expect(withoutApostrophe(cell)).toBe(text)
  }
})

test.each([
  ['1.204', 1204],
  ['1,204', 1204],
  ['1 204', 1204],
  ['1’204’000', 1_204_000],
  ['12,34,567', 1_234_567],
  ['1.2K', 1200],
  ['1,2k', 1200],
  ['3M', 3_000_000],
  ['12', 12],
  ['12.0', 12],
  ['1.2E+06', 1_200_000],
  ['1,204.00', 1204],
  [7.9, 7],
  ['', undefined],
  ['-1', undefined],
  ['many', undefined],
  ['1.2', undefined],
  ['12,34', undefined],
  ['1.20.4', undefined],
])('the count %p is %p', (text, count) => {
  expect(countOf(text)).toBe(count as number)
})

test('flags in the languages of spreadsheets, and JSON nested too deep', () => {
  for (const text of ['WAHR', 'VRAI', 'Doğru', 'ІСТИНА', 'ИСТИНА', 'IGAZ', 'Sann', 'TÕENE'])
    expect(flagOf(text)).toBe(true)
  for (const text of ['FALSCH', 'FAŁSZ', 'YANLIŞ', 'ONWAAR', 'ЛОЖЬ', 'HAMIS', 'EPÄTOSI'])
    expect(flagOf(text)).toBe(false)
  expect(parseNested(`"${'['.repeat(200)}"`)).toBe('['.repeat(200))
  expect(() => parseNested('['.repeat(65))).toThrow()
})

test('a count that can’t be read refuses the row with the reason, a dash is none', async () => {
  const rows = [
    ['1.2K', '1.000'],
    ['-', ''],
    ['n/a', ''],
    ['1.2', ''],
    ['many', ''],
    ['3', '1.2'],
  ]
  const text = `url,clicks,max clicks\n${rows
    .map(([clicks, limit], n) => `https://a.example/${n},${clicks},${limit}\n`)
    .join('')}`
  const done = await site.finished(await site.upload(text, 'csv', 'format=csv'))
  expect(done.result).toMatchObject({ created: 3, refused: 3, imported_clicks: 1_200 })
  const found = await site.rows(done.id)
  expect(
    found.flatMap(({ reasons }) => reasons.map(({ field, code }) => `${field} ${code}`)),
  ).toEqual(['clicks INVALID_VALUE', 'clicks INVALID_VALUE', 'max_clicks INVALID_TYPE'])
})

test('an own export with a count that can’t be read refuses the row', async () => {
  const text = `destination_url,slug,redirect_status,clicks.imported\nhttps://a.example/,,,x\nhttps://b.example/,,,"1,204"\n`
  const done = await site.finished(await site.upload(text, 'csv', 'format=slugline'))
  expect(done.result).toMatchObject({ created: 1, refused: 1, imported_clicks: 1_204 })
})
