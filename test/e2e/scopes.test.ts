import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import openapi from '../../openapi.json'
import { SCOPES } from '../../src/model/keys/scopes.ts'
import { eventually } from '../harness/eventually.ts'
import { type CreatedKey, type Slugline, startSlugline } from '../harness/process.ts'

/** Every endpoint, by the scopes that suffice; none may be missing. */
const SUFFICIENT: Readonly<Record<string, readonly string[]>> = {
  'links:read': [
    ...['listLinks', 'lookUpLink', 'listDeletedLinks', 'getLink', 'getLinkHistory'],
    ...['exportLinksCSV', 'exportLinksNDJSON', 'exportHistory', 'listJobs', 'getJob'],
    ...['listImportRows', 'exportImportRows', 'getQrCodeSVG', 'getQrCodePNG', 'explainLink'],
    ...['explainUrl', 'getLogo', 'listUtmTemplates', 'getUtmTemplate', 'listTags', 'getTag'],
    ...['listFolders', 'getFolder', 'listShares', 'getShare', 'listImports', 'getImport'],
    'getLinkByExternalId',
  ],
  'links:read stats:read': [
    ...['getStats', 'listTopValues', 'getLinkStats', 'listLinkTopValues', 'listClicks'],
    ...['listLinkClicks', 'streamClicks', 'exportClicksCSV', 'exportClicksNDJSON'],
    ...['exportClicksParquet', 'exportLinkClicksCSV', 'exportLinkClicksNDJSON'],
    'exportLinkClicksParquet',
  ],
  'links:write links:create': ['createLink', 'writeLinks'],
  'links:write': [
    ...['putLinkByExternalId', 'updateLink', 'deleteLink', 'restoreLink', 'appealBlock'],
    ...['cancelJob', 'changeLinksByFilter', 'importLinks', 'previewImport', 'startImport'],
    ...['undoImport', 'undoChangeByFilter'],
    ...['importFromService', 'setLogo', 'deleteLogo', 'createUtmTemplate', 'updateUtmTemplate'],
    ...['deleteUtmTemplate', 'createTag', 'updateTag', 'deleteTag', 'mergeTag', 'createFolder'],
    ...['updateFolder', 'deleteFolder', 'createShare', 'updateShare', 'deleteShare'],
    ...['deleteLinkClicks', 'updateLinkByExternalId', 'deleteLinkByExternalId'],
  ],
  'domains:read': ['listDomains', 'getDomain', 'getDomainSetup', 'listMissedVisits'],
  'domains:write': ['createDomain', 'updateDomain', 'deleteDomain', 'verifyDomain'],
  'keys:write': ['listKeys', 'getKey', 'createKey', 'updateKey', 'revokeKey', 'rotateKey'],
  'events:read': ['listEvents', 'streamEvents'],
  'webhooks:read': [
    ...['listWebhooks', 'getWebhook', 'listWebhookEventTypes', 'listWebhookDeliveries'],
  ],
  'webhooks:write': [
    ...['createWebhook', 'updateWebhook', 'deleteWebhook', 'rotateWebhookSecret', 'testWebhook'],
    ...['replayWebhookDelivery', 'replayWebhook'],
  ],
  /** Any key. */
  '': ['getMe'],
  /** No key. */
  public: [
    ...['listPlans', 'getIndex', 'getSharedAbout', 'unlockShare', 'getSharedStats'],
    'listSharedTopValues',
  ],
}

interface Operation {
  operationId: string
  security?: { [name: string]: string[] }[]
}
const OPERATIONS = Object.entries(openapi.paths).flatMap(([path, methods]) =>
  Object.entries(methods as Record<string, Operation>).map(([method, operation]) => ({
    id: operation.operationId,
    method: method.toUpperCase(),
    path: path.replace('{dimension}', 'country').replaceAll(/\{\w+\}/g, 'lnk_nothing'),
    alternatives: (operation.security ?? []).map((one) => Object.values(one).flat().join(' ')),
  })),
)
const sufficientFor = (id: string) =>
  Object.keys(SUFFICIENT).find((scopes) => SUFFICIENT[scopes]?.includes(id)) ?? 'not in the table'

let slugline: Slugline
const keys = new Map<string, CreatedKey>()
beforeAll(async () => {
  slugline = await startSlugline()
  for (const scope of SCOPES) {
    keys.set(scope, await slugline.createKey({ workspace: 'acme', scopes: scope }))
  }
})
afterAll(() => slugline?.dispose())

const ask = (scope: string, method: string, path: string, body?: object, headers = {}) =>
  slugline.call(method, path, {
    key: keys.get(scope)?.key as string,
    headers,
    ...(body !== undefined && { body }),
  })
const codeOf = async (answer: Response) =>
  ((await answer.json()) as { error: { code: string } }).error.code
const link = (more: object = {}) => ({ destination_url: 'https://example.com/', ...more })

describe('the scopes of a key', () => {
  test('that suffice for an endpoint are in the document', () => {
    const described = OPERATIONS.map(({ id, alternatives }) => [
      id,
      alternatives.length === 0 ? 'public' : alternatives.join(' '),
    ])
    expect(described).toEqual(OPERATIONS.map(({ id }) => [id, sufficientFor(id)]))
  })

  test.each(SCOPES)('permit a key with %s only what the document says', async (scope) => {
    for (const { id, method, path, alternatives } of OPERATIONS) {
      const body = method === 'GET' || method === 'DELETE' ? undefined : {}
      // With an unknown parameter nothing is done, nor streamed.
      const answer = await ask(scope, method, `${path}?no_such_parameter=1`, body)
      const permitted = alternatives.some((one) => one === '' || one === scope)
      if (permitted || alternatives.length === 0) {
        expect([id, answer.status]).toEqual([id, 422])
        continue
      }
      expect([id, answer.status, await codeOf(answer)]).toEqual([id, 403, 'INSUFFICIENT_SCOPE'])
      expect(answer.headers.get('www-authenticate')).toBe(
        `Bearer realm="slugline", error="insufficient_scope", scope="${alternatives[0]}"`,
      )
    }
  })

  test('links:create creates, and neither changes nor reads', async () => {
    const made = await ask('links:create', 'POST', '/api/v1/links', link({ external_id: 'one' }))
    expect(made.status).toBe(201)
    const { id } = (await made.json()) as { id: string }
    const operations = [
      { op: 'create', link: link({ title: 'second' }) },
      { op: 'update', id, link: { title: 'changed' } },
      { op: 'delete', external_id: 'one' },
      { op: 'restore', id, version: 1 },
      { op: 'upsert', external_id: 'one', link: link() },
      { op: 'upsert', external_id: 'new', link: link() },
    ]
    const bulk = await ask('links:create', 'POST', '/api/v1/links/bulk', { operations })
    const { data } = (await bulk.json()) as {
      data: { status: number; error?: { code: string }; link?: object }[]
    }
    expect(data.map(({ status, error, link: shown }) => [status, error?.code ?? !!shown])).toEqual([
      [201, true],
      ...Array(5).fill([403, 'INSUFFICIENT_SCOPE']),
    ])
    const atomic = await ask('links:create', 'POST', '/api/v1/links/bulk', {
      atomic: true,
      operations,
    })
    expect([atomic.status, await codeOf(atomic)]).toEqual([422, 'BULK_FAILED'])
    const found = await ask('links:create', 'POST', '/api/v1/links?if_exists=return', link())
    expect([found.status, await codeOf(found)]).toEqual([403, 'INSUFFICIENT_SCOPE'])
    const list = await ask('links:read', 'GET', '/api/v1/links')
    const { data: links } = (await list.json()) as { data: { title: string | null }[] }
    expect(links.map(({ title }) => title)).toEqual(['second', null])
  })

  test('links:create never gets the answer to another key’s request', async () => {
    const headers = { 'Idempotency-Key': 'shared' }
    const create = (scope: string) =>
      ask(scope, 'POST', '/api/v1/links', link({ notes: 'once' }), headers)
    const theirs = await create('links:write')
    const own = await create('links:create')
    const again = await create('links:create')
    expect([theirs.status, own.status, again.status]).toEqual([201, 201, 201])
    expect(own.headers.get('idempotent-replayed')).toBeNull()
    expect(again.headers.get('idempotent-replayed')).toBe('true')
    const ids = await Promise.all(
      [theirs, own, again].map(async (answer) => ((await answer.json()) as { id: string }).id),
    )
    expect(ids[1]).not.toBe(ids[0] as string)
    expect(ids[2]).toBe(ids[1] as string)
  })

  test('stats:read reads clicks and figures, without titles of links', async () => {
    const made = await ask(
      'links:write',
      'POST',
      '/api/v1/links',
      link({ slug: 'read', title: 'A title' }),
    )
    const { id } = (await made.json()) as { id: string }
    for (const path of [
      `/links/${id}/stats`,
      `/links/${id}/clicks`,
      '/stats/link',
      '/clicks.csv',
    ]) {
      expect([path, (await ask('stats:read', 'GET', `/api/v1${path}`)).status]).toEqual([path, 200])
    }
    await slugline.call('GET', '/read', {})
    const titles = (scope: string) =>
      eventually('the click is in the statistics', async () => {
        const { data } = (await (
          await ask(scope, 'GET', '/api/v1/stats/link?bots=include')
        ).json()) as {
          data: { value: string; title?: string | null }[]
        }
        return data.length === 1 ? [data[0]?.value, data[0]?.title] : undefined
      })
    expect(await titles('links:read')).toEqual([id, 'A title'])
    expect(await titles('stats:read')).toEqual([id, undefined])
    const links = await ask('stats:read', 'GET', '/api/v1/links')
    expect([links.status, await codeOf(links)]).toEqual([403, 'INSUFFICIENT_SCOPE'])
  })
})
