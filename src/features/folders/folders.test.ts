import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { createTestDashboard, type TestDashboard } from '../audit/testing/dashboard.ts'
import { FOLDERS_MAX } from './schemas.ts'

let its: TestDashboard
beforeEach(async () => {
  its = await createTestDashboard()
  const { no } = its.workspace
  await its.storage.write((tx) =>
    tx.db.updateTable('workspaces').set({ plan_id: 'big' }).where('no', '=', no).execute(),
  )
})
afterEach(() => its.close())

type Body = object | undefined
const send = (person: string) => (method: string, path: string, body?: Body) =>
  its.as(person, method, path, body)
const [owner, admin, member, viewer] = ['owner', 'admin', 'member', 'viewer'].map(send) as [
  ...ReturnType<typeof send>[],
] as [
  ReturnType<typeof send>,
  ReturnType<typeof send>,
  ReturnType<typeof send>,
  ReturnType<typeof send>,
]
const folder = async (name: string, fields: object = {}) =>
  (await owner('POST', '/folders', { name, ...fields })).body.id as string
const link = async (folder_id: string | null, fields: object = {}) =>
  (await owner('POST', '/links', { destination_url: 'https://e.example/', folder_id, ...fields }))
    .body.id as string
const listed = async (as: ReturnType<typeof send>, query = '') =>
  (await as('GET', `/links${query}`)).body.data.map((it: { id: string }) => it.id)
const code = ({ status, body }: Awaited<ReturnType<typeof member>>) =>
  `${status} ${body?.error.code}`

describe('folders', () => {
  test('hold a link once, are counted, and filter lists', async () => {
    const [a, b] = [await folder('A'), await folder('b')]
    const one = await link(a)
    const none = await link(null)
    const two = await link(b)
    await owner('PATCH', `/links/${two}`, { folder_id: a })
    expect(await listed(member, `?folder_id=${a}`)).toEqual([two, one])
    expect(await listed(member, `?folder_id=${b}`)).toEqual([])
    expect(await listed(member, '?folder_id=none')).toEqual([none])
    const { body } = await member('GET', '/folders')
    expect(body.data).toMatchObject([
      { id: a, name: 'A', access: 'workspace', members: [], links: 2 },
      { id: b, name: 'b', access: 'workspace', members: [], links: 0 },
    ])
    expect((await member('GET', '/folders?search=a')).body.data).toHaveLength(1)
    const first = (await member('GET', '/folders?limit=1')).body
    const next = encodeURIComponent(first.pagination.next_cursor)
    expect((await member('GET', `/folders?limit=1&cursor=${next}`)).body.data[0].id).toBe(b)
  })

  test('that are not there are refused, with the field', async () => {
    const answer = await owner('POST', '/links', {
      destination_url: 'https://e.example/',
      folder_id: 'fld_none',
    })
    expect(answer.body.error.details).toEqual([
      expect.objectContaining({ field: 'folder_id', code: 'FOLDER_NOT_FOUND' }),
    ])
    expect(await listed(owner, '?folder_id=fld_none')).toEqual([])
    expect(code(await owner('GET', '/folders/fld_none'))).toBe('404 FOLDER_NOT_FOUND')
  })

  test('accept null for the default', async () => {
    const nulls = { access: null, members: null }
    const made = (await owner('POST', '/folders', { name: 'A', ...nulls })).body
    const own = { access: 'workspace', members: [] }
    expect(made).toMatchObject(own)
    const members = (await member('PATCH', `/folders/${made.id}`, { access: 'members' })).body
    expect(members.members).toHaveLength(1)
    expect((await owner('PATCH', `/folders/${made.id}`, nulls)).body).toMatchObject(own)
  })

  test('are renamed without touching links, and obey If-Match', async () => {
    const id = await folder('A')
    const one = await link(id)
    const etag = (await owner('GET', `/folders/${id}`)).headers.get('etag') ?? ''
    const before = (await its.entries()).length
    const renamed = (await member('PATCH', `/folders/${id}`, { name: 'New' })).body
    expect(renamed).toMatchObject({ links: 1, version: 2, created_at: expect.any(String) })
    expect((await owner('GET', `/folders/${id}`)).body).toEqual(renamed)
    expect((await owner('GET', '/folders?search=new')).body.data).toContainEqual(renamed)
    const added = (await its.entries()).slice(before)
    expect(added.map(({ action, target_id }) => [action, target_id])).toEqual([
      ['folder.updated', id],
    ])
    expect((await owner('GET', `/links/${one}`)).body.version).toBe(1)
    const match = { 'If-Match': etag }
    expect((await its.as('owner', 'PATCH', `/folders/${id}`, { name: 'x' }, match)).status).toBe(
      412,
    )
    expect((await viewer('PATCH', `/folders/${id}`, { name: 'x' })).status).toBe(403)
  })

  test('are deleted when they are empty, or when their links are moved', async () => {
    const [a, b] = [await folder('A'), await folder('B')]
    const one = await link(a)
    expect(code(await owner('DELETE', `/folders/${a}`))).toBe('409 FOLDER_NOT_EMPTY')
    for (const to of ['fld_none', a]) {
      const refused = await owner('DELETE', `/folders/${a}?move_to=${to}`)
      expect(refused.body.error.details).toEqual([
        expect.objectContaining({ field: 'move_to', code: 'FOLDER_NOT_FOUND' }),
      ])
    }
    expect((await owner('DELETE', `/folders/${a}?move_to=${b}`)).status).toBe(204)
    expect((await owner('DELETE', `/folders/${a}?move_to=${b}`)).status).toBe(404)
    expect((await owner('GET', `/links/${one}`)).body.folder_id).toBe(b)
    expect([
      await listed(owner, `?folder_id=${b}`),
      await listed(owner, '?folder_id=none'),
    ]).toEqual([[one], []])
    expect((await owner('GET', '/folders')).body.data).toEqual([
      expect.objectContaining({ id: b, links: 1 }),
    ])
    expect((await owner('DELETE', `/folders/${b}?move_to=none`)).status).toBe(204)
    expect((await owner('GET', `/links/${one}`)).body.folder_id).toBeNull()
    expect(await listed(owner, '?folder_id=none')).toEqual([one])
    const empty = await folder('C')
    expect((await owner('DELETE', `/folders/${empty}`)).status).toBe(204)
  })

  test('that are deleted are left out of restored links', async () => {
    const [a, b] = [await folder('A'), await folder('B')]
    const one = await link(a)
    const two = await link(a)
    await owner('DELETE', `/links/${one}`)
    await owner('DELETE', `/folders/${a}?move_to=${b}`)
    expect((await owner('POST', `/links/${one}/restore`)).body.folder_id).toBe(b)
    await owner('DELETE', `/links/${two}`)
    await owner('DELETE', `/folders/${b}?move_to=none`)
    expect((await owner('POST', `/links/${two}/restore`)).body.folder_id).toBeNull()
  })
})

describe('a folder for some members', () => {
  test('can only be shared with members of the workspace, always including who shares it', async () => {
    const refused = await owner('POST', '/folders', {
      name: 'x',
      access: 'members',
      members: ['usr_member', 'usr_outsider'],
    })
    expect(refused.body.error.details).toEqual([
      expect.objectContaining({ field: 'members[1]', code: 'UNKNOWN_MEMBER' }),
    ])
    const conflict = await owner('POST', '/folders', { name: 'x', members: ['usr_member'] })
    expect(conflict.body.error.details).toEqual([
      expect.objectContaining({ field: 'members', code: 'CONFLICTING_PARAMETERS' }),
    ])
    const own = await member('POST', '/folders', { name: 'Mine', access: 'members' })
    expect(own.body.members).toEqual(['usr_member'])
    const open = await member('PATCH', `/folders/${own.body.id}`, { access: 'workspace' })
    expect(open.body.members).toEqual([])
  })

  test("hides its links from others, as if they didn't exist", async () => {
    const id = await folder('Secret', { access: 'members', members: ['usr_viewer'] })
    const hidden = await link(id, {
      tags: ['t'],
      slug: 'hidden',
      title: 'Secret thing',
      external_id: 'x-1',
    })
    const seen = await link(null, { tags: ['t'] })
    for (const one of [owner, admin, viewer]) {
      expect(await listed(one)).toEqual([seen, hidden])
      expect((await one('GET', `/links/${hidden}`)).body.folder_id).toBe(id)
      expect((await one('GET', '/folders')).body.data).toHaveLength(1)
    }
    const { body } = await member('GET', '/links')
    expect([body.data.map((it: { id: string }) => it.id), body.pagination.total]).toEqual([
      [seen],
      1,
    ])
    for (const query of [
      '?search=secret',
      '?tag=t&sort=slug',
      '?archived=any',
      `?id=${hidden}`,
      '?slug=hidden',
      '?external_id=x-1',
      '?sort=clicks',
      '?page=1',
    ]) {
      expect(await listed(member, query)).not.toContain(hidden)
    }
    expect((await member('GET', '/tags')).body.data[0].links).toBe(1)
    expect((await owner('GET', '/tags')).body.data[0].links).toBe(2)
    expect((await member('GET', '/folders')).body.data).toEqual([])
    const requests: [string, string, Body?][] = [
      ['GET', `/links/${hidden}`],
      ['PATCH', `/links/${hidden}`, { title: 'x' }],
      ['DELETE', `/links/${hidden}`],
      ['GET', `/links/${hidden}/history`],
      ['POST', `/links/${hidden}/restore`, { version: 1 }],
      ['GET', `/links/${hidden}/qr.svg`],
    ]
    for (const [method, path, sent] of requests) {
      const answer = await member(method, path, sent)
      const none = await member(method, path.replace(hidden, 'lnk_none'), sent)
      expect(code(answer)).toBe('404 LINK_NOT_FOUND')
      expect(answer.body.error.message).toBe(none.body.error.message)
    }
    expect(code(await member('GET', '/links/lookup?url=s.example/hidden'))).toBe(
      '404 LINK_NOT_FOUND',
    )
    const operations = [
      { op: 'update', id: hidden, link: { title: 'x' } },
      { op: 'delete', external_id: 'x-1' },
      { op: 'update', external_id: 'x-1', link: { title: 'x' } },
    ]
    const bulk = (await member('POST', '/links/bulk', { operations })).body
    const codes = bulk.data.map((it: { error?: { code: string } }) => it.error?.code)
    expect(codes).toEqual(['LINK_NOT_FOUND', 'LINK_NOT_FOUND', 'LINK_NOT_FOUND'])
    const aboutFolder: [string, string, Body?][] = [
      ['GET', `/folders/${id}`],
      ['PATCH', `/folders/${id}`, { name: 'x' }],
      ['DELETE', `/folders/${id}?move_to=none`],
    ]
    for (const [method, path, sent] of aboutFolder) {
      expect(code(await member(method, path, sent))).toBe('404 FOLDER_NOT_FOUND')
    }
    expect(await listed(member, `?folder_id=${id}`)).toEqual([])
    const moved = await member('PATCH', `/links/${seen}`, { folder_id: id })
    expect(moved.body.error.details[0]).toMatchObject({
      field: 'folder_id',
      code: 'FOLDER_NOT_FOUND',
    })
    const mine = await member('POST', '/folders', { name: 'Mine' })
    const into = await member('DELETE', `/folders/${mine.body.id}?move_to=${id}`)
    expect(into.status).toBe(422)
  })

  test('hides links moved into it, and links deleted from it', async () => {
    const [a, secret] = [await folder('A'), await folder('S', { access: 'members' })]
    const one = await link(a)
    expect(await listed(member)).toEqual([one])
    await owner('DELETE', `/folders/${a}?move_to=${secret}`)
    expect(await listed(member)).toEqual([])
    expect(code(await member('GET', `/links/${one}`))).toBe('404 LINK_NOT_FOUND')
    await owner('DELETE', `/links/${one}`)
    expect(code(await member('GET', `/links/${one}/history`))).toBe('404 LINK_NOT_FOUND')
    expect(code(await member('POST', `/links/${one}/restore`))).toBe('404 LINK_NOT_FOUND')
    expect((await owner('POST', `/links/${one}/restore`)).status).toBe(200)
  })

  test('loses members who leave the workspace', async () => {
    const id = await folder('S', { access: 'members', members: ['usr_member', 'usr_viewer'] })
    await owner('DELETE', '/members/usr_member')
    expect((await owner('GET', `/folders/${id}`)).body.members).toEqual(['usr_viewer'])
  })

  test('shows its links to keys, but not to those of people who may not see it', async () => {
    const id = await folder('S', { access: 'members' })
    const one = await link(id)
    const made = await admin('POST', '/keys', { name: 'k', scopes: ['links:read', 'links:write'] })
    const ask = (method: string, path: string, body?: object) =>
      its.withKey(made.body.key, method, path, body)
    const listed = async (query = '') =>
      (await ask('GET', `/links${query}`)).body.data.map((it: Body) => it)
    expect(await listed()).toMatchObject([{ id: one }])
    await owner('PATCH', '/members/usr_admin', { role: 'member', keys: 'keep' })
    expect(await listed()).toEqual([])
    expect(await listed(`?folder_id=${id}`)).toEqual([])
    expect(code(await ask('GET', `/links/${one}`))).toBe('404 LINK_NOT_FOUND')
    // It stays with its own folders, and shares no more than it sees.
    const own = await ask('POST', '/folders', { name: 'Mine', access: 'members' })
    expect(own.body.members).toEqual(['usr_admin'])
    expect((await ask('GET', `/folders/${own.body.id}`)).status).toBe(200)
    await ask('POST', '/shares', { subject: { workspace: true } })
    const [share] = await its.storage.read.db.selectFrom('shares').select('seen_by').execute()
    expect(share?.seen_by).toBe('usr_admin')
    await owner('DELETE', '/members/usr_admin?keys=keep')
    expect(await listed()).toMatchObject([{ id: one }])
  })
})

describe('an archived link', () => {
  test('is left out of lists by default, and its clicks are still counted', async () => {
    const one = await link(null, { archived: true, slug: 'old', tags: ['t'] })
    const two = await link(null, { tags: ['t'] })
    const pages = await Promise.all(
      ['', '?archived=false', '?archived=true', '?archived=any', '?tag=t', '?sort=clicks'].map(
        async (query) => {
          const { data, pagination } = (await member('GET', `/links${query}`)).body
          return [data.map((it: { id: string }) => it.id), pagination.total]
        },
      ),
    )
    expect(pages).toEqual([
      [[two], 1],
      [[two], 1],
      [[one], 1],
      [[two, one], 2],
      [[two], 1],
      [[two], 1],
    ])
    expect((await member('GET', '/links?archived=maybe')).status).toBe(422)
    expect((await member('GET', '/tags')).body.data[0].links).toBe(2)
    await member('PATCH', `/links/${one}`, { archived: false })
    expect(await listed(member)).toEqual([two, one])
    expect((await member('GET', `/links/${one}/history`)).body.data[0].changes).toEqual({
      archived: { from: true, to: false },
    })
  })
})

test('a workspace has a bounded number of folders', async () => {
  const { no: workspace_no } = its.workspace
  const rest = {
    access: 'workspace' as const,
    merged_into: null,
    created_at: 0,
    updated_at: 0,
    version: 1,
  }
  await its.storage.write(async (tx) => {
    const all = Array.from({ length: FOLDERS_MAX - 1 }, (_, n) => {
      return { id: `fld_${n}`, workspace_no, name: `f${n}`, name_key: `f${n}`, ...rest }
    })
    for (let at = 0; at < all.length; at += 1_000)
      await tx.db
        .insertInto('folders')
        .values(all.slice(at, at + 1_000))
        .execute()
  })
  const last = await folder('last')
  const { status, body } = await owner('POST', '/folders', { name: 'more' })
  expect([status, body.error.details[0].code]).toEqual([403, 'FOLDERS_LIMIT'])
  await owner('DELETE', `/folders/${last}`)
  expect((await owner('POST', '/folders', { name: 'more' })).status).toBe(201)
})
