import { afterAll, beforeAll, expect, test } from 'bun:test'
import openapi from '../../openapi.json'
import { Browser } from '../../src/features/accounts/testing/browser.ts'
import dashboardApi from '../../web/openapi.json'
import { eventually } from '../harness/eventually.ts'
import { type Slugline, startSlugline } from '../harness/process.ts'

const PASSWORD = 'a password of enough words'
const SECRET = 'secret-tag'

// biome-ignore lint/suspicious/noExplicitAny: tests read any body.
type Body = any
interface Seen {
  status: number
  headers: [string, string][]
  text: string
  body: Body
}
/** Sends a request to an API, by its path after `/api/v1`. */
type Send = (method: string, path: string, body?: unknown, type?: string) => Promise<Seen>

let slugline: Slugline
let owner: Send
/** A member, and the key of a person who is a member since: neither may see the folder. */
let outsiders: [name: string, prefix: string, send: Send][]

async function seenOf(answer: Response): Promise<Seen> {
  const requestId = answer.headers.get('x-request-id') ?? ''
  const text = (await answer.text()).replaceAll(requestId, 'ID')
  const varying = /^(x-request-id|date|set-cookie)$|ratelimit/
  const headers = [...answer.headers].filter(([name]) => !varying.test(name))
  const isJson = answer.headers.get('content-type')?.includes('json') && text.startsWith('{')
  const body = isJson && !text.includes('\n{') ? JSON.parse(text) : null
  return { status: answer.status, headers: headers.sort(), text, body }
}

const contentOf = (body: unknown, type = 'application/json') => ({
  ...(body !== undefined && {
    body: typeof body === 'string' ? body : JSON.stringify(body),
    headers: { 'content-type': type },
  }),
})

/** The dashboard's API, for a person who signs in. */
async function signedIn(name: string): Promise<Send> {
  const app = {
    fetch: (request: Request) =>
      fetch(new Request(slugline.url + new URL(request.url).pathname, request)),
  }
  const browser = new Browser(slugline.url, app, '192.0.2.1')
  expect((await browser.signIn(`${name}@example.com`, PASSWORD)).status).toBe(200)
  const cookie = [...browser.cookies].map(([key, value]) => `${key}=${value}`).join('; ')
  return async (method, path, body, type) => {
    const { headers = {}, ...content } = contentOf(body, type)
    const signed = { cookie, origin: slugline.url, 'slugline-workspace': browser.workspace ?? '' }
    const all = { method, ...content, headers: { ...headers, ...signed } }
    return seenOf(await fetch(`${slugline.url}/app/api/v1${path}`, all))
  }
}

function withKey(key: string): Send {
  return async (method, path, body, type) => {
    const { headers = {}, ...content } = contentOf(body, type)
    const all = { method, ...content, headers: { ...headers, authorization: `Bearer ${key}` } }
    return seenOf(await fetch(`${slugline.url}/api/v1${path}`, all))
  }
}

async function made(answer: Promise<Seen>): Promise<Body> {
  const { status, text, body } = await answer
  expect([status < 300, text]).toEqual([true, text])
  return body
}

async function finished(job: { id: string }): Promise<Body> {
  return eventually('the job has ended', async () => {
    const { body } = await owner('GET', `/jobs/${job.id}`)
    return body.finished_at === null ? undefined : body
  })
}

/** Visits a link, and waits until its click is in the statistics. */
async function visit(slug: string): Promise<void> {
  const clicks = async () => (await owner('GET', '/stats')).body?.totals.clicks as number
  const before = await eventually('there are statistics', clicks)
  const headers = { 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Firefox/140.0' }
  await fetch(`${slugline.url}/${slug}`, { headers, redirect: 'manual' })
  await eventually('the click is counted', async () =>
    (await clicks()) > before ? true : undefined,
  )
}

beforeAll(async () => {
  slugline = await startSlugline()
  for (const [name, role] of [
    ['owner', 'owner'],
    ['member', 'member'],
    ['maker', 'admin'],
  ] as const) {
    const person = ['--email', `${name}@example.com`]
    const workspace = role === 'owner' ? ['--workspace', 'Acme'] : []
    await slugline.cli('users', 'create', ...person, '--password', PASSWORD, ...workspace)
    if (role === 'owner') {
      await slugline.cli('workspaces', 'set-plan', 'Acme', 'unlimited')
      continue
    }
    const joining = [`${name}@example.com`, '--workspace', 'Acme', '--role', role]
    const joined = await slugline.cli('users', 'join', ...joining)
    expect([joined.status, joined.stderr]).toEqual([0, ''])
  }
  owner = await signedIn('owner')
  const maker = await signedIn('maker')
  const scopes = ['links:read', 'links:write', 'domains:read', 'domains:write']
  const { key } = await made(maker('POST', '/keys', { name: 'mine', scopes }))
  const { data } = await made(owner('GET', '/members'))
  const { user_id } = data.find(({ email }: { email: string }) => email.startsWith('maker'))
  await made(owner('PATCH', `/members/${user_id}`, { role: 'member', keys: 'keep' }))
  outsiders = [
    ['a member', '/app/api/v1', await signedIn('member')],
    ['a key of a member', '/api/v1', withKey(key)],
  ]
})
afterAll(() => slugline?.dispose())

type Operation = { requestBody?: { content: Record<string, { example?: unknown }> } }
const METHODS = ['get', 'post', 'put', 'patch', 'delete']
const DOCUMENTS: Record<string, { paths: object }> = {
  '/api/v1': openapi,
  '/app/api/v1': dashboardApi,
}

/** What is about the whole workspace: its limits count everything. */
const OF_WORKSPACE = /^\/(session|usage|workspace|members|invitations|people|account|instance)/
/** Answered by a stream that doesn't end. */
const ENDLESS = '/clicks/stream'

/** Times of reports, and cursors, which are encrypted. */
const VARYING = /("(?:from|to|next_cursor)":)"[^"]*"/g

/** The answers to all reading requests without an id. */
async function everythingOf([, prefix, send]: (typeof outsiders)[number]) {
  const paths = Object.entries(DOCUMENTS[prefix]?.paths ?? {})
    .filter(([path, methods]) => path.startsWith(prefix) && 'get' in methods)
    .map(([path]) => path.slice(prefix.length).replace('{dimension}', 'link'))
    .filter((path) => !/[{]/.test(path) && !OF_WORKSPACE.test(path) && path !== ENDLESS)
  const queries = [
    ...paths.map((path) => (path === '/links/sparklines' ? `${path}?ids=lnk_none` : path)),
    ...[`/links?tag=${SECRET}`, '/links?search=secret', '/links?archived=any&sort=slug&limit=1'],
    ...['/links?slug=secret', '/links?external_id=secret', '/links.csv?search=secret'],
    ...[
      '/links/external/secret',
      `/tags?name=${SECRET}`,
      '/tags?search=secret',
      '/folders?search=secret',
    ],
    ...[
      `/stats?tag=${SECRET}`,
      '/jobs?limit=1',
      '/jobs?status=succeeded',
      '/imports?limit=1',
      '/shares?limit=1',
      '/links/deleted?limit=1',
    ],
    `/links/lookup?url=${encodeURIComponent(`${slugline.url}/secret`)}`,
  ]
  const all: [path: string, status: number, text: string][] = []
  for (const path of queries) {
    // One at a time: only a few exports may be open.
    const { status, text } = await send('GET', path)
    all.push([path, status, text.replaceAll(VARYING, '$1')])
  }
  expect(all.filter(([, status]) => status === 200).length).toBeGreaterThan(20)
  return all
}

/** Objects in a folder that only the owner sees, each with the location of one that doesn't exist. */
async function makeHidden() {
  const folder = await made(owner('POST', '/folders', { name: 'Secret', access: 'members' }))
  const fields = { destination_url: 'https://example.com/secret', folder_id: folder.id }
  const create = (more: object) => made(owner('POST', '/links', { ...fields, ...more }))
  const link = await create({
    slug: 'secret',
    tags: [SECRET],
    external_id: 'secret',
    title: 'Secret',
  })
  const deleted = await create({ tags: ['secret-deleted'] })
  for (const { slug } of [link, deleted]) await visit(slug)
  await made(owner('DELETE', `/links/${deleted.id}`))
  const { data: tags } = await made(owner('GET', '/tags?limit=100'))
  const tagOf = (name: string) => tags.find((tag: { name: string }) => tag.name === name)
  const shares = []
  for (const subject of [{ link_id: link.id }, { folder_id: folder.id }, { tag: SECRET }]) {
    shares.push(await made(owner('POST', '/shares', { subject })))
  }
  const filters = { link_id: [link.id] }
  shares.push(await made(owner('POST', '/shares', { subject: { workspace: true }, filters })))
  const shown = { sort: 'created_at', order: 'desc', hidden_columns: [] }
  for (const filter of [{ folder_id: folder.id }, { tag: [SECRET] }]) {
    await made(
      owner('POST', '/views', { name: `V${Object.keys(filter)}`, shared: true, filter, ...shown }),
    )
  }
  for (const [name, value] of Object.entries({
    ...{ folder_id: folder.id, tag: SECRET, link_id: link.id, not_link_id: link.id },
  })) {
    const report = { filters: { [name]: [value] } }
    await made(owner('POST', '/views', { name: `R${name}`, shared: true, report }))
  }
  const rows = ['imported-1', 'imported-2'].map((slug) => JSON.stringify({ ...fields, slug }))
  const ndjson = 'application/x-ndjson'
  const imported = await made(owner('POST', '/imports?format=slugline', rows.join('\n'), ndjson))
  const dry = await made(
    owner('POST', '/imports?format=slugline&dry_run=true', rows.join('\n'), ndjson),
  )
  await Promise.all([imported, dry].map(finished))
  const refused = await made(
    owner(
      'POST',
      '/imports?format=slugline',
      JSON.stringify({ ...fields, destination_url: 'nowhere' }),
      ndjson,
    ),
  )
  const change = { patch: { title: 'Changed' } }
  const byFolder = await made(
    owner('POST', '/links/bulk/by-filter', {
      filter: { folder_id: folder.id },
      ...change,
      expected: 3,
    }),
  )
  const bySlug = { filter: { slug: ['secret'] }, ...change, expected: 1 }
  const byName = await made(owner('POST', '/links/bulk/by-filter', bySlug))
  await Promise.all([refused, byFolder, byName].map(finished))
  const undone = await made(owner('POST', `/imports/${imported.id}/undo`))
  await finished(undone)
  const ids = (objects: { id: string }[]) => objects.map(({ id }) => id)
  return {
    folder: folder.id as string,
    link: link.id as string,
    share: new URL(shares[0].url).pathname,
    kinds: {
      links: ids([link, deleted]),
      folders: ids([folder]),
      tags: ids([tagOf(SECRET), tagOf('secret-deleted')]),
      shares: ids(shares),
      jobs: ids([imported, dry, refused, byFolder, byName, undone]),
      imports: ids([imported, dry, refused]),
    } as Record<string, string[]>,
  }
}

const missing = (id: string) => `${id.slice(0, -6)}000000`

test('what is in a hidden folder is answered like what does not exist, on every endpoint', async () => {
  await made(owner('POST', '/links', { destination_url: 'https://example.com/', slug: 'open' }))
  const before = await Promise.all(outsiders.map(everythingOf))
  const { kinds, folder, link } = await makeHidden()
  const after = await Promise.all(outsiders.map(everythingOf))
  expect(after).toEqual(before)

  for (const [name, prefix, send] of outsiders) {
    let count = 0
    const paths = DOCUMENTS[prefix]?.paths as Record<string, Record<string, Operation>>
    for (const [path, operations] of Object.entries(paths)) {
      const kind = new RegExp(`^${prefix}/([\\w-]+)/.*\\{id\\}`).exec(path)?.[1] ?? ''
      for (const method of METHODS.filter((each) => each in operations)) {
        const content = Object.values(operations[method]?.requestBody?.content ?? {})[0]
        const ask = async (id: string) => {
          const filled = path.slice(prefix.length).replace('{dimension}', 'country')
          const query = method === 'delete' && path.endsWith('/clicks') ? '?before=2999-01-01' : ''
          const sent = await send(
            method.toUpperCase(),
            filled.replace('{id}', id) + query,
            content?.example,
          )
          const { status, headers, text } = sent
          const known = headers.map(([key, value]) => [key, value.replaceAll(id, 'ID')])
          return { name, method, path, status, known, text: text.replaceAll(id, 'ID') }
        }
        for (const id of kinds[kind] ?? []) {
          const answer = await ask(id)
          expect([name, method, path, answer.status]).toEqual([name, method, path, 404])
          expect(answer).toEqual(await ask(missing(id)))
          count++
        }
      }
    }
    expect(count).toBeGreaterThan(70)

    const tag = await made(send('POST', '/tags', { name: `mine-${name}` }))
    const own = await made(send('POST', '/links', { destination_url: 'https://example.com/' }))
    const mine = await made(send('POST', '/folders', { name: 'Mine' }))
    const url = { destination_url: 'https://example.com/' }
    const about: [string, string, (id: string) => unknown, string][] = [
      ['POST', '/links', (folder_id) => ({ ...url, folder_id }), folder],
      ['PATCH', `/links/${own.id}`, (folder_id) => ({ folder_id }), folder],
      ['POST', `/tags/${tag.id}/merge`, (into) => ({ into }), kinds.tags?.[0] as string],
      ['POST', '/shares', (link_id) => ({ subject: { link_id } }), link],
      ['POST', '/shares', (folder_id) => ({ subject: { folder_id } }), folder],
      [
        'POST',
        '/shares',
        (id) => ({ subject: { workspace: true }, filters: { link_id: [id] } }),
        link,
      ],
      ['POST', '/links/bulk', (id) => ({ operations: [{ op: 'delete', id }] }), link],
      ['POST', '/links/bulk', (id) => ({ operations: [{ op: 'update', id, link: {} }] }), link],
      ...['folder_id', 'id'].map((filter): [string, string, (id: string) => unknown, string] => [
        'POST',
        '/links/bulk/by-filter?dry_run=true',
        (id) => ({
          ...{ filter: { [filter]: filter === 'id' ? [id] : id } },
          ...{ patch: { title: 'x' }, expected: 0 },
        }),
        filter === 'id' ? link : folder,
      ]),
    ]
    for (const [method, path, bodyOf, id] of about) {
      const ask = async (one: string) => {
        const { status, text } = await send(method, path, bodyOf(one))
        return [
          path,
          status,
          text.replaceAll(one, 'ID').replaceAll(/job_\w+|("\w+_at"):"[^"]+"/g, '$1'),
        ]
      }
      expect(await ask(id)).toEqual(await ask(missing(id)))
    }
    const queries: [string, string][] = [
      ...['/links?folder_id=', '/stats?folder_id=', '/links.csv?folder_id='].map(
        (path): [string, string] => [path, folder],
      ),
      ...['/links?id=', '/stats?link_id=', '/clicks?link_id=', '/links/deleted?id='].map(
        (path): [string, string] => [path, link],
      ),
    ]
    for (const [path, id] of queries) {
      const ask = async (one: string) => {
        const { status, text } = await send('GET', path + one)
        return [path, status, text.replaceAll(one, 'ID').replaceAll(VARYING, '$1')]
      }
      expect(await ask(id)).toEqual(await ask(missing(id)))
    }
    const explained = async (slug: string) => {
      const { text } = await send('POST', '/explain', { url: `${slugline.url}/${slug}` })
      return text.replaceAll(slug, 'SLUG')
    }
    expect(await explained('secret')).toEqual(await explained('nowhere-else'))
    await made(send('DELETE', `/folders/${mine.id}`))
  }

  // Nothing of it has changed.
  expect((await owner('GET', `/links/${link}`)).body).toMatchObject({
    ...{
      slug: 'secret',
      tags: [SECRET],
      title: 'Changed',
      folder_id: folder,
      external_id: 'secret',
    },
  })
  for (const [kind, ids] of Object.entries(kinds)) {
    for (const id of ids.slice(0, 1)) {
      const path = kind === 'imports' ? `/imports/${id}/rows` : `/${kind}/${id}`
      expect([path, (await owner('GET', path)).status]).toEqual([path, 200])
    }
  }
  for (const id of kinds.shares ?? []) {
    expect((await owner('GET', `/shares/${id}`)).status).toBe(200)
  }
})

test('what a deleted restricted folder leaves behind stays hidden', async () => {
  const { kinds, folder } = await makeHiddenAgain()
  const before = await Promise.all(outsiders.map(everythingOf))
  await made(owner('DELETE', `/folders/${folder}`))
  expect(await Promise.all(outsiders.map(everythingOf))).toEqual(before)
  for (const [, , send] of outsiders) {
    for (const [path, id] of [
      ['/links/deleted?id=', kinds.link],
      ['/links/', `${kinds.link}/history`],
      ['/jobs/', kinds.job],
      ['/tags/', kinds.tag],
    ] as const) {
      const { status, text } = await send('GET', path + id)
      expect(path.includes('?') ? JSON.parse(text).data : status).toEqual(
        path.includes('?') ? [] : 404,
      )
    }
    expect((await send('POST', `/links/${kinds.link}/restore`)).status).toBe(404)
  }
  // Who sees everything can still restore it.
  expect((await owner('POST', `/links/${kinds.link}/restore`)).status).toBe(200)

  /** A restricted folder whose only link was imported, and deleted. */
  async function makeHiddenAgain() {
    const secret = await made(owner('POST', '/folders', { name: 'Gone', access: 'members' }))
    const record = JSON.stringify({
      ...{ destination_url: 'https://example.com/gone', slug: 'gone' },
      ...{ folder_id: secret.id, tags: ['gone-tag'] },
    })
    const job = await made(
      owner('POST', '/imports?format=slugline', record, 'application/x-ndjson'),
    )
    await finished(job)
    const [link] = (await made(owner('GET', '/links?slug=gone'))).data
    const [tag] = (await made(owner('GET', '/tags?name=gone-tag'))).data
    await visit('gone')
    await made(owner('DELETE', `/links/${link.id}`))
    const all = { link: link.id as string, job: job.id as string, tag: tag.id as string }
    return { folder: secret.id as string, kinds: all }
  }
})

test('shared statistics end when who shares can no longer see their subject', async () => {
  const [, , member] = outsiders[0] as (typeof outsiders)[number]
  const fields = { destination_url: 'https://example.com/', tags: ['shared-tag'], title: 'Public' }
  const link = await made(member('POST', '/links', fields))
  const subjects = [{ link_id: link.id }, { tag: 'shared-tag' }]
  const urls: string[] = []
  for (const subject of subjects)
    urls.push((await made(member('POST', '/shares', { subject }))).url)
  const about = (url: string) => fetch(`${slugline.url}${new URL(url).pathname}/about`)
  const statuses = async () => Promise.all(urls.map(async (url) => (await about(url)).status))
  expect(await statuses()).toEqual([200, 200])
  const folder = await made(owner('POST', '/folders', { name: 'S', access: 'members' }))
  await made(owner('PATCH', `/links/${link.id}`, { folder_id: folder.id, title: 'Secret' }))
  expect(await statuses()).toEqual([404, 404])
  const gone = await about(urls[0] as string)
  const none = await fetch(`${slugline.url}/shared/${'x'.repeat(32)}/about`)
  const bodyOf = async (answer: Response) => ((await answer.json()) as Body).error.message
  expect(await bodyOf(gone)).toBe(await bodyOf(none))
})

test('an import leaves out rows whose links were hidden later, and undoing it leaves them alone', async () => {
  const [, , member] = outsiders[0] as (typeof outsiders)[number]
  const rows = ['mine-1', 'mine-2'].map((slug) => {
    return JSON.stringify({ destination_url: 'https://example.com/', slug })
  })
  const job = await made(member('POST', '/imports', rows.join('\n'), 'application/x-ndjson'))
  await finished(job)
  const listed = async (send: Send) =>
    (await made(send('GET', `/imports/${job.id}/rows`))).data.map(({ slug }: Body) => slug)
  expect(await listed(member)).toEqual(['mine-1', 'mine-2'])
  const folder = await made(owner('POST', '/folders', { name: 'L', access: 'members' }))
  const [link] = (await made(owner('GET', '/links?slug=mine-2'))).data
  await made(owner('PATCH', `/links/${link.id}`, { folder_id: folder.id }))
  expect(await listed(member)).toEqual(['mine-1'])
  expect(await listed(owner)).toEqual(['mine-1', 'mine-2'])
  const undo = await finished(await made(member('POST', `/imports/${job.id}/undo`)))
  expect(undo).toMatchObject({ status: 'succeeded', result: { deleted: 1, kept: 0 } })
  expect((await owner('GET', `/links/${link.id}`)).status).toBe(200)
})
