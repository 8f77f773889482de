import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { eventually } from '../../../test/harness/eventually.ts'
import type { Scope } from '../../model/keys/scopes.ts'
import { createTestDashboard, type TestDashboard } from '../audit/testing/dashboard.ts'
import { COMMAND_LINE } from '../audit/types.ts'
import { WEBHOOK_TYPES } from './schemas.ts'
import { WEBHOOKS_MAX } from './service.ts'

const URL = 'http://127.0.0.1:9/hook'

let its: TestDashboard
beforeEach(async () => {
  its = await createTestDashboard()
  await its.storage.write((tx) => tx.db.updateTable('workspaces').set({ plan_id: 'big' }).execute())
})
afterEach(() => its.close())

const as = (method: string, path: string, body?: object, headers = {}) =>
  its.as('owner', method, path, body, headers)
const create = async (fields: object = {}) =>
  (await as('POST', '/webhooks', { url: URL, types: ['link.created'], ...fields })).body
const codeOf = ({ status, body }: { status: number; body: { error: Problem } }) => [
  status,
  body.error.code,
  body.error.details?.map(({ field, code }) => `${field} ${code}`).join(' '),
]
interface Problem {
  code: string
  details?: { field: string; code: string }[]
}

async function keyOf(scopes: Scope[], restrictions?: object) {
  const input = { name: 'k', scopes, expiresAt: null, ...(restrictions && { restrictions }) }
  const { no } = its.workspace
  return its.storage.write((tx) => its.keys.create(tx, no, input, COMMAND_LINE))
}

describe('webhooks', () => {
  test('are made, read, changed and deleted; the secret is shown once', async () => {
    const made = await as('POST', '/webhooks', {
      url: URL,
      types: ['link.deleted', 'link.created', 'link.created'],
    })
    const { secret, ...webhook } = made.body
    expect(made.status).toBe(201)
    expect(made.headers.get('location')).toBe(`/app/api/v1/webhooks/${webhook.id}`)
    expect(made.headers.get('cache-control')).toBe('no-store')
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/)
    // A copy: matchers replace what they match.
    expect({ ...webhook }).toMatchObject({
      id: expect.stringMatching(/^whk_[0-9a-z]{26}$/),
      url: URL,
      types: ['link.created', 'link.deleted'],
      filter: null,
      enabled: true,
      status: 'ok',
      disabled_reason: null,
      failing_since: null,
      public_key: expect.stringMatching(/^whpk_[A-Za-z0-9+/]{43}=$/),
      created_by: { type: 'user', id: 'usr_owner', name: 'owner' },
      version: 1,
    })
    expect((await as('GET', `/webhooks/${webhook.id}`)).body).toEqual(webhook)
    expect((await as('GET', '/webhooks')).body.data).toEqual([webhook])

    const changed = await as('PATCH', `/webhooks/${webhook.id}`, { enabled: false, types: null })
    expect(changed.body).toMatchObject({ status: 'disabled', version: 2 })
    expect(changed.body.types).toEqual(WEBHOOK_TYPES.filter((type) => type !== 'clicks.recorded'))
    expect(await as('DELETE', `/webhooks/${webhook.id}`)).toMatchObject({ status: 204 })
    expect(codeOf(await as('DELETE', `/webhooks/${webhook.id}`))).toEqual([
      404,
      'WEBHOOK_NOT_FOUND',
      undefined,
    ])
    expect((await as('GET', '/webhooks')).body.data).toEqual([])

    const entries = await its.entries()
    const own = entries.filter(({ target_type }) => target_type === 'webhook')
    expect(own.map(({ action }) => action)).toEqual([
      'webhook.created',
      'webhook.updated',
      'webhook.deleted',
    ])
    expect(JSON.stringify(own)).not.toContain('whsec_')
    // The path of such an address is often a secret.
    expect(JSON.stringify(own)).not.toContain('/hook')
  })

  test('are listed by cursor, newest first', async () => {
    const ids: string[] = []
    for (let i = 0; i < 3; i++) ids.unshift((await create()).id)
    const first = (await as('GET', '/webhooks?limit=2')).body
    const { next_cursor } = first.pagination
    const second = (await as('GET', `/webhooks?limit=2&cursor=${next_cursor}`)).body
    expect([...first.data, ...second.data].map(({ id }) => id)).toEqual(ids)
    expect(second.pagination.has_more).toBe(false)
  })

  test.each([
    [{}, 'url REQUIRED'],
    [{ url: 'nonsense' }, 'url INVALID_URL'],
    [{ url: 'ftp://e.example/' }, 'url URL_SCHEME_NOT_ALLOWED'],
    [{ url: 'https://a:b@e.example/' }, 'url URL_HAS_CREDENTIALS'],
    [{ url: `https://e.example/${'a'.repeat(2_048)}` }, 'url TOO_LONG'],
    [{ url: 'http://10.0.0.1/' }, 'url URL_NOT_ALLOWED'],
    [{ url: 'http://[::1]/' }, 'url URL_NOT_ALLOWED'],
    [{ url: URL, types: [] }, 'types TOO_FEW'],
    [{ url: URL, types: ['link.made'] }, 'types[0] INVALID_VALUE'],
    [{ url: URL, types: Array(100).fill('link.created') }, 'types TOO_MANY'],
    [{ url: URL, filter: { tags: ['none'] } }, 'filter.tags[0] TAG_NOT_FOUND'],
    [{ url: URL, filter: { folders: ['fld_x'] } }, 'filter.folders[0] FOLDER_NOT_FOUND'],
    [{ url: URL, filter: { domains: ['x.example'] } }, 'filter.domains[0] UNKNOWN_DOMAIN'],
    [{ url: URL, filter: { networks: ['192.0.2.1'] } }, 'filter.networks UNKNOWN_FIELD'],
    [{ url: URL, secret: 'mine' }, 'secret READ_ONLY'],
  ] as [object, string][])('with a wrong value are refused: %#', async (body, fault) => {
    expect(codeOf(await as('POST', '/webhooks', body))).toEqual([422, 'VALIDATION_FAILED', fault])
  })

  test('have a filter, by names as responses have them', async () => {
    await as('POST', '/tags', { name: 'Spring' })
    const folder = (await as('POST', '/folders', { name: 'f' })).body
    const filter = { tags: ['spring'], folders: [folder.id], domains: ['go.example'] }
    const made = await create({ filter })
    const shown = { ...filter, tags: ['Spring'] }
    expect(made.filter).toEqual(shown)
    const less = await as('PATCH', `/webhooks/${made.id}`, { filter: { tags: null } })
    expect(less.body.filter).toEqual({ folders: [folder.id], domains: ['go.example'] })
    const none = await as('PATCH', `/webhooks/${made.id}`, { filter: null })
    expect(none.body.filter).toBeNull()
  })

  test('are limited in number', async () => {
    for (let i = 0; i < WEBHOOKS_MAX; i++) await create()
    expect(codeOf(await as('POST', '/webhooks', { url: URL }))).toEqual([
      403,
      'PLAN_LIMIT_REACHED',
      'webhooks WEBHOOKS_LIMIT',
    ])
  })

  test('are changed only in the version that If-Match names', async () => {
    const { id } = await create()
    const stale = await as('PATCH', `/webhooks/${id}`, { enabled: false }, { 'If-Match': '"7"' })
    expect(stale.status).toBe(412)
    const removal = await as('DELETE', `/webhooks/${id}`, undefined, { 'If-Match': '"7"' })
    expect(removal.status).toBe(412)
    const same = await as('PATCH', `/webhooks/${id}`, { enabled: true })
    expect(same.body.version).toBe(1)
  })

  test('get another secret and key pair by a rotation', async () => {
    const made = await create()
    const rotated = await as('POST', `/webhooks/${made.id}/rotate-secret`)
    expect(rotated.status).toBe(200)
    expect(rotated.body.secret).toMatch(/^whsec_/)
    expect(rotated.body.secret).not.toBe(made.secret)
    expect(rotated.body.public_key).not.toBe(made.public_key)
    expect((await as('GET', `/webhooks/${made.id}`)).body.public_key).toBe(rotated.body.public_key)
  })

  test('that a restricted key sees are those that it made', async () => {
    await as('POST', '/tags', { name: 'a' })
    await create()
    const { key } = await keyOf(['webhooks:read', 'webhooks:write'], { tags: ['a'] })
    const own = await its.withKey(key, 'POST', '/webhooks', { url: URL })
    expect(own.status).toBe(201)
    const list = await its.withKey(key, 'GET', '/webhooks')
    expect(list.body.data.map(({ id }: { id: string }) => id)).toEqual([own.body.id])
    const [theirs] = (await as('GET', '/webhooks')).body.data.slice(-1)
    for (const [method, path] of [
      ['GET', ''],
      ['DELETE', ''],
      ['GET', '/deliveries'],
      ['POST', '/test'],
      ['POST', '/rotate-secret'],
    ] as const) {
      const answer = await its.withKey(key, method, `/webhooks/${theirs.id}${path}`)
      expect([path, ...codeOf(answer)]).toEqual([path, 404, 'WEBHOOK_NOT_FOUND', undefined])
    }
  })

  test('of other workspaces don’t exist', async () => {
    const { id } = await create()
    const other = await its.storage.write((tx) =>
      its.administration.workspaces.create(tx, { name: 'Other' }, COMMAND_LINE),
    )
    const input = { name: 'k', scopes: ['webhooks:read' as const], expiresAt: null }
    const { key } = await its.storage.write((tx) =>
      its.keys.create(tx, other.no, input, COMMAND_LINE),
    )
    expect((await its.withKey(key, 'GET', `/webhooks/${id}`)).status).toBe(404)
    expect((await its.withKey(key, 'GET', '/webhooks')).body.data).toEqual([])
  })

  test('that are disabled send nothing, neither tests nor replays', async () => {
    const { id } = await create({ enabled: false })
    for (const [path, body] of [
      ['test', undefined],
      ['replay', {}],
      ['deliveries/dlv_x/replay', undefined],
    ] as const) {
      const answer = await as('POST', `/webhooks/${id}/${path}`, body)
      expect([path, ...codeOf(answer)]).toEqual([path, 409, 'WEBHOOK_DISABLED', undefined])
    }
  })
})

test('no test is added where a thousand deliveries wait', async () => {
  const { id, types } = await create({ types: null })
  const send = () => as('POST', `/webhooks/${id}/test`)
  for (let made = 0; made < 1_000; made += types.length) expect((await send()).status).toBe(202)
  const refused = await send()
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '5'])
})

test('a replay is hidden from members from whom links are hidden', async () => {
  await its.as('admin', 'POST', '/folders', { name: 'Secret', access: 'members' })
  const { id } = await create()
  const { body: job } = await as('POST', `/webhooks/${id}/replay`, {})
  its.jobs.start()
  await eventually('the replay has ended', async () => {
    const { body } = await as('GET', `/jobs/${job.id}`)
    return body.finished_at === null ? undefined : body
  })
  await its.jobs.stop()
  const seenBy = async (person: string) => (await its.as(person, 'GET', `/jobs/${job.id}`)).status
  expect([await seenBy('owner'), await seenBy('member')]).toEqual([200, 404])
})

test('every type has a schema and a sample that it fits', async () => {
  const { body } = await as('GET', '/webhooks/event-types')
  const types = body.data.map(({ type }: { type: string }) => type)
  expect(types).toEqual(WEBHOOK_TYPES.toSorted())
  const { default: Ajv } = await import('ajv/dist/2020')
  const ajv = new Ajv({ strict: false, validateFormats: false })
  for (const { type, schema, sample } of body.data) {
    expect(sample.type).toBe(type)
    const isValid = ajv.validate(schema, sample)
    expect([type, isValid, ajv.errors]).toEqual([type, true, null])
  }
})
