import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import openapi from '../../openapi.json'
import { SCOPES } from '../../src/model/keys/scopes.ts'
import { eventually } from '../harness/eventually.ts'
import { type Slugline, startSlugline } from '../harness/process.ts'

/** Every endpoint, by what a restriction to some links does to it; none may be missing. */
const EFFECTS: Readonly<Record<string, readonly string[]>> = {
  /** A link, or what belongs to one, is answered like a missing one. */
  'by id': [
    ...['getLink', 'updateLink', 'deleteLink', 'getLinkHistory', 'restoreLink', 'appealBlock'],
    ...['getQrCodeSVG', 'getQrCodePNG', 'explainLink', 'getLinkStats', 'listLinkTopValues'],
    ...['listLinkClicks', 'deleteLinkClicks', 'exportLinkClicksCSV', 'exportLinkClicksNDJSON'],
    ...['exportLinkClicksParquet', 'getJob', 'cancelJob', 'getImport', 'listImportRows'],
    ...['exportImportRows', 'startImport', 'undoImport', 'undoChangeByFilter', 'getTag'],
    ...['getShare', 'updateShare', 'deleteShare', 'getFolder', 'getDomain', 'getDomainSetup'],
    ...['listMissedVisits', 'getWebhook', 'updateWebhook'],
    ...['deleteWebhook', 'rotateWebhookSecret', 'testWebhook', 'listWebhookDeliveries'],
    ...['replayWebhookDelivery', 'replayWebhook'],
  ],
  /** Is answered as if there were only the links of the key. */
  read: [
    ...['listLinks', 'lookUpLink', 'listDeletedLinks', 'exportLinksCSV', 'exportLinksNDJSON'],
    ...['exportHistory', 'listJobs', 'listImports', 'listTags', 'listFolders', 'listShares'],
    ...['listDomains', 'getStats', 'listTopValues', 'listClicks', 'exportClicksCSV'],
    ...['exportClicksNDJSON', 'exportClicksParquet', 'getLinkByExternalId', 'explainUrl'],
    ...['streamClicks', 'listEvents', 'streamEvents', 'listWebhooks'],
  ],
  /** What is written must be one of the key's links. */
  write: [
    ...['createLink', 'writeLinks', 'changeLinksByFilter', 'importLinks', 'previewImport'],
    ...['importFromService', 'putLinkByExternalId', 'updateLinkByExternalId'],
    ...['deleteLinkByExternalId', 'createShare', 'createWebhook'],
  ],
  /** Belongs to the whole workspace. */
  refused: [
    ...['setLogo', 'deleteLogo', 'createUtmTemplate', 'updateUtmTemplate', 'deleteUtmTemplate'],
    ...['createTag', 'updateTag', 'deleteTag', 'mergeTag', 'createFolder', 'updateFolder'],
    ...['deleteFolder', 'createDomain', 'updateDomain', 'deleteDomain', 'verifyDomain'],
  ],
  /** Isn't about links. */
  'as always': [
    ...['getLogo', 'listUtmTemplates', 'getUtmTemplate', 'getMe', 'getIndex', 'listPlans'],
    ...['listKeys', 'getKey', 'createKey', 'updateKey', 'revokeKey', 'rotateKey'],
    ...['getSharedAbout', 'unlockShare', 'getSharedStats', 'listSharedTopValues'],
    'listWebhookEventTypes',
  ],
}

interface Operation {
  operationId: string
  requestBody?: { content: Record<string, { example?: unknown }> }
}
const OPERATIONS = Object.entries(openapi.paths).flatMap(([path, methods]) =>
  Object.entries(methods as Record<string, Operation>).map(([method, operation]) => ({
    id: operation.operationId,
    method: method.toUpperCase(),
    path: path.replace('/api/v1', '').replace('{dimension}', 'link'),
    example: Object.values(operation.requestBody?.content ?? {})[0]?.example,
  })),
)
const operationsOf = (effect: string) =>
  OPERATIONS.filter(({ id }) => EFFECTS[effect]?.includes(id) ?? false)

// biome-ignore lint/suspicious/noExplicitAny: tests read any body.
type Body = any
interface Seen {
  status: number
  headers: [string, string][]
  text: string
  body: Body
}
/** Sends a request with a key, by its path after `/api/v1`. */
type Send = (method: string, path: string, body?: unknown, type?: string) => Promise<Seen>

const DOMAIN = 'go.example'
const url = { destination_url: 'https://example.com/' }
let slugline: Slugline
/** A key of everything. */
let all: Send
let inside: { folder: string; fields: object }
/** Keys that are restricted to the folder, the domain, or the tag of `inside`. */
let restricted: { kind: string; restrictions: object; send: Send }[]

function withKey(key: string): Send {
  return async (method, path, content, type = 'application/json') => {
    const answer = await fetch(`${slugline.url}/api/v1${path}`, {
      method,
      headers: {
        authorization: `Bearer ${key}`,
        ...(content !== undefined && { 'content-type': type }),
      },
      ...(content !== undefined && {
        body: typeof content === 'string' ? content : JSON.stringify(content),
      }),
    })
    const requestId = answer.headers.get('x-request-id') ?? ''
    const text = (await answer.text()).replaceAll(requestId, 'ID')
    const varying = /^(x-request-id|date)$|ratelimit/
    const headers = [...answer.headers].filter(([name]) => !varying.test(name)).sort()
    const isJson = answer.headers.get('content-type')?.includes('json') && text.startsWith('{')
    const body = isJson && !text.includes('\n{') ? JSON.parse(text) : null
    return { status: answer.status, headers, text, body }
  }
}

async function made(answer: Promise<Seen>): Promise<Body> {
  const { status, text, body } = await answer
  expect([status < 300, text]).toEqual([true, text])
  return body
}

async function finished(job: { id: string }, send = all): Promise<Body> {
  return eventually('the job has ended', async () => {
    const { body } = await send('GET', `/jobs/${job.id}`)
    return body.finished_at === null ? undefined : body
  })
}

async function keyWith(restrictions: object | null): Promise<{ send: Send; id: string }> {
  const input = { name: 'restricted', scopes: SCOPES, restrictions }
  const { key, id } = await made(all('POST', '/keys', input))
  return { send: withKey(key), id }
}

/** Visits a link, and waits until its click is in the statistics. */
async function visit({ domain, slug }: { domain: string; slug: string }): Promise<void> {
  const clicks = async () => (await all('GET', '/stats')).body?.totals.clicks as number
  const before = await eventually('there are statistics', clicks)
  const agent = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Firefox/140.0'
  const host = domain === DOMAIN ? { host: DOMAIN } : {}
  const headers = { 'user-agent': agent, ...host }
  await fetch(`${slugline.url}/${slug}`, { headers, redirect: 'manual' })
  await eventually('the click is counted', async () =>
    (await clicks()) > before ? true : undefined,
  )
}

beforeAll(async () => {
  slugline = await startSlugline({ SLUGLINE_DOMAINS: DOMAIN })
  all = withKey((await slugline.createKey({ workspace: 'acme', scopes: SCOPES.join(',') })).key)
  const { id: folder } = await made(all('POST', '/folders', { name: 'Inside' }))
  await made(all('POST', '/tags', { name: 'inside' }))
  inside = { folder, fields: { ...url, folder_id: folder, domain: DOMAIN, tags: ['inside'] } }
  restricted = []
  for (const [kind, restrictions] of Object.entries({
    folders: { folders: [folder] },
    domains: { domains: [DOMAIN] },
    tags: { tags: ['Inside'] },
    own_links: { own_links: true },
    all: { folders: [folder], domains: [DOMAIN], tags: ['inside'] },
  })) {
    restricted.push({ kind, restrictions, ...(await keyWith(restrictions)) })
  }
})
afterAll(() => slugline?.dispose())

/** Times of reports, and cursors, which are encrypted. */
const VARYING = /("(?:from|to|next_cursor)":)"[^"]*"/g

/** The answers to all reading requests without an id. */
async function everythingOf({ send }: { send: Send }) {
  const paths = operationsOf('read')
    .filter(
      ({ method, path, id }) => method === 'GET' && !path.includes('{') && !id.startsWith('stream'),
    )
    .map(({ path }) => path)
  const queries = [
    ...paths,
    ...['/links?tag=outside', '/links?search=outside', '/links?archived=any&sort=slug&limit=1'],
    ...['/links?slug=outside', '/links?external_id=outside', '/links.csv?search=outside'],
    ...['/links?sort=relevance&search=outside', '/links/external/outside', '/tags?name=outside'],
    ...['/links?sort=clicks&status=active', '/links?total=quick', '/tags?search=outside'],
    ...['/stats?tag=outside', '/stats/country', '/stats/domain', '/jobs?limit=1'],
    ...['/imports?limit=1', '/shares?limit=1', '/links/deleted?limit=1', '/stats/rule'],
    `/links?destination_url=${encodeURIComponent('https://example.com/outside')}`,
    `/links/lookup?url=${encodeURIComponent(`${slugline.url}/outside`)}`,
  ]
  const answers: [path: string, status: number, text: string][] = []
  for (const path of queries) {
    // One at a time: only a few exports may be open.
    const { status, text } = await send('GET', path)
    answers.push([path, status, text.replaceAll(VARYING, '$1')])
  }
  expect(answers.filter(([, status]) => status === 200).length).toBeGreaterThan(25)
  return answers
}

/** Objects outside of all restrictions; folders and domains are made before. */
async function makeOutside(folder: string, domain: string) {
  const fields = { destination_url: 'https://example.com/outside', folder_id: folder }
  const create = (more: object) => made(all('POST', '/links', { ...fields, ...more }))
  const link = await create({ slug: 'outside', tags: ['outside'], external_id: 'outside' })
  const deleted = await create({ tags: ['outside-deleted'] })
  for (const each of [link, deleted]) await visit(each)
  await made(all('DELETE', `/links/${deleted.id}`))
  const { data: tags } = await made(all('GET', '/tags?limit=100'))
  const shares = []
  for (const subject of [{ link_id: link.id }, { folder_id: folder }, { tag: 'outside' }]) {
    shares.push(await made(all('POST', '/shares', { subject })))
  }
  shares.push(await made(all('POST', '/shares', { subject: { workspace: true } })))
  const rows = ['imported-1', 'imported-2'].map((slug) => JSON.stringify({ ...fields, slug }))
  const ndjson = 'application/x-ndjson'
  const imported = await made(all('POST', '/imports?format=slugline', rows.join('\n'), ndjson))
  await finished(imported)
  const bySlug = { filter: { slug: ['outside'] }, patch: { title: 'Outside' }, expected: 1 }
  const changed = await made(all('POST', '/links/bulk/by-filter', bySlug))
  await finished(changed)
  const hook = { url: 'https://example.com/hook', enabled: false }
  const webhook = await made(all('POST', '/webhooks', hook))
  const ids = (objects: { id: string }[]) => objects.map(({ id }) => id)
  return {
    link: link.id as string,
    kinds: {
      links: ids([link, deleted]),
      tags: ids(tags.filter((tag: { name: string }) => tag.name.startsWith('outside'))),
      shares: ids(shares),
      jobs: ids([imported, changed]),
      imports: ids([imported]),
      folders: [folder],
      domains: [domain],
      webhooks: [webhook.id],
    } as Record<string, string[]>,
  }
}

const missing = (id: string) => `${id.slice(0, -6)}000000`

describe('the restrictions of a key', () => {
  test('have an effect on every endpoint', () => {
    const known = Object.values(EFFECTS).flat().sort()
    expect(OPERATIONS.map(({ id }) => id).sort()).toEqual(known)
  })

  test('answer what is outside like what does not exist, on every endpoint', async () => {
    const { send: maker } = restricted.find(({ kind }) => kind === 'own_links') as Body
    const link = await made(maker('POST', '/links', { ...inside.fields, slug: 'in' }))
    await visit(link)
    const { id: folder } = await made(all('POST', '/folders', { name: 'Outside' }))
    const { id: domain } = await made(all('POST', '/domains', { host: 'outside.example' }))
    const before = []
    for (const each of restricted) before.push(await everythingOf(each))
    const outside = await makeOutside(folder, domain)
    for (const [i, each] of restricted.entries()) {
      expect([each.kind, await everythingOf(each)]).toEqual([each.kind, before[i] as never])
      const { body: stats } = await each.send('GET', '/stats')
      expect([each.kind, stats.totals.clicks]).toEqual([each.kind, 1])
    }

    for (const { kind: restriction, restrictions, send } of restricted) {
      let count = 0
      const ask = async (method: string, path: string, id: string, body: unknown) => {
        const query = method === 'DELETE' && path.endsWith('/clicks') ? '?before=2999-01-01' : ''
        const answer = await send(method, path.replace('{id}', id) + query, body)
        const known = answer.headers.map(([key, value]) => [key, value.replaceAll(id, 'ID')])
        return {
          method,
          path,
          status: answer.status,
          known,
          text: answer.text.replaceAll(id, 'ID'),
        }
      }
      for (const { id: operation, method, path, example } of [
        ...operationsOf('by id'),
        ...operationsOf('refused'),
      ]) {
        const [, kind = ''] = /^\/([\w-]+)\/.*\{id\}/.exec(path) ?? []
        // A folder or domain itself is outside only of its own kind of restriction.
        if ((kind === 'folders' || kind === 'domains') && !(kind in restrictions)) continue
        for (const id of outside.kinds[kind] ?? []) {
          const answer = await ask(method, path, id, example)
          const expected = EFFECTS.refused?.includes(operation) ? 403 : 404
          expect([restriction, operation, answer.status]).toEqual([
            restriction,
            operation,
            expected,
          ])
          expect(answer).toEqual(await ask(method, path, missing(id), example))
          count++
        }
      }
      expect(count).toBeGreaterThan(50)

      const own = await made(send('POST', '/links', inside.fields))
      const about: [string, string, (id: string) => unknown, string][] = [
        ['POST', '/shares', (link_id) => ({ subject: { link_id } }), outside.link],
        ['POST', '/links/bulk', (id) => ({ operations: [{ op: 'delete', id }] }), outside.link],
        [
          'POST',
          '/links/bulk',
          (id) => ({ operations: [{ op: 'update', id, link: {} }] }),
          outside.link,
        ],
        [
          ...(['POST', '/links/bulk/by-filter?dry_run=true'] as const),
          (id) => ({ filter: { id: [id] }, patch: { title: 'x' }, expected: 0 }),
          outside.link,
        ],
        ['POST', '/shares', (tag) => ({ subject: { tag } }), 'outside-deleted'],
        ...('folders' in restrictions
          ? ([
              ['POST', '/links', (folder_id) => ({ ...inside.fields, folder_id }), folder],
              ['PATCH', `/links/${own.id}`, (folder_id) => ({ folder_id }), folder],
              ['POST', '/shares', (folder_id) => ({ subject: { folder_id } }), folder],
              [
                'POST',
                '/keys',
                (id) => ({
                  name: 'k',
                  scopes: ['links:read'],
                  restrictions: { ...restrictions, folders: [id] },
                }),
                folder,
              ],
            ] as [string, string, (id: string) => unknown, string][])
          : []),
      ]
      for (const [method, path, bodyOf, id] of about) {
        const named = async (one: string) => {
          const { status, text } = await send(method, path, bodyOf(one))
          return [
            path,
            status,
            text.replaceAll(one, 'ID').replaceAll(/job_\w+|("\w+_at"):"[^"]+"/g, '$1'),
          ]
        }
        expect(await named(id)).toEqual(await named(missing(id)))
      }
      for (const path of [
        '/links?id=',
        '/stats?link_id=',
        '/clicks?link_id=',
        '/links/deleted?id=',
      ]) {
        const named = async (one: string) => {
          const { status, text } = await send('GET', path + one)
          return [path, status, text.replaceAll(one, 'ID').replaceAll(VARYING, '$1')]
        }
        expect(await named(outside.link)).toEqual(await named(missing(outside.link)))
      }
      const explained = async (slug: string) => {
        const { text } = await send('POST', '/explain', { url: `${slugline.url}/${slug}` })
        return text.replaceAll(slug, 'SLUG')
      }
      expect(await explained('outside')).toEqual(await explained('nowhere-else'))
      await made(send('DELETE', `/links/${own.id}`))
      expect((await send('GET', `/links/deleted?id=${own.id}`)).body.data).toHaveLength(1)
      await made(send('POST', `/links/${own.id}/restore`))
      await made(send('DELETE', `/links/${own.id}`))
    }
    const { body } = await all('GET', `/links/${outside.link}`)
    expect(body).toMatchObject({ slug: 'outside', title: 'Outside', tags: ['outside'] })
    for (const [kind, ids] of Object.entries(outside.kinds)) {
      for (const id of ids.slice(0, 1)) {
        expect([kind, (await all('GET', `/${kind}/${id}`)).status]).toEqual([kind, 200])
      }
    }
    await made(all('DELETE', `/links/${link.id}`))
    // Hundreds of requests, on a machine that may be busy.
  }, 300_000)

  test.each(['folders', 'domains', 'tags'])('let nothing be written outside: %s', async (kind) => {
    const { send, restrictions } = restricted.find((each) => each.kind === kind) as Body
    const field = { folders: 'folder_id', domains: 'domain', tags: 'tags' }[kind] as string
    const detailsOf = ({ status, body }: Seen) => [
      status,
      body.error?.details?.map((fault: Body) => [fault.field, fault.code]),
    ]
    const refused = [422, [[field, 'OUTSIDE_RESTRICTIONS']]]
    expect(detailsOf(await send('POST', '/links', url))).toEqual(refused as never)
    expect(detailsOf(await send('PUT', '/links/external/ext', url))).toEqual(refused as never)
    const found = await send('POST', '/links?if_exists=return', url)
    expect(detailsOf(found)).toEqual(refused as never)
    const bulk = await send('POST', '/links/bulk', {
      operations: [
        { op: 'create', link: url },
        { op: 'create', link: inside.fields },
      ],
    })
    expect(bulk.body.data.map((one: Body) => one.status)).toEqual([422, 201])
    const own = bulk.body.data[1].link
    const moved = await send('PATCH', `/links/${own.id}`, { [field]: null })
    expect(detailsOf(moved)).toEqual(refused as never)
    const byFilter = await made(
      send('POST', '/links/bulk/by-filter', {
        filter: { id: [own.id] },
        patch: { [field]: null },
        expected: 1,
      }),
    )
    expect(await finished(byFilter, send)).toMatchObject({ progress: { failed: 1 } })
    const rows = [url, { ...inside.fields, title: kind }].map((row) => JSON.stringify(row))
    const imported = await made(
      send('POST', '/imports?format=slugline', rows.join('\n'), 'application/x-ndjson'),
    )
    await finished(imported, send)
    const { body: results } = await send('GET', `/imports/${imported.id}/rows`)
    expect(results.data.map((row: Body) => row.status)).toEqual(['refused', 'created'])
    // A version outside of the restrictions isn't restored.
    const before = await made(all('POST', '/links', url))
    await made(all('PATCH', `/links/${before.id}`, inside.fields))
    const restored = await send('POST', `/links/${before.id}/restore`, { version: 1 })
    expect(detailsOf(restored)).toEqual(refused as never)
    for (const subject of [{ workspace: true }, { tag: 'inside' }]) {
      const share = await send('POST', '/shares', { subject })
      expect([share.status, share.body.error.details[0].code]).toEqual([
        422,
        'OUTSIDE_RESTRICTIONS',
      ])
    }
    const aliased = await send('POST', '/links', {
      ...inside.fields,
      aliases: [`${new URL(slugline.url).host}/other-${kind}`],
    })
    expect(detailsOf(aliased)).toEqual(
      (kind === 'domains'
        ? [422, [['aliases[0]', 'OUTSIDE_RESTRICTIONS']]]
        : [201, undefined]) as never,
    )
    expect((await send('GET', '/me')).body.restrictions).toEqual(
      kind === 'tags' ? { tags: ['inside'] } : restrictions,
    )
  })

  test('are kept at rotation, changed one by one, and end with what they name', async () => {
    const { id, send } = await keyWith({
      folders: [inside.folder],
      networks: ['127.0.0.0/8', '::1'],
    })
    const rotated = await made(all('POST', `/keys/${id}/rotate`))
    const kept = { folders: [inside.folder], networks: ['127.0.0.0/8', '::1'] }
    expect(rotated.restrictions).toEqual(kept)
    expect((await send('GET', '/links')).status).toBe(200)
    const path = `/keys/${rotated.id}`
    const next = withKey(rotated.key)
    const only = await made(all('PATCH', path, { restrictions: { networks: null } }))
    expect(only.restrictions).toEqual({ folders: [inside.folder] })
    const elsewhere = { networks: ['192.0.2.0/24'] }
    await made(all('PATCH', path, { restrictions: elsewhere }))
    const unknown = await withKey(`${rotated.key}`)('GET', '/links')
    expect([unknown.status, unknown.body.error.code]).toEqual([401, 'INVALID_API_KEY'])
    await made(all('PATCH', path, { restrictions: null, name: 'free' }))
    expect((await next('GET', '/me')).body).toMatchObject({
      restrictions: null,
      key: { name: 'free' },
    })
    expect((await made(all('GET', path))).restrictions).toBeNull()

    await made(all('POST', '/tags', { name: 'ending' }))
    await made(all('PATCH', path, { restrictions: { tags: ['ENDING'] } }))
    const { data } = await made(all('GET', '/tags?name=ending'))
    await made(all('PATCH', `/tags/${data[0].id}`, { name: 'renamed' }))
    expect((await made(all('GET', path))).restrictions).toEqual({ tags: ['renamed'] })
    const link = await made(next('POST', '/links', { ...url, tags: ['renamed'] }))
    await made(all('DELETE', `/tags/${data[0].id}`))
    expect((await next('GET', '/links')).body.pagination.total).toBe(0)
    expect((await next('GET', `/links/${link.id}`)).status).toBe(404)
  })

  test('let a key of its own links see those of the keys before it', async () => {
    const { id, send } = await keyWith({ own_links: true })
    const first = await made(send('POST', '/links', url))
    const foreign = await made(all('POST', '/links', url))
    const rotated = await made(all('POST', `/keys/${id}/rotate`))
    expect(rotated.restrictions).toEqual({ own_links: true })
    const next = withKey(rotated.key)
    const second = await made(next('POST', '/links', url))
    const idsOf = async (by: Send) =>
      (await made(by('GET', '/links'))).data.map((link: Body) => link.id)
    expect(await idsOf(next)).toEqual([second.id, first.id])
    expect(await idsOf(send)).toEqual([first.id])
    expect((await next('GET', `/links/${foreign.id}`)).status).toBe(404)
    const events: string[] = []
    for (let after = ''; ; ) {
      const { data, pagination } = await made(next('GET', `/events${after}`))
      events.push(...data.map((event: Body) => event.object?.id ?? event.data?.object?.id))
      if (!pagination.has_more) break
      after = `?after=${pagination.next_cursor}`
    }
    expect(events).toEqual([first.id, second.id])
    await made(all('DELETE', `/links/${foreign.id}`))
  })

  test('can only be passed on, never widened', async () => {
    const own = { folders: [inside.folder], networks: ['127.0.0.0/8', '::1'] }
    const { id, send } = await keyWith(own)
    const key = (restrictions: unknown) => ({ name: 'k', scopes: ['links:read'], restrictions })
    const codeOf = async (answer: Promise<Seen>) => (await answer).body?.error?.code ?? 'made'
    expect(await codeOf(send('POST', '/keys', key(null)))).toBe('RESTRICTION_NOT_GRANTABLE')
    const without = { folders: [inside.folder] }
    expect(await codeOf(send('POST', '/keys', key(without)))).toBe('RESTRICTION_NOT_GRANTABLE')
    const wider = { ...own, networks: ['127.0.0.0/7'] }
    expect(await codeOf(send('POST', '/keys', key(wider)))).toBe('RESTRICTION_NOT_GRANTABLE')
    const narrower = { ...own, networks: ['127.0.0.1'], tags: ['inside'] }
    expect(await codeOf(send('POST', '/keys', key(narrower)))).toBe('made')
    expect(await codeOf(send('PATCH', `/keys/${id}`, { restrictions: null }))).toBe(
      'RESTRICTION_NOT_GRANTABLE',
    )
    const free = await keyWith(null)
    expect(await codeOf(send('POST', `/keys/${free.id}/rotate`))).toBe('RESTRICTION_NOT_GRANTABLE')
    expect(await codeOf(send('PATCH', `/keys/${free.id}`, { name: 'x' }))).toBe('made')
  })

  test('are validated', async () => {
    const detailsOf = async (restrictions: unknown) =>
      (
        await all('POST', '/keys', { name: 'k', scopes: ['links:read'], restrictions })
      ).body.error?.details?.map(({ field, code }: Body) => [field, code])
    expect(await detailsOf({ folders: [], other: 1 })).toEqual([
      ['restrictions.folders', 'TOO_FEW'],
      ['restrictions.other', 'UNKNOWN_FIELD'],
    ])
    expect(
      await detailsOf({ domains: ['nowhere.example'], tags: ['none'], folders: ['fld_x'] }),
    ).toEqual([
      ['restrictions.domains[0]', 'UNKNOWN_DOMAIN'],
      ['restrictions.folders[0]', 'FOLDER_NOT_FOUND'],
      ['restrictions.tags[0]', 'TAG_NOT_FOUND'],
    ])
    expect(await detailsOf({ networks: ['here'] })).toEqual([
      ['restrictions.networks[0]', 'INVALID_VALUE'],
    ])
    expect(await detailsOf({ networks: Array(101).fill('::1') })).toEqual([
      ['restrictions.networks', 'TOO_MANY'],
    ])
  })

  test('hold for live streams', async () => {
    const outside = await made(all('POST', '/links', { ...url, slug: 'streamed-outside' }))
    const link = await made(all('POST', '/links', { ...inside.fields, slug: 'streamed' }))
    const { key } = await made(
      all('POST', '/keys', { name: 'k', scopes: SCOPES, restrictions: { tags: ['inside'] } }),
    )
    const headers = { authorization: `Bearer ${key}` }
    const stream = await fetch(`${slugline.url}/api/v1/clicks/stream`, { headers })
    expect(stream.status).toBe(200)
    await visit(outside)
    await visit(link)
    let text = ''
    for await (const chunk of stream.body as ReadableStream<Uint8Array>) {
      text += new TextDecoder().decode(chunk)
      if (text.includes(link.id)) break
    }
    expect(text).not.toContain(outside.id)
    await made(all('DELETE', `/links/${outside.id}`))
  })

  test('never share the stored answer to a request with other keys', async () => {
    const input = { name: 'k', scopes: SCOPES, restrictions: { folders: [inside.folder] } }
    const { key } = await made(all('POST', '/keys', input))
    const { key: other } = await slugline.createKey({ workspace: 'acme' })
    const create = (secret: string) =>
      slugline.call('POST', '/api/v1/links', {
        key: secret,
        body: inside.fields,
        headers: { 'idempotency-key': 'shared' },
      })
    const answers: (string | null)[] = []
    for (const secret of [other, key, key, other]) {
      answers.push((await create(secret)).headers.get('idempotent-replayed'))
    }
    expect(answers).toEqual([null, null, 'true', 'true'])
  })
})

test('a restricted key lists exactly the links that its restrictions allow', async () => {
  const folders = [null, inside.folder]
  const tags = ['r1', 'r2', 'r3']
  for (const name of tags) await made(all('POST', '/tags', { name }))
  folders.push((await made(all('POST', '/folders', { name: 'More' }))).id)
  const domains = [new URL(slugline.url).host, DOMAIN]
  const links: { id: string; folder_id: string | null; domain: string; tags: string[] }[] = []
  const draft = fc.record({
    folder_id: fc.constantFrom(...folders),
    domain: fc.constantFrom(...domains),
    tags: fc.subarray(tags),
  })
  const drafts = fc.sample(draft, { numRuns: 60, seed: 34 })
  const operations = drafts.map((one) => ({
    op: 'create',
    link: { ...url, title: 'random', ...one },
  }))
  for (const { link } of (await made(all('POST', '/links/bulk', { operations }))).data)
    links.push(link)
  const { id, send } = await keyWith({ tags: ['r1'] })
  const some = (of: string[]) => fc.option(fc.subarray(of, { minLength: 1 }), { nil: null })
  const restriction = fc.record({
    folders: some(folders.filter((one) => one !== null)),
    domains: some(domains),
    tags: some(tags),
  })
  await fc.assert(
    fc.asyncProperty(restriction, fc.subarray(tags, { maxLength: 1 }), async (wanted, asked) => {
      await made(all('PATCH', `/keys/${id}`, { restrictions: wanted }))
      const allowed = links.filter(
        (link) =>
          (wanted.folders?.includes(link.folder_id ?? '') ?? true) &&
          (wanted.domains?.includes(link.domain) ?? true) &&
          (wanted.tags === null || link.tags.some((tag) => wanted.tags?.includes(tag))) &&
          asked.every((tag) => link.tags.includes(tag)),
      )
      const query = `search=random${asked.map((tag) => `&tag=${tag}`).join('')}`
      const list = await made(send('GET', `/links?limit=100&${query}`))
      const ids = allowed.map((link) => link.id).sort()
      expect(list.data.map((link: Body) => link.id).sort()).toEqual(ids)
      expect(list.pagination.total).toBe(ids.length)
      const lines = (await send('GET', `/links.ndjson?${query}`)).text.split('\n').filter(Boolean)
      expect(lines.map((line) => JSON.parse(line).id).sort()).toEqual(ids)
      for (const link of links.slice(0, 5)) {
        const isThere = (await send('GET', `/links/${link.id}`)).status === 200
        if (asked.length === 0) expect(isThere).toBe(ids.includes(link.id))
      }
      if (asked.length > 0) return
      const counted = await made(send('GET', '/tags?limit=100'))
      for (const tag of counted.data.filter((one: Body) => tags.includes(one.name))) {
        expect(tag.links).toBe(allowed.filter((link) => link.tags.includes(tag.name)).length)
      }
    }),
    { numRuns: 40, seed: 34 },
  )
})
