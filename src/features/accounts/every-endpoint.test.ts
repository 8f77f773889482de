import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { type DashboardDeps, describeApi, describeDashboard } from '../../server/app.ts'
import type { LinkService } from '../links/index.ts'
import { DEFAULT_PLANS } from '../plans/defaults.ts'
import { createPlans } from '../plans/service.ts'
import { AUTH_PATHS } from './paths.ts'
import type { Browser, Seen } from './testing/browser.ts'
import { createSite, type TestSite } from './testing/site.ts'

/** The lowest roles for every endpoint of the dashboard; none may be missing. */
const LEAST: Record<string, readonly string[]> = {
  nobody: [
    'listPlans',
    'getSession',
    'claimInstance',
    'lookUpInvitation',
    'acceptInvitation',
    'confirmEmailChange',
  ],
  outsider: [
    ...['updateAccount', 'getPicture', 'setPicture', 'deletePicture'],
    'requestEmailChange',
    'confirmSession',
    ...['listAccountEvents', 'exportAccountData'],
    'deleteAccount',
    'createWorkspace',
  ],
  viewer: [
    ...['listLinks', 'getLink', 'getLinkHistory', 'getSparklines'],
    ...['getStats', 'listTopValues', 'getLinkStats', 'listLinkTopValues'],
    ...['listClicks', 'listLinkClicks', 'streamClicks'],
    ...['exportClicksCSV', 'exportClicksNDJSON', 'exportClicksParquet'],
    ...['exportLinkClicksCSV', 'exportLinkClicksNDJSON', 'exportLinkClicksParquet'],
    ...['listMembers', 'getWorkspace', 'getUsage'],
    ...['getQrCodeSVG', 'getQrCodePNG', 'getLogo', 'listUtmTemplates', 'getUtmTemplate'],
    ...['getExcludedNetworks', 'getQrStyle'],
    // Everyone's own; the service checks who may share views.
    ...['listViews', 'createView', 'updateView', 'deleteView'],
    ...['explainLink', 'explainUrl', 'exportHistory', 'exportImportRows', 'exportLinksCSV'],
    ...['exportLinksNDJSON', 'getDomain', 'getFolder', 'getJob', 'getTag'],
    ...['listDeletedLinks', 'listDomains', 'listFolders', 'listImportRows', 'listJobs'],
    ...['getDomainSetup', 'listMissedVisits', 'listTags', 'lookUpLink', 'listShares', 'getShare'],
    ...['getLinkByExternalId', 'listImports', 'getImport'],
    // Everyone may leave; the next block tests who may remove others.
    'removeMember',
  ],
  member: [
    ...['writeLinks', 'changeLinksByFilter', 'cancelJob', 'createFolder', 'createTag'],
    ...['deleteFolder', 'deleteTag', 'importFromService', 'importLinks', 'mergeTag'],
    ...['previewImport', 'putLinkByExternalId', 'startImport', 'undoImport', 'updateFolder'],
    ...['undoChangeByFilter', 'updateTag'],
    ...['appealBlock', 'createShare', 'updateShare', 'deleteShare'],
    'createLink',
    'updateLink',
    'deleteLink',
    ...['updateLinkByExternalId', 'deleteLinkByExternalId'],
    'restoreLink',
    ...['checkLink', 'getPageDetails'],
    ...[
      'setLogo',
      'setQrStyle',
      'deleteLinkClicks',
      'deleteLogo',
      'createUtmTemplate',
      'updateUtmTemplate',
      'deleteUtmTemplate',
    ],
  ],
  admin: [
    ...['createDomain', 'deleteDomain', 'updateDomain', 'verifyDomain'],
    ...['listKeys', 'getKey', 'createKey', 'updateKey', 'revokeKey', 'rotateKey'],
    ...['listEvents', 'streamEvents'],
    ...['listWebhooks', 'getWebhook', 'listWebhookEventTypes', 'listWebhookDeliveries'],
    ...['createWebhook', 'updateWebhook', 'deleteWebhook', 'rotateWebhookSecret', 'testWebhook'],
    ...['replayWebhookDelivery', 'replayWebhook'],
    ...['listInvitations', 'invite', 'revokeInvitation', 'updateMember', 'listAudit'],
  ],
  owner: ['updateWorkspace', 'setExcludedNetworks', 'deleteWorkspace'],
  'instance owner': [
    ...['listInstanceWorkspaces', 'setPlan'],
    ...['listBlocks', 'createBlock', 'deleteBlock', 'listReports', 'dismissReport'],
    'listInstanceMissedVisits',
  ],
}
const PEOPLE = Object.keys(LEAST)

interface Operation {
  id: string
  method: string
  path: string
}

function operationsOf(document: string): Operation[] {
  const { paths } = JSON.parse(document) as {
    paths: Record<string, Record<string, { operationId: string }>>
  }
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { operationId: id }]) => ({
      id,
      method: method.toUpperCase(),
      path: path
        .replace('{dimension}', 'country')
        .replace('{user_id}', 'usr_nobody')
        .replace('{id}', 'lnk_nothing'),
    })),
  )
}

const UNSAFE = ({ method }: Operation) => method !== 'GET'

let site: TestSite
let operations: Operation[]
let publicOperations: Operation[]
const people = new Map<string, Browser>()
const as = (name: string) => people.get(name) as Browser
const ask = (browser: Browser, { method, path }: Operation, extra = {}) =>
  browser.send(method, path, method === 'GET' ? undefined : {}, extra)
const isRefused = ({ status, code }: Seen) =>
  status === 401 || status === 403 || code === 'WORKSPACE_NOT_FOUND'

beforeAll(async () => {
  site = await createSite()
  const instanceOwner = await site.owner()
  people.set('instance owner', instanceOwner)
  for (const role of ['owner', 'admin', 'member', 'viewer']) {
    people.set(role, await site.joined(instanceOwner, role))
  }
  const outsider = await site.joined(instanceOwner, 'viewer').catch(() => null)
  expect(outsider).toBeNull()
  await site.users.create({ email: 'out@example.com', password: 'a password of ours' })
  const browser = site.browser()
  await browser.signIn('out@example.com', 'a password of ours')
  browser.workspace = instanceOwner.workspace
  people.set('outsider', browser)
  const nobody = site.browser()
  nobody.workspace = instanceOwner.workspace
  people.set('nobody', nobody)
  const links = { domains: { hosts: ['s.example'] } } as unknown as LinkService
  const deps = { links, plans: createPlans(DEFAULT_PLANS) } as unknown as DashboardDeps
  operations = operationsOf(describeDashboard(deps))
  publicOperations = operationsOf(describeApi(deps))
})
afterAll(() => site.close())

/** Needs no key. */
const PUBLIC = new Set([
  ...['listPlans', 'getIndex'],
  ...['getSharedAbout', 'unlockShare', 'getSharedStats', 'listSharedTopValues'],
])

describe('every endpoint', () => {
  test('is in the table of permissions', () => {
    expect(operations.map(({ id }) => id).sort()).toEqual(Object.values(LEAST).flat().sort())
    expect(operations.length).toBeGreaterThan(40)
  })

  test.each(PEOPLE)('lets %s do only what they are permitted to', async (name) => {
    const rank = PEOPLE.indexOf(name)
    const wrong: string[] = []
    for (const operation of operations) {
      const least = PEOPLE.findIndex((person) => LEAST[person]?.includes(operation.id))
      const seen = await ask(as(name), operation)
      if (isRefused(seen) === rank >= least) wrong.push(`${operation.id} ${seen.status}`)
      if (rank >= least) continue
      // Without a session: not signed in; for non-members: no such workspace.
      const code = rank === 0 ? 'SIGN_IN_REQUIRED' : seen.code
      expect([operation.id, seen.code]).toEqual([operation.id, code])
      if (name === 'outsider' && least < PEOPLE.length - 1) {
        expect([operation.id, seen.status]).toEqual([operation.id, 404])
      }
    }
    expect(wrong).toEqual([])
  })

  test('refuses cross-site requests and forms', async () => {
    const owner = as('instance owner')
    const unsafe = operations.filter(UNSAFE)
    expect(unsafe.length).toBeGreaterThan(15)
    for (const operation of unsafe) {
      for (const headers of [
        { Origin: null },
        { Origin: 'https://evil.example' },
        { 'Sec-Fetch-Site': 'cross-site' },
        { 'Sec-Fetch-Site': 'same-site' },
      ]) {
        const seen = await ask(owner, operation, { headers })
        expect([operation.id, seen.code]).toEqual([operation.id, 'CROSS_SITE_REQUEST'])
      }
    }
    const withBody = unsafe.filter(({ id }) => /^(create|update|invite|check|claim|set)/.test(id))
    for (const operation of withBody) {
      for (const type of FORMS) {
        const seen = await ask(owner, operation, { headers: { 'Content-Type': type } })
        expect([operation.id, seen.code]).toEqual([operation.id, 'UNSUPPORTED_MEDIA_TYPE'])
      }
    }
  })

  test('accepts a change only with its own method', async () => {
    const owner = as('instance owner')
    const gets = new Set(operations.filter(({ method }) => method === 'GET').map((o) => o.path))
    const only = operations.filter((operation) => UNSAFE(operation) && !gets.has(operation.path))
    for (const { id, method, path } of only) {
      const headers = { 'X-HTTP-Method-Override': method }
      const seen = await owner.get(`${path}?_method=${method}`, { headers })
      // Where another endpoint accepts any word as an id, it has no such parameter.
      expect([405, 422], id).toContain(seen.status)
    }
    const posts = Object.entries(AUTH_PATHS).filter(([, { method }]) => method === 'POST')
    for (const [path] of posts) {
      const seen = await owner.get(`/app/api/auth${path}`)
      expect([path, seen.status, seen.code]).toEqual([path, 405, 'METHOD_NOT_ALLOWED'])
    }
  })

  test('of the dashboard takes no key, and of the API no session', async () => {
    const { workspace } = as('instance owner')
    const { key } = (
      await as('instance owner').post('/app/api/v1/keys', {
        name: 'ci',
        scopes: ['links:read', 'links:write'],
      })
    ).body
    const stranger = site.browser()
    const bearer = { headers: { Authorization: `Bearer ${key}` }, workspace }
    const guarded = operations.filter(({ id }) => !LEAST.nobody?.includes(id))
    for (const operation of guarded) {
      const seen = await ask(stranger, operation, bearer)
      expect([operation.id, seen.code]).toEqual([operation.id, 'SIGN_IN_REQUIRED'])
    }
    for (const operation of publicOperations.filter(({ id }) => !PUBLIC.has(id))) {
      const seen = await ask(as('instance owner'), operation)
      expect([operation.id, seen.code]).toEqual([operation.id, 'UNAUTHORIZED'])
    }
    // The key itself is valid.
    expect((await stranger.get('/api/v1/links', bearer)).status).toBe(200)
  })
})

const FORMS = ['application/x-www-form-urlencoded', 'multipart/form-data; boundary=x', 'text/plain']

describe('a workspace that isn’t one’s own', () => {
  test('is answered like one that doesn’t exist', async () => {
    const outsider = as('outsider')
    const made = await outsider.post('/app/api/v1/workspaces', { name: 'Theirs' })
    expect(made.status).toBe(201)
    const { workspace } = as('instance owner')
    for (const operation of operations) {
      const [foreign, missing] = await Promise.all(
        [workspace, 'wsp_00000000000000000000000000'].map((id) =>
          ask(outsider, operation, { workspace: id }),
        ),
      )
      const shape = (seen: Seen | undefined) => {
        const { request_id: _, ...error } = seen?.body?.error ?? {}
        return [operation.id, seen?.status, error]
      }
      expect(shape(foreign)).toEqual(shape(missing))
    }
    // A query can't override the header, nor be used for a change.
    const own = await outsider.get(`/app/api/v1/workspace?workspace=${workspace}`, {
      workspace: made.body.id,
    })
    expect(own.body.name).toBe('Theirs')
    const body = { destination_url: 'https://example.com/' }
    const path = `/app/api/v1/links?workspace=${made.body.id}`
    expect((await outsider.post(path, body, { workspace: null })).code).toBe('WORKSPACE_NOT_FOUND')
  })
})

describe('permissions', () => {
  test('are read with each request', async () => {
    const owner = as('owner')
    const admin = as('admin')
    const list = (await owner.get('/app/api/v1/members')).body.data
    const { user_id: id } = list.find(({ role }: { role: string }) => role === 'admin')
    const path = `/app/api/v1/members/${id}`
    expect((await admin.get('/app/api/v1/keys')).status).toBe(200)
    await owner.send('PATCH', path, { role: 'viewer' })
    expect((await admin.get('/app/api/v1/keys')).code).toBe('FORBIDDEN')
    expect((await admin.get('/app/api/v1/session')).body.workspaces[0].role).toBe('viewer')
    await owner.send('PATCH', path, { role: 'member' })
    const body = { destination_url: 'https://example.com/' }
    expect((await admin.post('/app/api/v1/links', body)).status).toBe(201)
    expect((await owner.send('DELETE', path)).status).toBe(204)
    expect((await admin.post('/app/api/v1/links', body)).code).toBe('WORKSPACE_NOT_FOUND')
    expect((await admin.get('/app/api/v1/session')).body.workspaces).toEqual([])
  })

  test('are none for an unknown role', async () => {
    const viewer = as('viewer')
    await site.storage.write((tx) =>
      tx.db.updateTable('members').set({ role: 'king' }).where('role', '=', 'viewer').execute(),
    )
    expect((await viewer.get('/app/api/v1/links')).code).toBe('FORBIDDEN')
  })
})
