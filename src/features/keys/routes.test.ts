import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { createTestDashboard, type TestDashboard } from '../audit/testing/dashboard.ts'

let dashboard: TestDashboard
beforeEach(async () => {
  dashboard = await createTestDashboard()
})
afterEach(() => dashboard.close())

const create = (body: object = {}) =>
  dashboard.as('admin', 'POST', '/keys', { name: 'ci', scopes: ['links:read'], ...body })
const rotate = (id: string, body?: object) =>
  dashboard.as('admin', 'POST', `/keys/${id}/rotate`, body)
const list = async () =>
  (await dashboard.as('admin', 'GET', '/keys?include_revoked=true')).body.data
const worksWith = async (key: string) =>
  (await dashboard.withKey(key, 'GET', '/links')).status === 200
const HOUR_MS = 3_600_000

describe('keys in the dashboard', () => {
  test('are shown once, and listed without the secret', async () => {
    const { status, headers, body } = await create({
      scopes: ['links:write', 'links:read', 'links:write'],
      expires_at: '2030-02-28T10:00:00+01:00',
    })
    expect([status, headers.get('cache-control')]).toEqual([201, 'no-store'])
    const { key, ...rest } = body
    expect(rest).toEqual({
      id: expect.stringMatching(/^key_/),
      name: 'ci',
      prefix: key.slice(5, 13),
      scopes: ['links:read', 'links:write'],
      restrictions: null,
      status: 'active',
      created_at: '2030-01-31T09:00:00.000Z',
      created_by: { type: 'user', id: 'usr_admin', name: 'admin@example.com' },
      expires_at: '2030-02-28T09:00:00.000Z',
      revoked_at: null,
      last_used_at: null,
      rotated_from: null,
    })
    expect(await worksWith(key)).toBe(true)
    await dashboard.keys.flush()
    expect(await list()).toEqual([{ ...rest, last_used_at: '2030-01-31T09:00:00.000Z' }])
    // The response isn't stored for the Idempotency-Key: a repeated request makes another key.
    const headersOf = { 'Idempotency-Key': 'same' }
    const body2 = { name: 'b', scopes: ['links:read'] }
    const twice = await dashboard.as('admin', 'POST', '/keys', body2, headersOf)
    expect(twice.status).toBe(201)
    const rows = await dashboard.storage.read.db.selectFrom('idempotency').selectAll().execute()
    expect(rows).toEqual([])
  })

  test('are validated, and limited by the plan', async () => {
    const wrong = await create({ name: ' ', scopes: ['all'], expires_at: '2029-01-01T00:00:00Z' })
    expect(
      wrong.body.error.details.map(({ field, code }: Record<string, string>) => [field, code]),
    ).toEqual([
      ['name', 'REQUIRED'],
      ['scopes[0]', 'INVALID_VALUE'],
      ['expires_at', 'ENDS_BEFORE_START'],
    ])
    const outcomes = await Promise.all(Array.from({ length: 5 }, () => create()))
    expect(outcomes.map(({ status }) => status).sort()).toEqual([201, 201, 403, 403, 403])
    for (const person of ['member', 'viewer']) {
      expect((await dashboard.as(person, 'GET', '/keys')).status).toBe(403)
    }
  })

  test('are rotated with an overlap, and revoked immediately', async () => {
    const { id, key } = (await create()).body
    const { status, headers, body } = await rotate(id, { overlap_seconds: 5400 })
    expect([status, headers.get('cache-control')]).toEqual([201, 'no-store'])
    expect(body).toMatchObject({ rotated_from: id, status: 'active', name: 'ci' })
    const states = async () =>
      Object.fromEntries((await list()).map((each: { id: string }) => [each.id, each]))
    expect((await states())[id]).toMatchObject({
      status: 'rotating',
      expires_at: '2030-01-31T10:30:00.000Z',
    })
    expect((await rotate(id)).body.error.code).toBe('KEY_ALREADY_ROTATED')
    expect((await rotate(body.id)).body.error.code).toBe('ROTATION_IN_PROGRESS')
    dashboard.clock.ms += 1.5 * HOUR_MS
    expect([await worksWith(key), await worksWith(body.key)]).toEqual([false, true])
    expect((await states())[id].status).toBe('expired')
    expect((await rotate(id)).body.error.code).toBe('KEY_EXPIRED')
    expect((await dashboard.as('admin', 'DELETE', `/keys/${body.id}`)).status).toBe(204)
    expect(await worksWith(body.key)).toBe(false)
    expect((await states())[body.id].status).toBe('revoked')
    expect((await rotate(body.id)).body.error.code).toBe('KEY_REVOKED')
    for (const seconds of [-1, 0.5, 7_776_001]) {
      expect((await rotate(body.id, { overlap_seconds: seconds })).status).toBe(422)
    }
    const none = await dashboard.as('admin', 'DELETE', '/keys/key_none')
    expect([none.status, none.body.error.code]).toEqual([404, 'KEY_NOT_FOUND'])
  })
})
