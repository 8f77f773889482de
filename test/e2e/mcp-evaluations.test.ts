import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { eventually } from '../harness/eventually.ts'
import { connectHttp, type Data, type Mcp } from '../harness/mcp.ts'
import { type Slugline, startSlugline } from '../harness/process.ts'

/**
 * Requests as people make them, each with the calls that a model makes to fulfil it: the state
 * in the end must be right. What one call answers is all that the next one may use.
 */
let slugline: Slugline
let key: string
let mcp: Mcp
let n = 0

beforeAll(async () => {
  slugline = await startSlugline()
})
afterAll(() => slugline?.dispose())
beforeEach(async () => {
  // A workspace for each, so that they don't see each other's links.
  const scopes = 'links:read,links:write,events:read'
  key = (await slugline.createKey({ workspace: `evaluation ${n++}`, scopes })).key
  mcp = await connectHttp(slugline.url, key)
})
afterEach(() => mcp?.close())

/** What the API says afterwards. */
const state = async (path: string) =>
  (await (await slugline.call('GET', `/api/v1${path}`, { key })).json()) as Data
const make = async (fields: object) =>
  (await (
    await slugline.call('POST', '/api/v1/links', {
      key,
      body: { destination_url: 'https://example.com/', ...fields },
    })
  ).json()) as Data
const visit = (link: Data) =>
  slugline.call('GET', `/${link.slug}`, {
    headers: {
      'user-agent':
        'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36',
    },
  })
const slugs = async (query: string) =>
  (await state(`/links?${query}`)).data.map(({ slug }: { slug: string }) => slug).sort()
const ok = async (name: string, args: Record<string, unknown> = {}) => {
  const answer = await mcp.call(name, args)
  if (answer.isError) throw new Error(`${name}: ${answer.text}`)
  return answer.data
}
/** The answer as soon as clicks or jobs, which other processes work on, have come that far. */
const until = (name: string, args: Record<string, unknown>, isSo: (data: Data) => boolean) =>
  eventually(name, async () => {
    const data = await ok(name, args)
    return isSo(data) ? data : undefined
  })
const unique = (name: string) => `${name}-${n}`

describe('evaluations', () => {
  test('“Which of my links have rules, a password, no tags, or were never clicked? Tag the last”', async () => {
    const then = { destination_url: 'https://m.example/' }
    const rules = [{ when: { device: ['mobile'] }, then }]
    const ruled = await make({ slug: unique('ruled'), rules, tags: ['east'] })
    const locked = await make({ slug: unique('locked'), password: 'open sesame', tags: ['west'] })
    const visited = await make({ slug: unique('visited') })
    await visit(visited)
    const clicked = await until('find_links', { clicked: true }, ({ total }) => total === 1)
    expect(clicked.links[0].id).toBe(visited.id)
    const found = async (filter: object) =>
      (await ok('find_links', { ...filter, sort: 'slug', order: 'asc' })).links.map(
        ({ id }: { id: string }) => id,
      )
    expect(await found({ has_rules: true })).toEqual([ruled.id])
    expect(await found({ has_password: true })).toEqual([locked.id])
    expect(await found({ tagged: false })).toEqual([visited.id])
    expect(await found({ any_tags: ['east', 'west'] })).toEqual([locked.id, ruled.id])
    expect(await found({ created_by: 'me' })).toEqual([locked.id, ruled.id, visited.id])
    expect(await found({ created_by: 'system' })).toEqual([])
    const change = { clicked: false, any_tags: ['west'], add_tags: ['stale'] }
    const { matching: expected_count } = await ok('bulk_change_links', change)
    expect(expected_count).toBe(1)
    await ok('bulk_change_links', { ...change, expected_count })
    await until('find_links', { tags: ['stale'] }, ({ total }) => total === 1)
    expect(await slugs('tag=stale')).toEqual([locked.slug])
    const best = await ok('find_links', { search: unique('ruled'), sort: 'relevance' })
    expect(best.links[0].id).toBe(ruled.id)
  })

  test('“Tag all links to example.org from this month as spring and tell me their clicks”', async () => {
    const [one] = [
      await make({ destination_url: 'https://example.org/a' }),
      await make({ destination_url: 'https://example.org/b' }),
      await make({ destination_url: 'https://example.net/' }),
    ]
    await visit(one as Data)
    const filter = {
      search: 'example.org',
      created_after: '2020-01-01',
      created_before: '2099-01-01',
    }
    const preview = await ok('bulk_change_links', { ...filter, add_tags: ['spring'] })
    expect(preview).toMatchObject({ matching: 2, changed: false })
    expect((await state('/links?tag=spring')).data).toEqual([])
    const done = await ok('bulk_change_links', {
      ...filter,
      add_tags: ['spring'],
      expected_count: preview.matching,
    })
    expect(done.job).toMatchObject({ status: 'succeeded', progress: { done: 2, failed: 0 } })
    const stats = await until(
      'get_statistics',
      { tag: 'spring' },
      ({ totals }) => totals.clicks > 0,
    )
    expect(stats.totals).toMatchObject({ clicks: 1, unique: 1 })
    expect((await state('/links?tag=spring')).pagination.total).toBe(2)
  })

  test('“Why does /summer not redirect from Berlin?”', async () => {
    const rules = [{ name: 'berlin', when: { region: ['DE-BE'] }, then: { answer: 'not_found' } }]
    const link = await make({ slug: unique('summer'), rules })
    const answer = await ok('explain_visit', {
      link: `/${link.slug}`,
      country: 'DE',
      region: 'DE-BE',
    })
    expect(answer).toMatchObject({ location: null, status: 404, rule: expect.any(String) })
    expect(answer.steps.at(-1)).toMatchObject({ check: 'rules[0]', passed: true })
    const elsewhere = await ok('explain_visit', { link: link.slug, country: 'FR' })
    expect(elsewhere).toMatchObject({ location: 'https://example.com/', outcome: 'redirect' })
  })

  test('“Undo what I did in the last hour”', async () => {
    const start = new Date(Date.now() - 60_000).toISOString()
    const old = (await ok('create_link', { destination_url: 'https://example.com/' })).link
    await ok('update_link', { link: old.id, title: 'New', expires_at: '2090-01-01T00:00:00Z' })
    const gone = (await ok('create_link', { destination_url: 'https://example.com/gone' })).link
    await ok('delete_link', { link: gone.id })
    const { changes, is_complete } = await ok('get_history', { since: start, only_mine: true })
    expect(is_complete).toBe(true)
    expect(changes.map(({ action }: { action: string }) => action)).toEqual([
      ...['link.deleted', 'link.created', 'link.updated', 'link.created'],
    ])
    for (const { action, link_id, version } of changes) {
      if (action === 'link.updated')
        await ok('restore_link', { link: link_id, version: version - 1 })
      if (action === 'link.deleted') await ok('restore_link', { link: link_id })
      if (action === 'link.created') await ok('delete_link', { link: link_id })
    }
    expect((await state('/links?archived=any')).pagination.total).toBe(0)
    expect(await state(`/links/${old.id}/history`)).toMatchObject({
      data: [
        { action: 'link.deleted' },
        { action: 'link.restored', changes: { title: { to: null } } },
        {},
        {},
      ],
    })
  })

  test('“Shorten https://example.com/launch as /launch until the end of the year”', async () => {
    const slug = unique('launch')
    await ok('create_link', {
      destination_url: 'https://example.com/launch',
      slug,
      expires_at: '2090-12-31T23:00:00Z',
    })
    expect((await state(`/links?slug=${slug}`)).data).toMatchObject([
      { destination_url: 'https://example.com/launch', expires_at: '2090-12-31T23:00:00.000Z' },
    ])
  })

  test('“Shorten this, but don’t make a second link if there is one”', async () => {
    const link = await make({ destination_url: 'https://example.com/once' })
    const answer = await ok('create_link', {
      destination_url: 'https://example.com/once',
      reuse_existing: true,
    })
    expect(answer.link.id).toBe(link.id)
    expect((await state('/links')).pagination.total).toBe(1)
  })

  test('“The slug I want is taken: use one of the suggestions”', async () => {
    const { slug } = await make({ slug: unique('sale') })
    const refused = await mcp.call('create_link', { destination_url: 'https://example.com/', slug })
    expect(refused.isError).toBe(true)
    expect(refused.text).toStartWith('SLUG_TAKEN: ')
    const [, free] = /Possible instead: ([^,\n]+)/.exec(refused.text) as RegExpExecArray
    await ok('create_link', { destination_url: 'https://example.com/', slug: free })
    expect(await slugs('')).toEqual([slug, free as string].sort())
  })

  test('“Point /docs to the new handbook”', async () => {
    const { slug, id } = await make({ slug: unique('docs') })
    await ok('update_link', { link: slug, destination_url: 'https://example.com/handbook' })
    expect(await state(`/links/${id}`)).toMatchObject({
      destination_url: 'https://example.com/handbook',
    })
  })

  test('“Rename /promo to /offer, but printed links must keep working”', async () => {
    const link = await make({ slug: unique('promo') })
    await ok('update_link', { link: link.short_url, slug: unique('offer') })
    expect(await state(`/links/${link.id}`)).toMatchObject({
      slug: unique('offer'),
      aliases: [link.slug],
    })
    expect((await visit(link)).status).toBe(302)
  })

  test('“Pause the link of order 4711”', async () => {
    const link = await make({ external_id: 'order 4711' })
    await ok('update_link', { link: 'external:order 4711', enabled: false })
    expect(await state(`/links/${link.id}`)).toMatchObject({ enabled: false, status: 'disabled' })
  })

  test('“I deleted /party by mistake, bring it back”', async () => {
    const link = await make({ slug: unique('party') })
    await ok('delete_link', { link: link.slug })
    expect((await mcp.call('get_link', { link: link.slug })).text).toStartWith('LINK_NOT_FOUND')
    await ok('restore_link', { link: link.slug })
    expect(await state(`/links/${link.id}`)).toMatchObject({ slug: link.slug })
  })

  test('“Delete all links that have expired”', async () => {
    await make({ slug: unique('old'), expires_at: '2020-01-01T00:00:00Z' })
    await make({ slug: unique('kept') })
    const { matching } = await ok('bulk_change_links', { status: 'expired', delete: true })
    await ok('bulk_change_links', { status: 'expired', delete: true, expected_count: matching })
    expect(await slugs('archived=any')).toEqual([unique('kept')])
  })

  test('“Move everything tagged newsletter into a new folder Campaigns”', async () => {
    await make({ tags: ['newsletter'], slug: unique('in') })
    await make({ slug: unique('out') })
    await ok('tags_and_folders', { action: 'create', kind: 'folder', name: 'Campaigns' })
    const change = { tags: ['newsletter'], set_folder: 'Campaigns' }
    const { matching } = await ok('bulk_change_links', change)
    await ok('bulk_change_links', { ...change, expected_count: matching })
    const { folders } = await ok('tags_and_folders', { kind: 'folder' })
    expect(folders).toMatchObject([{ name: 'Campaigns', links: 1 }])
    expect(await slugs(`folder_id=${folders[0].id}`)).toEqual([unique('in')])
  })

  test('“Merge the tag promo into promotion”', async () => {
    await make({ tags: ['promo'] })
    await make({ tags: ['promotion'] })
    await ok('tags_and_folders', {
      action: 'merge',
      kind: 'tag',
      name: 'promo',
      new_name: 'promotion',
    })
    expect((await state('/tags')).data).toMatchObject([{ name: 'promotion', links: 2 }])
  })

  test('“Rename the tag sprnig, and delete the folder Old, moving its links to New”', async () => {
    await make({ tags: ['sprnig'] })
    for (const name of ['Old', 'New']) {
      await ok('tags_and_folders', { action: 'create', kind: 'folder', name })
    }
    const { link } = await ok('create_link', {
      destination_url: 'https://example.com/',
      folder: 'Old',
    })
    await ok('tags_and_folders', {
      action: 'rename',
      kind: 'tag',
      name: 'sprnig',
      new_name: 'spring',
    })
    const deletion = { action: 'delete', kind: 'folder', name: 'Old' }
    const refused = await mcp.call('tags_and_folders', deletion)
    expect(refused.text).toStartWith('FOLDER_NOT_EMPTY')
    await ok('tags_and_folders', { ...deletion, move_links_to: 'New' })
    const { folders, tags } = await ok('tags_and_folders')
    expect(folders).toMatchObject([{ name: 'New', links: 1 }])
    expect(tags).toMatchObject([{ name: 'spring' }])
    expect((await state(`/links/${link.id}`)).folder_id).toBe(folders[0].id)
  })

  test('“Which of my links got the most clicks?”', async () => {
    const [one, two] = [await make({}), await make({})]
    for (const link of [one, two, two]) await visit(link)
    const question = { group_by: 'link' }
    const { top } = await until('get_statistics', question, ({ totals }) => totals.clicks === 3)
    expect(top).toMatchObject([
      { value: two.id, clicks: 2 },
      { value: one.id, clicks: 1 },
    ])
  })

  test('“Make a QR code for /menu that I can print in dark blue”', async () => {
    const link = await make({ slug: unique('menu') })
    const answer = await mcp.call('get_qr_code', { link: link.slug, size: 1_024, dark: '#000080' })
    expect(answer.data).toMatchObject({ link_id: link.id, mime_type: 'image/png' })
    const [image] = answer.content
    expect(image).toMatchObject({ type: 'image', mimeType: 'image/png' })
    const png = Buffer.from(image?.data as string, 'base64')
    expect(png.readUInt32BE(16)).toBe(1_024)
    expect(png.length).toBe(answer.data.bytes)
  })

  test('“How did the import go, and what was refused?”', async () => {
    const csv = 'destination_url,slug\nhttps://example.com/,api\nhttps://example.com/ok,\n'
    const started = await slugline.call('POST', '/api/v1/imports', {
      key,
      body: csv,
      headers: { 'content-type': 'text/csv' },
    })
    const { id } = (await started.json()) as { id: string }
    const { jobs } = await until(
      'get_job_status',
      {},
      ({ jobs: [job] }) => job.finished_at !== null,
    )
    expect(jobs).toMatchObject([{ id, status: 'succeeded' }])
    const { refused } = await ok('get_job_status', { id })
    expect(refused).toMatchObject([{ row: 1, reasons: [{ code: 'SLUG_RESERVED' }] }])
  })

  test('“Archive all links without a click that were made before 2099”', async () => {
    const clicked = await make({ slug: unique('clicked') })
    await make({ slug: unique('silent') })
    await visit(clicked)
    const question = { sort: 'clicks', created_before: '2099-01-01' }
    const { links } = await until('find_links', question, ({ links: [first] }) => first.clicks > 0)
    expect(links[0]).toMatchObject({ id: clicked.id, clicks: 1 })
    const ids = links
      .filter(({ clicks }: { clicks: number }) => clicks === 0)
      .map((one: { id: string }) => one.id)
    const { matching } = await ok('bulk_change_links', { ids, set_archived: true })
    await ok('bulk_change_links', { ids, set_archived: true, expected_count: matching })
    expect(await slugs('archived=true')).toEqual([unique('silent')])
    expect(await slugs('')).toEqual([clicked.slug])
  })

  test('“Someone changed the title of /team: put the old one back”', async () => {
    const link = await make({ slug: unique('team'), title: 'Our team' })
    const other = (await slugline.createKey({ workspace: `evaluation ${n - 1}` })).key
    await slugline.call('PATCH', `/api/v1/links/${link.id}`, {
      key: other,
      body: { title: 'Oops' },
    })
    const { changes } = await ok('get_history', { link: link.slug })
    const wrong = changes.find(({ changes }: Data) => changes.title?.to === 'Oops')
    await ok('restore_link', { link: wrong.link_id, version: wrong.version - 1 })
    expect(await state(`/links/${link.id}`)).toMatchObject({ title: 'Our team' })
  })

  test('“Change all links to example.com, however many” while somebody adds one', async () => {
    await make({ slug: unique('a') })
    const change = { search: 'example.com', set_enabled: false }
    const { matching } = await ok('bulk_change_links', change)
    await make({ slug: unique('b') })
    const refused = await mcp.call('bulk_change_links', { ...change, expected_count: matching })
    expect(refused.text).toStartWith('COUNT_CHANGED')
    expect((await state('/links?status=disabled')).data).toEqual([])
    const again = await ok('bulk_change_links', change)
    await ok('bulk_change_links', { ...change, expected_count: again.matching })
    expect(await slugs('status=disabled')).toEqual([unique('a'), unique('b')])
  })

  test('“What happened in the workspace since you last looked?”', async () => {
    const { next_cursor: seen } = await ok('list_events', { after: 'latest' })
    const link = await make({ title: 'Before' })
    await ok('update_link', { link: link.id, title: 'After' })
    const { events, next_cursor, has_more } = await ok('list_events', {
      after: seen,
      types: ['link.created', 'link.updated'],
    })
    expect(has_more).toBe(false)
    expect(events).toMatchObject([
      { type: 'link.created', object: { id: link.id } },
      { type: 'link.updated', previous: { title: 'Before' } },
    ])
    expect((await ok('list_events', { after: next_cursor })).events).toEqual([])
  })
})
