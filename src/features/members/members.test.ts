import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { createTestDashboard, type TestDashboard } from '../audit/testing/dashboard.ts'

const DAY_MS = 86_400_000

let dashboard: TestDashboard
beforeEach(async () => {
  dashboard = await createTestDashboard()
})
afterEach(() => dashboard.close())

/** The codes of an answer: of the error, and of its details. */
async function refusal(answer: ReturnType<TestDashboard['as']>): Promise<string[]> {
  const { error } = (await answer).body
  const details = (error.details ?? []).map(({ code }: { code: string }) => code)
  return [error.code, ...details]
}

const invite = (email: string, role: string, as = 'admin') =>
  dashboard.as(as, 'POST', '/invitations', { email, role })
const setRole = (as: string, whom: string, role: string) =>
  dashboard.as(as, 'PATCH', `/members/usr_${whom}`, { role })
const remove = (as: string, whom: string) => dashboard.as(as, 'DELETE', `/members/usr_${whom}`)
const lastToken = () => dashboard.mails.at(-1)?.token as string
const outsider = { id: 'usr_outsider', email: 'Outsider@example.com' }
const accept = (token: string, user = outsider) =>
  dashboard.storage.write((tx) =>
    dashboard.administration.invitations.accept(tx, token, user, {
      type: 'user',
      name: user.email,
      requestId: null,
      id: user.id,
    }),
  )
const codeOf = (work: Promise<unknown>) =>
  work.then(
    () => null,
    ({ code }) => code,
  )
const count = async () =>
  (await dashboard.administration.workspaces.find('Acme'))?.usage.members as number

describe('members', () => {
  test('are listed for members of the workspace only', async () => {
    const { status, body } = await dashboard.as('viewer', 'GET', '/members')
    expect(status).toBe(200)
    expect(body.data).toHaveLength(4)
    const owners = body.data.filter(({ role }: { role: string }) => role === 'owner')
    expect(owners).toEqual([
      {
        user_id: 'usr_owner',
        email: 'owner@example.com',
        name: 'owner',
        picture: null,
        role: 'owner',
        joined_at: '2030-01-31T09:00:00.000Z',
      },
    ])
    expect((await dashboard.as('outsider', 'GET', '/members')).status).toBe(404)
  })

  test('can’t be given a role above one’s own, nor changed if theirs is', async () => {
    for (const [as, whom, role, code] of [
      ['member', 'viewer', 'member', 'FORBIDDEN'],
      ['viewer', 'viewer', 'owner', 'FORBIDDEN'],
      ['admin', 'viewer', 'owner', 'ROLE_ABOVE_OWN'],
      ['admin', 'admin', 'owner', 'ROLE_ABOVE_OWN'],
      ['admin', 'owner', 'viewer', 'ROLE_ABOVE_OWN'],
      ['admin', 'outsider', 'viewer', 'MEMBER_NOT_FOUND'],
      ['owner', 'owner', 'admin', 'LAST_OWNER'],
    ] as const) {
      expect([as, whom, role, ...(await refusal(setRole(as, whom, role)))]).toEqual([
        as,
        whom,
        role,
        code,
      ])
    }
    expect(await refusal(setRole('owner', 'admin', 'king'))).toEqual([
      'VALIDATION_FAILED',
      'INVALID_VALUE',
    ])
    expect((await setRole('admin', 'viewer', 'admin')).body).toMatchObject({ role: 'admin' })
    expect((await setRole('owner', 'admin', 'owner')).body).toMatchObject({ role: 'owner' })
    expect((await setRole('admin', 'owner', 'viewer')).body).toMatchObject({ role: 'viewer' })
    expect(await refusal(setRole('owner', 'owner', 'owner'))).toEqual(['FORBIDDEN'])
  })

  test('leave or are removed, but never the last owner', async () => {
    expect(await refusal(remove('owner', 'owner'))).toEqual(['LAST_OWNER'])
    expect(await refusal(remove('admin', 'owner'))).toEqual(['ROLE_ABOVE_OWN'])
    expect(await refusal(remove('member', 'viewer'))).toEqual(['FORBIDDEN'])
    expect((await remove('viewer', 'viewer')).status).toBe(204)
    expect((await remove('admin', 'member')).status).toBe(204)
    expect(await refusal(remove('admin', 'member'))).toEqual(['MEMBER_NOT_FOUND'])
    expect((await dashboard.as('viewer', 'GET', '/members')).status).toBe(404)
    expect(await count()).toBe(2)
  })

  test('always include an owner under concurrency', async () => {
    await setRole('owner', 'admin', 'owner')
    const outcomes = await Promise.all([
      setRole('owner', 'admin', 'viewer'),
      setRole('admin', 'owner', 'viewer'),
      remove('owner', 'owner'),
      remove('admin', 'admin'),
    ])
    const { data } = (await dashboard.as('member', 'GET', '/members')).body
    expect(data.filter(({ role }: { role: string }) => role === 'owner')).toHaveLength(1)
    expect(outcomes.some(({ status }) => status >= 400)).toBe(true)
    expect(await count()).toBe(data.length)
  })
})

describe('invitations', () => {
  test('are sent by email, or returned if that isn’t set up', async () => {
    const first = await invite(' Outsider@Example.com ', 'member')
    expect(first.status).toBe(201)
    expect(first.headers.get('cache-control')).toBe('no-store')
    expect(first.body).toEqual({
      id: expect.stringMatching(/^inv_/),
      email: 'Outsider@Example.com',
      role: 'member',
      expires_at: '2030-02-07T09:00:00.000Z',
      invited_by: { email: 'admin@example.com' },
      url: `https://s.example/app/invitation#token=${lastToken()}`,
    })
    dashboard.mailbox.works = true
    const second = await invite('another@example.com', 'viewer')
    expect(second.body.url).toBeUndefined()
    expect(dashboard.mails.at(-1)).toMatchObject({
      email: 'another@example.com',
      role: 'viewer',
      inviter: { name: 'admin', email: 'admin@example.com' },
      workspace: { name: 'Acme' },
      locale: 'en',
    })
    const { data } = (await dashboard.as('owner', 'GET', '/invitations')).body
    expect(data.map(({ email }: { email: string }) => email)).toEqual([
      'another@example.com',
      'Outsider@Example.com',
    ])
    expect(JSON.stringify(data)).not.toContain('token')
    expect(await refusal(dashboard.as('member', 'GET', '/invitations'))).toEqual(['FORBIDDEN'])
  })

  test('are refused for invalid addresses, members, and a role above one’s own', async () => {
    for (const email of ['', 'x', 'a@b', `${'a'.repeat(250)}@b.example`, 'a@b.example\nBcc: c']) {
      expect(await refusal(invite(email, 'viewer'))).toEqual(['VALIDATION_FAILED', 'INVALID_EMAIL'])
    }
    expect(await refusal(invite('VIEWER@example.com', 'viewer'))).toEqual(['ALREADY_MEMBER'])
    expect(await refusal(invite('x@example.com', 'owner'))).toEqual(['ROLE_ABOVE_OWN'])
    expect((await invite('x@example.com', 'owner', 'owner')).status).toBe(201)
    expect(await refusal(invite('X@example.com', 'viewer'))).toEqual(['ROLE_ABOVE_OWN'])
    const { id } = (await dashboard.as('owner', 'GET', '/invitations')).body.data[0]
    expect(await refusal(dashboard.as('admin', 'DELETE', `/invitations/${id}`))).toEqual([
      'ROLE_ABOVE_OWN',
    ])
    expect((await dashboard.as('owner', 'DELETE', `/invitations/${id}`)).status).toBe(204)
    expect(await refusal(dashboard.as('owner', 'DELETE', `/invitations/${id}`))).toEqual([
      'INVITATION_NOT_FOUND',
    ])
  })

  test('work once, for one address, for seven days, until they are replaced or revoked', async () => {
    await invite('outsider@example.com', 'viewer')
    const replaced = lastToken()
    await invite('OUTSIDER@example.com', 'member')
    const token = lastToken()
    const { lookup } = dashboard.administration.invitations
    expect(await lookup(token)).toMatchObject({
      workspace: { name: 'Acme' },
      email: 'OUTSIDER@example.com',
      role: 'member',
    })
    expect(await codeOf(accept(replaced))).toBe('INVITATION_NOT_FOUND')
    expect(await codeOf(accept('nonsense'))).toBe('INVITATION_NOT_FOUND')
    const other = { id: 'usr_outsider', email: 'other@example.com' }
    expect(await codeOf(accept(token, other))).toBe('INVITATION_FOR_ANOTHER')
    dashboard.clock.ms += 7 * DAY_MS - 1
    const outcomes = await Promise.all([accept(token), accept(token)].map(codeOf))
    // The store decides which of the two comes first.
    expect(outcomes.sort()).toEqual(['INVITATION_NOT_FOUND', null])
    expect((await dashboard.as('outsider', 'GET', '/members')).status).toBe(200)
    expect(await count()).toBe(5)

    await remove('outsider', 'outsider')
    await invite('outsider@example.com', 'viewer')
    dashboard.clock.ms += 7 * DAY_MS
    expect(await codeOf(accept(lastToken()))).toBe('INVITATION_NOT_FOUND')
    expect(await codeOf(lookup(lastToken()))).toBe('INVITATION_NOT_FOUND')
    await dashboard.administration.purge()
    const rows = await dashboard.storage.read.db.selectFrom('invitations').selectAll().execute()
    expect(rows).toEqual([])
  })

  test('and members together stay within the plan', async () => {
    // The plan has room for six, and there are four.
    expect((await invite('a@example.com', 'viewer')).status).toBe(201)
    expect((await invite('outsider@example.com', 'viewer')).status).toBe(201)
    const token = lastToken()
    expect(await refusal(invite('c@example.com', 'viewer'))).toEqual([
      'PLAN_LIMIT_REACHED',
      'MEMBERS_LIMIT',
    ])
    // Someone who already holds a place can be invited again.
    expect((await invite('A@example.com', 'member')).status).toBe(201)
    await accept(token)
    expect(await refusal(invite('c@example.com', 'viewer'))).toEqual([
      'PLAN_LIMIT_REACHED',
      'MEMBERS_LIMIT',
    ])
    await remove('owner', 'viewer')
    expect((await invite('c@example.com', 'viewer')).status).toBe(201)
  })

  test('can’t be used to flood mailboxes', async () => {
    const path = `/instance/workspaces/${dashboard.workspace.id}`
    await dashboard.as('owner', 'PATCH', path, { plan: 'big' })
    const answers = await Promise.all(
      Array.from({ length: 31 }, (_, i) => invite(`a${i}@example.com`, 'viewer')),
    )
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(1)
    const refused = answers.find(({ status }) => status === 429)
    expect(refused?.headers.get('retry-after')).toBe('60')
    dashboard.clock.ms += 60_000
    expect((await invite('late@example.com', 'viewer')).status).toBe(201)
  })
})
