import { afterEach, describe, expect, test } from 'bun:test'
import { systemClock } from '../../lib/base/clock.ts'
import { removePerson } from './removal.ts'
import type { Browser, Seen } from './testing/browser.ts'
import { createSite, PASSWORD, type TestSite } from './testing/site.ts'

let site: TestSite
afterEach(() => site.close())

const BOB = 'bob@example.com'
const signUp = (email = BOB, address?: string) =>
  site.browser(address).post('/app/api/auth/sign-up/email', {
    name: 'Bob',
    email,
    password: PASSWORD,
  })

async function invite(owner: Browser, email = BOB, role = 'viewer') {
  const { status, body } = await owner.post('/app/api/v1/invitations', { email, role })
  expect(status).toBe(201)
  const url = body.url ?? /https:\S+invitation\S+/.exec(site.letters.at(-1)?.text ?? '')?.[0]
  return new URL(url).hash.slice('#token='.length)
}

const accept = (browser: Browser, token: string, account?: object) =>
  browser.post('/app/api/v1/invitations/accept', { token, ...account })

const ACCOUNT = { name: 'Bob', password: PASSWORD }

describe('signing up', () => {
  test.each(['invitation', 'closed'] as const)('is restricted: %s', async (mode) => {
    site = await createSite({ signUp: mode })
    await site.owner()
    const seen = await signUp()
    expect([seen.status, seen.code]).toEqual([403, 'SIGN_UP_CLOSED'])
    expect((await site.browser().get('/app/api/v1/session')).body.instance.sign_up).toBe(mode)
  })

  test('if open, needs a confirmed address', async () => {
    site = await createSite({ signUp: 'open' })
    await site.owner()
    expect((await signUp()).status).toBe(200)
    expect(site.letters.at(-1)?.to).toBe(BOB)
    expect((await site.browser().signIn(BOB, PASSWORD)).code).toBe('EMAIL_NOT_VERIFIED')
    expect(site.letters.at(-1)?.text).toContain('https://s.example/app/verify-email#token=')
    const token = site.mailedToken()
    const verified = await site.browser().post('/app/api/auth/verify-email', { token })
    expect(verified.status).toBe(200)
    expect(verified.headers.getSetCookie()).toEqual([])
    const browser = site.browser()
    expect((await browser.signIn(BOB, PASSWORD)).status).toBe(200)
    const { user, workspaces } = (await browser.get('/app/api/v1/session')).body
    expect(user).toMatchObject({ email_verified: true, instance_owner: false })
    expect(workspaces).toEqual([])
    const made = await browser.post('/app/api/v1/workspaces', { name: 'Bob’s' })
    expect(made.body).toMatchObject({ name: 'Bob’s', role: 'owner', plan: 'free' })
    // The answer doesn't reveal whether another workspace has the name.
    const same = await browser.post('/app/api/v1/workspaces', { name: 'ACME' })
    expect(same.status).toBe(201)
  })

  test('reveals only to its owner that an account exists', async () => {
    site = await createSite({ signUp: 'open' })
    await site.owner()
    const fresh = await signUp()
    const taken = await signUp('ann@example.com')
    expect([taken.status, taken.body]).toEqual([fresh.status, fresh.body])
    const names = ({ headers }: Seen) => [...headers.keys()].sort()
    expect(names(taken)).toEqual(names(fresh))
    expect(site.letters.at(-1)?.to).toBe('Ann@example.com')
    expect((await site.browser().signIn('ann@example.com', PASSWORD)).status).toBe(200)
  })

  test('can’t be used to gain roles', async () => {
    site = await createSite({ signUp: 'open', mail: false })
    await site.owner()
    const body = { name: 'Bob', email: BOB, password: PASSWORD }
    const extra = { instanceOwner: true, emailVerified: true, role: 'admin' }
    const browser = site.browser()
    await browser.post('/app/api/auth/sign-up/email', { ...body, ...extra })
    const { user } = (await browser.get('/app/api/v1/session')).body
    if (user !== null) expect(user).toMatchObject({ instance_owner: false, email_verified: false })
  })

  test('is possible ten times from one address', async () => {
    site = await createSite({ signUp: 'open' })
    await site.owner()
    for (let i = 0; i < 10; i++) expect((await signUp(`p${i}@example.com`)).status).toBe(200)
    expect((await signUp('p10@example.com')).code).toBe('RATE_LIMITED')
  })
})

describe('an invitation', () => {
  test('makes an account, and a member of the role that it is for', async () => {
    site = await createSite()
    const owner = await site.owner()
    const token = await invite(owner)
    const browser = site.browser()
    const preview = await browser.post('/app/api/v1/invitations/lookup', { token })
    expect(preview.body).toEqual({
      workspace: { name: 'Acme' },
      email: BOB,
      role: 'viewer',
      invited_by: { name: 'Ann' },
      account_exists: false,
    })
    expect((await accept(browser, token)).details).toEqual({
      name: 'REQUIRED',
      password: 'REQUIRED',
    })
    const joined = await accept(browser, token, ACCOUNT)
    expect(joined.status).toBe(201)
    expect(joined.body).toMatchObject({
      user: { email: BOB, email_verified: true, instance_owner: false },
      workspace: { name: 'Acme', role: 'viewer' },
    })
    await browser.enter()
    expect((await browser.get('/app/api/v1/links')).status).toBe(200)
    const written = await browser.post('/app/api/v1/links', {
      destination_url: 'https://a.example',
    })
    expect([written.status, written.code]).toEqual([403, 'FORBIDDEN'])
    expect((await accept(site.browser(), token, ACCOUNT)).code).toBe('INVITATION_NOT_FOUND')
  })

  test('that was only shown to the inviter doesn’t verify an address', async () => {
    site = await createSite({ mail: false })
    const owner = await site.owner()
    const token = await invite(owner)
    const joined = await accept(site.browser(), token, ACCOUNT)
    expect(joined.body.user.email_verified).toBe(false)
    // Nor does a forged proof.
    const other = await invite(owner, 'carl@example.com')
    const forged = await accept(site.browser(), `${other}.AAAAAAAAAAAAAAAA`, ACCOUNT)
    expect(forged.body.user.email_verified).toBe(false)
  })

  test('can be accepted with a session, but only for its own address', async () => {
    site = await createSite()
    const owner = await site.owner()
    await site.users.create({ email: BOB, password: PASSWORD })
    const token = await invite(owner)
    const stranger = site.browser()
    expect((await accept(stranger, token, ACCOUNT)).code).toBe('ACCOUNT_EXISTS')
    expect((await accept(owner, token)).code).toBe('INVITATION_FOR_ANOTHER')
    const bob = site.browser()
    await bob.signIn(BOB, PASSWORD)
    expect((await accept(bob, token)).body.workspace).toMatchObject({ role: 'viewer' })
    expect(await bob.who()).toBe(BOB)
  })

  test('creates no account if sign-up is closed or the invitation has expired', async () => {
    site = await createSite({ signUp: 'closed' })
    const owner = await site.owner()
    const token = await invite(owner)
    expect((await accept(site.browser(), token, ACCOUNT)).code).toBe('SIGN_UP_CLOSED')
    site.pass(8 * 86_400_000)
    const late = await site.browser().post('/app/api/v1/invitations/lookup', { token })
    expect([late.status, late.code]).toEqual([404, 'INVITATION_NOT_FOUND'])
  })

  test('creates one account under concurrency', async () => {
    site = await createSite()
    const token = await invite(await site.owner())
    const seen = await Promise.all(
      [1, 2, 3].map((i) => accept(site.browser(`198.51.100.${i}`), token, ACCOUNT)),
    )
    expect(seen.filter(({ status }) => status === 201)).toHaveLength(1)
    const users = await site.storage.read.db.selectFrom('users').selectAll().execute()
    expect(users).toHaveLength(2)
  })
})

describe('one’s own account', () => {
  test('has a name and a language that one can change', async () => {
    site = await createSite()
    const browser = await site.owner()
    const change = (body: object) => browser.send('PATCH', '/app/api/v1/account', body)
    expect((await change({ name: '  Anne ', language: 'de' })).body.user).toMatchObject({
      name: 'Anne',
      language: 'de',
    })
    expect((await change({ language: null })).body.user).toMatchObject({ language: null })
    const wrong = await change({ name: 'a\u0007b', language: 'xx', email: 'x@example.com' })
    expect(wrong.details).toEqual({
      name: 'INVALID_CHARACTERS',
      language: 'INVALID_VALUE',
      email: 'UNKNOWN_FIELD',
    })
    expect((await site.browser().send('PATCH', '/app/api/v1/account', {})).code).toBe(
      'SIGN_IN_REQUIRED',
    )
  })
})

describe('an international host', () => {
  const TYPED = 'bob@MÜNCHEN.de'
  const KEPT = 'bob@xn--mnchen-3ya.de'

  test('signs up, in and is found in any spelling', async () => {
    site = await createSite({ signUp: 'open' })
    const owner = await site.owner()
    expect((await signUp(TYPED)).status).toBe(200)
    expect(site.letters.at(-1)?.to).toBe(KEPT)
    await site.browser().post('/app/api/auth/verify-email', { token: site.mailedToken() })
    for (const email of [TYPED, KEPT, 'bob@münchen.de', 'Bob@mu\u0308nchen.de']) {
      const browser = site.browser()
      expect((await browser.signIn(email, PASSWORD)).status).toBe(200)
      expect(await browser.who()).toBe(KEPT)
    }
    // The same account, so nothing but a message.
    await signUp(KEPT)
    expect(site.letters.at(-1)?.to).toBe(KEPT)
    const token = await invite(owner, 'bob@münchen.de')
    const browser = site.browser()
    await browser.signIn(TYPED, PASSWORD)
    expect((await accept(browser, token)).status).toBe(201)
    const again = await owner.post('/app/api/v1/invitations', { email: KEPT, role: 'viewer' })
    expect(again.code).toBe('ALREADY_MEMBER')
    await browser.post('/app/api/auth/request-password-reset', { email: 'bob@münchen.de' })
    expect(site.letters.at(-1)?.to).toBe(KEPT)
    const removed = await browser.send('DELETE', '/app/api/v1/account', { confirm_email: TYPED })
    expect(removed.status).toBe(204)
  })

  test('is invited, and joins', async () => {
    site = await createSite()
    const owner = await site.owner()
    const token = await invite(owner, TYPED)
    const seen = await site.browser().post('/app/api/v1/invitations/lookup', { token })
    expect(seen.body.email).toBe(KEPT)
    // Replaces the first.
    const second = await invite(owner, KEPT)
    expect((await accept(site.browser(), token, ACCOUNT)).code).toBe('INVITATION_NOT_FOUND')
    expect((await accept(site.browser(), second, ACCOUNT)).status).toBe(201)
  })

  test('is created by the operator', async () => {
    site = await createSite()
    await site.owner()
    const { email } = await site.users.create({ email: TYPED, password: PASSWORD })
    expect(email).toBe(KEPT)
    const again = site.users.create({ email: 'bob@münchen.de', password: PASSWORD })
    await expect(again).rejects.toMatchObject({ code: 'EMAIL_TAKEN' })
    expect(await removePerson({ storage: site.storage, clock: systemClock }, TYPED)).toBe(KEPT)
  })
})
