import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { CompiledQuery } from 'kysely'
import { testStore } from '../../../test/harness/store.ts'
import { insertOwned } from '../domains/store.ts'
import { restoredSince } from './store.ts'
import { createTestImports, fixture, type ShownJob, type TestImports } from './testing/site.ts'

let site: TestImports
beforeEach(async () => {
  site = await createTestImports()
})
afterEach(() => site.close())

const csv = (...rows: string[]) => ['Long URL,Slug,Title,Clicks', ...rows, ''].join('\n')
const bySlug = async (slug: string) => {
  const { data } = await site.links.list({ search: slug })
  return data.find((link) => link.slug === slug)
}
/** The result of a dry run, without how long its file is kept. */
function countsOf({ result }: ShownJob): object {
  const { kept_until: _, ...counts } = result ?? {}
  return counts
}
const codes = (rows: Awaited<ReturnType<TestImports['rows']>>) =>
  rows.map(({ status, reasons }) => [
    status,
    ...reasons.map(({ field, code }) => `${field} ${code}`),
  ])

describe.each([
  ['bitly.csv', 3],
  ['dub.csv', 1],
  ['shlink.csv', 2],
  ['yourls.csv', 2],
  ['kutt.json', 1],
  ['short_io.csv', 2],
  ['rebrandly.csv', 1],
  ['sink.json', 2],
  ['chhoto.json', 2],
  ['slugline.ndjson', 2],
])('%s', (file, taken) => {
  test('is tried as a dry run, imported, and undone', async () => {
    const text = await fixture(file)
    const kind = file.split('.').at(-1) as string
    const dry = await site.finished(await site.upload(text, kind, 'dry_run=true'))
    expect(dry.status).toBe('succeeded')
    expect((await site.links.list({ archived: 'any' })).pagination.total).toBe(0)
    const dryRows = await site.rows(dry.id)

    const done = await site.finished(await site.upload(text, kind))
    expect(done.result as object).toEqual(countsOf(dry))
    expect(codes(await site.rows(done.id))).toEqual(codes(dryRows))
    const { data } = await site.links.list({ archived: 'any' })
    expect(data.length).toBe(done.result?.created as number)
    expect(data.length).toBeGreaterThanOrEqual(taken)
    expect(done.progress).toEqual({
      done: dryRows.length,
      total: dryRows.length,
      failed: done.result?.refused as number,
    })

    const undone = await site.finished(await site.send('POST', `/api/v1/imports/${done.id}/undo`))
    expect(undone.result).toMatchObject({ deleted: data.length, restored: 0, kept: 0 })
    expect((await site.links.list({ archived: 'any' })).pagination.total).toBe(0)
  })
})

test('with `if_exists` a record of the same link is skipped', async () => {
  const text = csv(
    'https://example.com/a,,T,5',
    'https://example.com/a,,T,5',
    'https://b.example/,,T,0',
  )
  const done = await site.finished(await site.upload(text, 'csv', 'if_exists=return'))
  expect(done.result).toMatchObject({ created: 2, skipped: 1, refused: 0 })
  const again = await site.finished(await site.upload(text, 'csv', 'if_exists=return'))
  expect(again.result).toMatchObject({ created: 0, skipped: 3, refused: 0 })
  const rows = await site.rows(again.id)
  expect(rows.every(({ link_id }) => link_id !== null)).toBe(true)
})

test('previous clicks are separate, and a given mapping is used', async () => {
  const mapping = {
    destination_url: 'Adresse',
    slug: 'Kürzel',
    title: 'Bezeichnung',
    tags: 'Kategorie',
    clicks: 'Aufrufe',
  }
  const query = new URLSearchParams({ mapping: JSON.stringify(mapping) })
  const done = await site.finished(
    await site.upload(await fixture('mapped.csv'), 'csv', `${query}`),
  )
  expect(done.result).toEqual({
    created: 2,
    updated: 0,
    skipped: 0,
    refused: 1,
    imported_clicks: 10,
  })
  const link = await bySlug('eins')
  expect(link).toMatchObject({ title: 'Die Erste', tags: ['Neu'] })
  expect(link?.clicks).toEqual({ total: 0, human: 0, bot: 0, unique: 0, imported: 10 })
  expect(codes(await site.rows(done.id, '&status=refused'))).toEqual([
    ['refused', 'destination_url INVALID_URL'],
  ])
})

test('more previous clicks than a sum of many links can hold are refused', async () => {
  const text = ['9e18', '1e300', '1e12']
    .map((n) => JSON.stringify({ destination_url: 'https://a.example', clicks: { imported: n } }))
    .join('\n')
  const done = await site.finished(await site.upload(text, 'ndjson', 'format=slugline'))
  expect(done.result).toEqual({
    created: 1,
    updated: 0,
    skipped: 0,
    refused: 2,
    imported_clicks: 1e12,
  })
  expect(codes(await site.rows(done.id, '&status=refused'))).toEqual([
    ['refused', 'clicks OUT_OF_RANGE'],
    ['refused', 'clicks OUT_OF_RANGE'],
  ])
})

test.each([
  ['day first', ['13/05/2030', '01/06/2030'], ['2030-05-13', '2030-06-01']],
  ['month first', ['05/13/2030', '06/01/2030'], ['2030-05-13', '2030-06-01']],
  ['of unknown order', ['01/06/2030', '02/06/2030'], [null, null]],
  ['of two orders', ['13/05/2030', '05/13/2030'], [null, null]],
  ['not of the calendar', ['2030-02-30', 'Link 5'], [null, null]],
  ['with dots', ['01.05.2030', '1.5.2030 00:00'], ['2030-05-01', '2030-05-01']],
])('dates %s are read or refused', async (_, cells, dates) => {
  const text = cells.map((cell, n) => `https://a.example/,day-${n},${cell}`).join('\n')
  const answer = await site.upload(`Long URL,Slug,Expires at\n${text}\n`, 'csv', 'on_conflict=fail')
  const rows = await site.rows((await site.finished(answer)).id)
  expect(rows.flatMap(({ reasons }) => reasons.map(({ field }) => field))).toEqual(
    dates.filter((date) => date === null).map(() => 'expires_at'),
  )
  const links = await Promise.all(cells.map((__, n) => bySlug(`day-${n}`)))
  expect(links.map((link) => link?.expires_at?.slice(0, 10) ?? null)).toEqual(dates)
})

test('rows have warnings, also in a dry run', async () => {
  const text = [{ slug: 'late', expires_at: '2020-01-01T00:00:00Z' }, { slug: 'fine' }]
    .map((link) => JSON.stringify({ destination_url: 'https://example.com/', ...link }))
    .join('\n')
  for (const query of ['dry_run=true', '', 'on_conflict=rename', 'on_conflict=update']) {
    const rows = await site.rows((await site.finished(await site.upload(text, 'ndjson', query))).id)
    expect(rows.map(({ warnings }) => warnings?.map(({ code }) => code))).toEqual([
      ['EXPIRES_IN_PAST'],
      undefined,
    ])
  }
})

test('a short domain of its own allows slugs that are reserved on the instance’s own host', async () => {
  const done = await site.finished(
    await site.upload(await fixture('dub.csv'), 'csv', 'domain=go.example'),
  )
  expect(done.result).toMatchObject({ created: 3, updated: 0, skipped: 0, refused: 0 })
  const { data } = await site.links.list({ archived: 'any', domain: 'go.example' })
  expect(data.map(({ slug, archived }) => [slug, archived]).sort()).toEqual([
    ['admin', false],
    ['docs/api', true],
    ['launch', false],
  ])
})

test('where case matters, slugs that differ in case, dots, slashes and reserved words are taken', async () => {
  await site.storage.write((tx) =>
    insertOwned(tx, {
      id: 'dom_exact',
      workspace_no: 1,
      host: 'exact.example',
      status: 'active',
      token: '',
      checked_at: null,
      found: '[]',
      lookup_error: null,
      failing_since: null,
      root_url: null,
      not_found_url: null,
      expired_url: null,
      case_sensitive: 1,
      ...{
        brand: null,
        slug_settings: null,
        robots: 'all',
        apple_app_site_association: null,
        assetlinks: null,
      },
      created_at: 0,
      updated_at: 0,
      version: 1,
    }),
  )
  await Promise.all([site.imports.domains.refresh(), site.links.service.rules.domains.refresh()])
  const taken = [
    'AbC',
    'abc',
    'ABC',
    'v1.2',
    'docs/API',
    'docs/api',
    'api',
    'Admin',
    'app/x',
    'robots.txt',
  ]
  const refused = ['a b', 'a//b', '../up', '.well-known/acme', 'abc']
  const text = csv(...[...taken, ...refused].map((slug, i) => `https://a.example/${i},${slug},,`))
  const expected = [
    ...taken.map(() => ['created']),
    ...['slug INVALID_SLUG', 'slug INVALID_SLUG', 'slug INVALID_SLUG'].map((why) => [
      'refused',
      why,
    ]),
    ['refused', 'slug SLUG_RESERVED'],
    ['skipped', 'slug SLUG_TAKEN'],
  ]
  for (const query of ['domain=exact.example&dry_run=true', 'domain=exact.example']) {
    const done = await site.finished(await site.upload(text, 'csv', query))
    expect(codes(await site.rows(done.id))).toEqual(expected)
  }
  const form = new FormData()
  form.set('domain', 'exact.example')
  form.set('dry_run', 'true')
  form.set('file', new File([text], 'links.csv', { type: 'text/csv' }))
  const request = new Request('http://x/', { method: 'POST', body: form })
  const formed = await site.send('POST', '/api/v1/imports', {
    headers: { 'Content-Type': request.headers.get('content-type') as string },
    body: new Uint8Array(await request.arrayBuffer()),
  })
  expect(formed.status).toBe(202)
  const { data } = await site.get<{ data: { slug: string }[] }>(
    '/api/v1/links?domain=exact.example',
  )
  expect(data.map(({ slug }) => slug).sort()).toEqual(taken.toSorted())
  // The instance's own host is case-insensitive and has reserved paths.
  const shared = await site.finished(await site.upload(text, 'csv', 'dry_run=true'))
  expect(codes(await site.rows(shared.id)).slice(0, taken.length)).toEqual([
    ['created'],
    ...['abc', 'ABC'].map(() => ['skipped', 'slug SLUG_TAKEN']),
    ['created'],
    ...taken.slice(4).map(() => ['refused', 'slug SLUG_RESERVED']),
  ])
})

test('refused records have reasons, in the reader’s language, and as CSV', async () => {
  const text = csv('https://a.example,api,A,', 'ftp://a.example,ok,,', 'https://b.example,b,,1')
  const done = await site.finished(await site.upload(text))
  expect(done.result).toMatchObject({ created: 1, updated: 0, skipped: 0, refused: 2 })
  const rows = await site.rows(done.id, '&status=refused')
  expect(codes(rows)).toEqual([
    ['refused', 'slug SLUG_RESERVED'],
    ['refused', 'destination_url URL_SCHEME_NOT_ALLOWED'],
  ])
  const german = await site.get<{ data: typeof rows }>(
    `/api/v1/imports/${done.id}/rows?lang=de&limit=1`,
  )
  expect(german.data[0]?.reasons[0]?.message).not.toBe(rows[0]?.reasons[0]?.message as string)
  const none = await site.send('GET', `/api/v1/imports/${done.id}/rows?status=lost`)
  const { error } = (await none.json()) as { error: { details: { code: string }[] } }
  expect(error.details.map(({ code }) => code)).toEqual(['INVALID_VALUE'])
  const table = await (
    await site.send('GET', `/api/v1/imports/${done.id}/rows.csv?status=refused`)
  ).text()
  expect(table.split('\r\n').map((line) => line.split(',').slice(0, 2))).toEqual([
    ['row', 'status'],
    ['1', 'refused'],
    ['2', 'refused'],
    [''],
  ])
})

describe('a slug that a link has already', () => {
  const text = csv('https://new.example,taken,New,5', 'https://other.example,free,,')
  beforeEach(() => site.links.create({ destination_url: 'https://old.example', slug: 'taken' }))

  test('is skipped by default', async () => {
    const done = await site.finished(await site.upload(text))
    expect(done.result).toEqual({ created: 1, updated: 0, skipped: 1, refused: 0 })
    expect((await bySlug('taken'))?.destination_url).toBe('https://old.example')
  })

  test('update: the link gets the fields, and undo restores it', async () => {
    const done = await site.finished(await site.upload(text, 'csv', 'on_conflict=update'))
    expect(done.result).toEqual({
      created: 1,
      updated: 1,
      skipped: 0,
      refused: 0,
      imported_clicks: 5,
    })
    const changed = await bySlug('taken')
    expect(changed).toMatchObject({ destination_url: 'https://new.example', title: 'New' })
    expect(changed?.clicks.imported).toBe(5)
    const undone = await site.finished(await site.send('POST', `/api/v1/imports/${done.id}/undo`))
    expect(undone.result).toMatchObject({ deleted: 1, restored: 1, kept: 0 })
    const before = await bySlug('taken')
    expect(before).toMatchObject({ destination_url: 'https://old.example', title: null })
    expect(before?.clicks.imported).toBe(0)
  })

  test('rename: another link is created', async () => {
    const done = await site.finished(await site.upload(text, 'csv', 'on_conflict=rename'))
    expect(done.result).toMatchObject({ created: 2, updated: 0, skipped: 0, refused: 0 })
    const [row] = await site.rows(done.id, '&status=renamed')
    expect(row?.slug).toStartWith('taken-')
    expect((await bySlug(row?.slug ?? ''))?.destination_url).toBe('https://new.example')
  })

  test('fail: nothing at all is imported', async () => {
    const done = await site.finished(await site.upload(text, 'csv', 'on_conflict=fail'))
    expect(done).toMatchObject({
      status: 'failed',
      error: { code: 'IMPORT_CONFLICT' },
      result: { created: 0, updated: 0, skipped: 0, refused: 1 },
    })
    expect(codes(await site.rows(done.id))).toEqual([['refused', 'slug SLUG_TAKEN']])
    expect((await site.links.list()).pagination.total).toBe(1)
    const without = csv('https://other.example,free,,')
    const again = await site.finished(await site.upload(without, 'csv', 'on_conflict=fail'))
    expect(again.result).toEqual({ created: 1, updated: 0, skipped: 0, refused: 0 })
  })

  test('of another workspace, it is refused', async () => {
    await site.links.create({ destination_url: 'https://foreign.example', slug: 'foreign' }, 2)
    for (const how of ['skip', 'update']) {
      const done = await site.finished(
        await site.upload(csv('https://new.example,foreign,,'), 'csv', `on_conflict=${how}`),
      )
      expect(done.result).toEqual({ created: 0, updated: 0, skipped: 0, refused: 1 })
    }
  })
})

test.each(['skip', 'update', 'rename', 'fail'])(
  'a dry run tells the same as the import, also of records that repeat others: %s',
  async (how) => {
    // Spread over several transactions.
    const rows = Array.from({ length: 250 }, (_, i) => `https://a.example/${i},s${i % 120},,`)
    const text = csv(...rows)
    const dry = await site.finished(
      await site.upload(text, 'csv', `on_conflict=${how}&dry_run=true`),
    )
    const done = await site.finished(await site.upload(text, 'csv', `on_conflict=${how}`))
    const counts = {
      skip: [120, 0, 130, 0],
      update: [120, 130, 0, 0],
      rename: [250, 0, 0, 0],
      fail: [0, 0, 0, 130],
    }
    const [created, updated, skipped, refused] = counts[how as keyof typeof counts]
    expect(done.result).toEqual({ created, updated, skipped, refused } as never)
    if (how !== 'fail') expect(countsOf(dry)).toEqual(done.result as object)
    else expect(countsOf(dry)).toEqual({ created: 120, updated: 0, skipped: 0, refused: 130 })
    expect((await site.links.list()).pagination.total).toBe(created as number)
    if (how !== 'update') return
    const undone = await site.finished(await site.send('POST', `/api/v1/imports/${done.id}/undo`))
    expect(undone.result).toMatchObject({ deleted: 120, restored: 130, kept: 0 })
    expect((await site.links.list({ archived: 'any' })).pagination.total).toBe(0)
  },
)

test.each([
  ['skip', ['skipped', 'refused', 'skipped']],
  ['rename', ['renamed', 'refused', 'refused']],
])(
  'a dry run tells the same of aliases and external ids of earlier records: %s',
  async (how, statuses) => {
    const of = (link: object) => JSON.stringify({ destination_url: 'https://a.example/', ...link })
    // In other transactions than the first record.
    const others = Array.from({ length: 100 }, (_, i) => of({ slug: `other-${i}` }))
    const first = of({ slug: 'first', aliases: ['second'], external_id: 'one' })
    const repeating = [
      of({ slug: 'Second' }),
      of({ slug: 'third', aliases: ['First'] }),
      of({ slug: 'fourth', external_id: 'one' }),
    ]
    const text = [first, ...others, ...repeating].join('\n')
    const failed = await site.finished(
      await site.upload(text, 'ndjson', 'format=slugline&on_conflict=fail'),
    )
    expect(failed).toMatchObject({ error: { code: 'IMPORT_CONFLICT' }, result: { created: 0 } })
    const query = `format=slugline&on_conflict=${how}`
    const dry = await site.finished(await site.upload(text, 'ndjson', `${query}&dry_run=true`))
    const done = await site.finished(await site.upload(text, 'ndjson', query))
    const notCreated = ['renamed', 'skipped', 'refused'].map((each) => `&status=${each}`).join('')
    const repeated = codes(await site.rows(done.id, notCreated))
    expect(repeated.map(([status]) => status as string)).toEqual(statuses)
    expect(codes(await site.rows(dry.id, notCreated))).toEqual(repeated)
    expect(countsOf(dry)).toEqual(done.result as object)
  },
)

test('the plan’s limit applies, also in a dry run', async () => {
  site.limits.links = 130
  const text = csv(...Array.from({ length: 150 }, (_, i) => `https://a.example/${i},p${i},,`))
  const dry = await site.finished(await site.upload(text, 'csv', 'dry_run=true'))
  const done = await site.finished(await site.upload(text))
  expect(countsOf(dry)).toEqual({ created: 130, updated: 0, skipped: 0, refused: 20 })
  expect(done.result as object).toEqual(countsOf(dry))
  expect(codes(await site.rows(done.id, '&status=refused'))[0]).toEqual([
    'refused',
    'links LINKS_LIMIT',
  ])
})

// PostgreSQL's plan depends on the number of rows.
if (testStore === 'embedded') {
  test('undo looks up a link by an index, so that it takes no longer in a long import', async () => {
    const { read } = site.storage
    const row = { job_id: 'job_1', link_id: 'lnk_1', version: 1 }
    const { sql: text, parameters } = restoredSince(read, row).compile()
    const plan = await read.db.executeQuery<{ detail: string }>(
      CompiledQuery.raw(`EXPLAIN QUERY PLAN ${text}`, [...parameters]),
    )
    expect(plan.rows.map(({ detail }) => detail)).toEqual([
      expect.stringContaining('USING INDEX import_rows_updated (link_id=?'),
    ])
  })
}

test('undo skips links changed since, and reports them', async () => {
  const text = csv(
    'https://a.example,one,,',
    'https://b.example,two,,',
    'https://c.example,three,,',
  )
  const done = await site.finished(await site.upload(text))
  const changed = await bySlug('two')
  await site.links.patch(changed?.id ?? '', { title: 'Mine now' })
  const gone = await bySlug('three')
  await site.links.remove(gone?.id ?? '')
  const undone = await site.finished(await site.send('POST', `/api/v1/imports/${done.id}/undo`))
  expect(undone.result).toMatchObject({ deleted: 1, restored: 0, kept: 2 })
  const kept = await site.rows(done.id, '&undo=kept')
  expect(kept.map(({ slug, reasons }) => [slug, reasons[0]?.code])).toEqual([
    ['two', 'LINK_CHANGED'],
    ['three', 'LINK_CHANGED'],
  ])
  expect(await bySlug('two')).toMatchObject({ title: 'Mine now' })
})

test('undo leaves a link deleted that the import changed, and someone deleted since', async () => {
  await site.links.create({ destination_url: 'https://old.example', slug: 'taken' })
  const text = csv('https://new.example,taken,New,')
  const done = await site.finished(await site.upload(text, 'csv', 'on_conflict=update'))
  expect(done.result).toMatchObject({ created: 0, updated: 1 })
  await site.links.remove((await bySlug('taken'))?.id ?? '')
  const undone = await site.finished(await site.send('POST', `/api/v1/imports/${done.id}/undo`))
  expect(undone.result).toMatchObject({ deleted: 0, restored: 0, kept: 1 })
  const [row] = await site.rows(done.id, '&undo=kept')
  expect(row?.reasons[0]?.code).toBe('LINK_CHANGED')
  expect(await bySlug('taken')).toBeUndefined()
})

describe('a request that is refused', () => {
  test.each([
    ['text/plain', 'x', 415],
    ['text/csv', '', 422],
    ['text/csv', 'a,b\n1,2\n', 422],
    ['text/csv', 'Long URL\nhttps://a.example\0\n', 422],
  ])('%s %j', async (type, body, status) => {
    const answer = await site.send('POST', '/api/v1/imports', {
      headers: { 'Content-Type': type },
      body,
    })
    expect(answer.status).toBe(status)
    const chunks = await site.storage.read.db.selectFrom('import_chunks').selectAll().execute()
    expect(chunks).toEqual([])
  })

  test.each([
    ['format=excel', 'format'],
    ['on_conflict=never', 'on_conflict'],
    ['domain=elsewhere.example', 'domain'],
    ['mapping=%7B%22slug%22:%22Slug%22%7D', 'mapping.destination_url'],
    ['mapping=%7B%22destination_url%22:%22None%22%7D', 'mapping.destination_url'],
    ['color=red', 'color'],
  ])('?%s', async (query, field) => {
    const answer = await site.upload(csv('https://a.example,x,,'), 'csv', query)
    expect(answer.status).toBe(422)
    const { error } = (await answer.json()) as { error: { details: { field: string }[] } }
    expect(error.details.map((detail) => detail.field)).toEqual([field])
  })

  test('another workspace’s import is not found', async () => {
    const done = await site.finished(await site.upload(csv('https://a.example,x,,')))
    const headers = { Authorization: 'Bearer stranger' }
    for (const [method, path] of [
      ['GET', 'rows'],
      ['GET', 'rows.csv'],
      ['POST', 'undo'],
    ] as const) {
      const answer = await site.send(method, `/api/v1/imports/${done.id}/${path}`, { headers })
      expect(answer.status).toBe(404)
    }
  })
})

test('a form can contain options besides the file', async () => {
  const form = new FormData()
  form.set('file', new File([csv('https://a.example,x,,')], 'links.csv'))
  form.set('dry_run', 'true')
  const request = new Request('http://x/', { method: 'POST', body: form })
  const answer = await site.send('POST', '/api/v1/imports', {
    headers: { 'Content-Type': request.headers.get('content-type') as string },
    body: new Uint8Array(await request.arrayBuffer()),
  })
  expect(answer.headers.get('Dry-Run')).toBe('true')
  expect((await site.finished(answer)).result).toMatchObject({ created: 1 })
  expect((await site.links.list({ archived: 'any' })).pagination.total).toBe(0)
})

test('a repeated request with a key starts one import; another file with the same key is refused', async () => {
  const key = { 'Idempotency-Key': 'once' }
  const text = csv('https://a.example,x,,')
  const first = await site.upload(text, 'csv', '', key)
  const id = ((await first.clone().json()) as { id: string }).id
  const second = await site.upload(text, 'csv', '', key)
  expect(second.headers.get('Idempotent-Replayed')).toBe('true')
  expect(((await second.json()) as { id: string }).id).toBe(id)
  expect((await site.upload(`${text}https://b.example,y,,\n`, 'csv', '', key)).status).toBe(422)
  await site.finished(first)
  expect((await site.links.list()).pagination.total).toBe(1)
})

test('the preview returns format, columns, mapping and the first records, and stores nothing', async () => {
  const answer = await site.send('POST', '/api/v1/imports/preview', {
    headers: { 'Content-Type': 'text/csv' },
    body: await fixture('bitly.csv'),
  })
  expect(await answer.json()).toMatchObject({
    format: 'bitly',
    columns: ['Title', 'Long URL', 'Bitlink', 'Tags', 'Created', 'Total Clicks'],
    mapping: { destination_url: 'Long URL', short_url: 'Bitlink', clicks: 'Total Clicks' },
    records: [{ Title: 'Spring sale' }, {}, {}],
  })
})

test('an import’s data is deleted at its end, its rows with its job', async () => {
  const done = await site.finished(await site.upload(csv('https://a.example,x,,')))
  const count = async (table: 'import_chunks' | 'imports' | 'import_rows' | 'import_seen') =>
    (await site.storage.read.db.selectFrom(table).selectAll().execute()).length
  await site.imports.purge()
  expect(await count('import_chunks')).toBe(0)
  expect(await count('imports')).toBe(0)
  expect(await count('import_rows')).toBe(1)
  await site.storage.write((tx) => tx.db.deleteFrom('jobs').where('id', '=', done.id).execute())
  await site.imports.purge()
  expect(await count('import_rows')).toBe(0)
})

test('only passwords of written links are hashed, each distinct one once', async () => {
  const hashed: string[] = []
  // A link is deleted while a password is hashed: the record that conflicted with it is written.
  let meanwhile: (() => Promise<void>) | undefined
  const hashPassword = async (password: string) => {
    hashed.push(password)
    await meanwhile?.()
    return `hash of ${password}`
  }
  const own = await createTestImports({}, { hashPassword })
  try {
    const row = (slug: string, password: string) =>
      JSON.stringify({ destination_url: 'https://example.com/', slug, password })
    const statuses = async (text: string, query = '') => {
      const { id } = await own.finished(await own.upload(text, 'ndjson', query))
      return (await own.rows(id)).map(({ status }) => status)
    }
    const taken = await own.links.create({ destination_url: 'https://a.example/', slug: 'taken' })
    const text = [
      row('taken', 'of a skipped one'),
      row('one', 'a password'),
      row('one', 'of another skipped one'),
      row('two', 'a password'),
      row('three', 'beyond the plan'),
    ].join('\n')
    own.limits.links = 3
    const expected = ['skipped', 'created', 'skipped', 'created', 'refused']
    expect(await statuses(text, 'dry_run=true')).toEqual(expected)
    expect(hashed).toEqual([])
    expect(await statuses(text)).toEqual(expected)
    expect(hashed).toEqual(['a password'])

    own.limits.links = null
    meanwhile = async () => {
      meanwhile = undefined
      await own.links.remove(taken.id)
    }
    hashed.length = 0
    const late = [row('taken', 'skipped at first'), row('four', 'the next password')].join('\n')
    expect(await statuses(late)).toEqual(['created', 'created'])
    expect(new Set(hashed)).toEqual(new Set(['the next password', 'skipped at first']))
    const stored = await own.storage.read.db
      .selectFrom('links')
      .select('password_hash')
      .where('password_hash', 'is not', null)
      .execute()
    expect(stored.map(({ password_hash }) => password_hash).sort()).toEqual([
      'hash of a password',
      'hash of a password',
      'hash of skipped at first',
      'hash of the next password',
    ])
  } finally {
    await own.close()
  }
})
