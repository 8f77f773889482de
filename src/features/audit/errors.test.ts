import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { ERRORS, type ErrorCode } from '../../lib/errors/index.ts'
import { LOCALES } from '../../lib/i18n/index.ts'
import { createTestDashboard, type TestAnswer, type TestDashboard } from './testing/dashboard.ts'

let dashboard: TestDashboard
const ids = { revoked: '', rotated: '', successor: '', expired: '' }
beforeAll(async () => {
  dashboard = await createTestDashboard()
  await setPlan('big')
  const create = async (more: object = {}) => {
    const body = { name: 'k', scopes: ['links:read'], ...more }
    return (await dashboard.as('admin', 'POST', '/keys', body)).body.id as string
  }
  ids.expired = await create({ expires_at: '2030-01-31T09:00:00.001Z' })
  dashboard.clock.ms += 1
  ids.revoked = await create()
  await dashboard.as('admin', 'DELETE', `/keys/${ids.revoked}`)
  ids.rotated = await create()
  const rotated = await dashboard.as('admin', 'POST', `/keys/${ids.rotated}/rotate`)
  ids.successor = rotated.body.id
  await create()
  await create()
  const { administration, storage } = dashboard
  await storage.write((tx) =>
    administration.workspaces.create(
      tx,
      { name: 'Other' },
      { type: 'command', id: null, name: 'x', requestId: null },
    ),
  )
  for (const email of ['a@example.com', 'b@example.com']) {
    await dashboard.as('admin', 'POST', '/invitations', { email, role: 'viewer' })
  }
  await setPlan('small')
})
afterAll(() => dashboard.close())

const setPlan = (plan: string) =>
  dashboard.as('owner', 'PATCH', `/instance/workspaces/${dashboard.workspace.id}`, { plan })

type Provoke = (lang: string) => Promise<TestAnswer>
const as =
  (person: string, method: string, path: string | (() => string), body?: object): Provoke =>
  (lang) =>
    dashboard.as(person, method, `${typeof path === 'string' ? path : path()}?lang=${lang}`, body)

/** Codes of these endpoints, and how to provoke them. */
const PROVOCATIONS: Partial<Record<ErrorCode, Provoke>> = {
  FORBIDDEN: as('viewer', 'GET', '/keys'),
  ROLE_ABOVE_OWN: as('admin', 'PATCH', '/members/usr_owner', { role: 'viewer' }),
  WORKSPACE_NOT_FOUND: as('outsider', 'GET', '/workspace'),
  KEY_NOT_FOUND: as('admin', 'DELETE', '/keys/key_none'),
  MEMBER_NOT_FOUND: as('owner', 'DELETE', '/members/usr_outsider'),
  INVITATION_NOT_FOUND: as('owner', 'DELETE', '/invitations/inv_none'),
  KEY_REVOKED: as('admin', 'POST', () => `/keys/${ids.revoked}/rotate`),
  KEY_EXPIRED: as('admin', 'POST', () => `/keys/${ids.expired}/rotate`),
  KEY_ALREADY_ROTATED: as('admin', 'POST', () => `/keys/${ids.rotated}/rotate`),
  ROTATION_IN_PROGRESS: as('admin', 'POST', () => `/keys/${ids.successor}/rotate`),
  LAST_OWNER: as('owner', 'DELETE', '/members/usr_owner'),
  ALREADY_MEMBER: as('owner', 'POST', '/invitations', {
    email: 'viewer@example.com',
    role: 'viewer',
  }),
}

const DETAILS: Record<string, Provoke> = {
  NAME_MISMATCH: as('owner', 'DELETE', '/workspace', { confirm_name: 'acme' }),
  INVALID_EMAIL: as('owner', 'POST', '/invitations', { email: 'x', role: 'viewer' }),
  API_KEYS_LIMIT: as('owner', 'POST', '/keys', { name: 'k', scopes: ['links:read'] }),
  MEMBERS_LIMIT: as('owner', 'POST', '/invitations', { email: 'c@example.com', role: 'viewer' }),
}

describe.each([...LOCALES])('in %s', (locale) => {
  test.each(Object.entries(PROVOCATIONS))('%s', async (code, provoke) => {
    const { status, headers, body } = await provoke(locale)
    expect({ status, code: body.error.code }).toEqual({
      status: ERRORS[code as ErrorCode].status,
      code,
    })
    expect(headers.get('content-language')).toBe(locale)
    expect(body.error.message).not.toBe('')
  })

  test.each(Object.entries(DETAILS))('details: %s', async (code, provoke) => {
    // Invitations are rate-limited: an hour later another one is allowed.
    dashboard.clock.ms += 3_600_000 / 16
    const { error } = (await provoke(locale)).body
    const found = error.details?.find((detail: { code: string }) => detail.code === code)
    expect([code, found?.code]).toEqual([code, code])
    expect(found.message).not.toBe('')
  })
})
