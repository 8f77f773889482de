import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { createResetLink, dropSecondFactor, handOverInstance } from './operator.ts'
import type { Browser } from './testing/browser.ts'
import { createSite, PASSWORD, type TestSite } from './testing/site.ts'
import { totpCode } from './testing/totp.ts'

const MINUTE_MS = 60_000
const ANN = 'Ann@example.com'
const MEMBER = 'member@example.com'
const NEW = 'another long one'
const AUTH = '/app/api/auth'

let site: TestSite
let owner: Browser
beforeEach(async () => {
  site = await createSite()
  owner = await site.owner()
})
afterEach(() => site.close())

const change = (browser: Browser, new_email: string) =>
  browser.post('/app/api/v1/account/email', { new_email })
const confirmChange = (token: string) =>
  site.browser('198.51.100.9').post('/app/api/v1/account/email/confirm', { token })
const changePassword = (browser: Browser) =>
  browser.post(`${AUTH}/change-password`, { currentPassword: PASSWORD, newPassword: NEW })
/** The token of the newest message to an address. */
const tokenTo = (to: string) =>
  /#token=(\S+)/.exec(site.letters.findLast((letter) => letter.to === to)?.text ?? '')?.[1] ?? ''
const actions = async (browser: Browser): Promise<string[]> =>
  (await browser.get('/app/api/v1/account/events')).body.data.map(
    ({ action }: { action: string }) => action,
  )

describe('the address of an account', () => {
  test('changes by a POST with the token of the new one; the old one is notified twice', async () => {
    expect((await change(owner, 'bob@example.com')).status).toBe(204)
    expect(site.letters.map(({ to }) => to)).toEqual(['bob@example.com', ANN])
    expect(site.letters[0]?.text).toContain('https://s.example/app/change-email#token=')
    expect(site.letters[1]?.text).toContain('bob@example.com')
    expect(site.letters[1]?.text).not.toContain('token=')
    const token = tokenTo('bob@example.com')
    const kept = await site.storage.read.db.selectFrom('verifications').selectAll().execute()
    expect(JSON.stringify(kept)).not.toContain(token)
    expect(await owner.who()).toBe(ANN)
    // Nor for another address than the token's.
    const [secret] = token.split('.')
    const forged = `${secret}.${Buffer.from('eve@example.com').toString('base64url')}`
    expect((await confirmChange(forged)).code).toBe('INVALID_TOKEN')
    const seen = await confirmChange(token)
    expect([seen.status, seen.headers.getSetCookie()]).toEqual([204, []])
    expect(await owner.who()).toBe('bob@example.com')
    expect(site.letters).toHaveLength(3)
    expect(site.letters[2]?.to).toBe(ANN)
    expect((await confirmChange(token)).code).toBe('INVALID_TOKEN')
    expect((await site.browser().signIn('bob@example.com', PASSWORD)).status).toBe(200)
    expect((await actions(owner)).slice(1, 3)).toEqual([
      'account.email_changed',
      'account.email_change_requested',
    ])
  })

  test('needs a recent sign-in or confirmation to be changed', async () => {
    site.pass(15 * MINUTE_MS + 1)
    expect((await change(owner, 'bob@example.com')).code).toBe('REAUTHENTICATION_REQUIRED')
    expect(site.letters).toEqual([])
    await owner.post('/app/api/v1/session/confirm', { password: PASSWORD })
    expect((await change(owner, 'bob@example.com')).status).toBe(204)
    expect((await change(site.browser(), 'bob@example.com')).code).toBe('SIGN_IN_REQUIRED')
  })

  type Ending = [string, (thief: Browser, victim: Browser) => Promise<unknown>]
  const ENDINGS: Ending[] = [
    ['a change of the password', (_, victim) => changePassword(victim)],
    ['a sign-out of other devices', (_, victim) => victim.post(`${AUTH}/revoke-other-sessions`)],
    ['a sign-out everywhere', (_, victim) => victim.post(`${AUTH}/revoke-sessions`)],
    [
      'the end of one session',
      async (_, victim) => {
        const { body } = await victim.get(`${AUTH}/list-sessions`)
        const { token } = body.find(({ current }: { current: boolean }) => !current)
        await victim.post(`${AUTH}/revoke-session`, { token })
      },
    ],
    [
      'a reset of the password',
      async () => {
        await site.browser().post(`${AUTH}/request-password-reset`, { email: ANN })
        const body = { token: tokenTo(ANN), newPassword: NEW }
        expect((await site.browser().post(`${AUTH}/reset-password`, body)).status).toBe(200)
      },
    ],
    [
      'a link of the operator',
      async () => {
        const { ids, random } = site
        const clock = { now: () => Date.now() }
        const { storage, baseUrl } = site
        await createResetLink({ storage, clock, ids, random, baseUrl, email: ANN })
      },
    ],
  ]
  test.each(ENDINGS)('doesn’t change after %s', async (_, end) => {
    const thief = site.browser('198.51.100.7')
    await thief.signIn(ANN, PASSWORD)
    expect((await change(thief, 'eve@example.com')).status).toBe(204)
    const token = tokenTo('eve@example.com')
    await end(thief, owner)
    expect((await confirmChange(token)).code).toBe('INVALID_TOKEN')
    const users = await site.storage.read.db.selectFrom('users').select('email').execute()
    expect(users).toEqual([{ email: ANN }])
  })

  test('that has an account can’t be taken, and the response doesn’t reveal it', async () => {
    await site.users.create({ email: 'bob@example.com', password: PASSWORD })
    const taken = await change(owner, 'bob@example.com')
    expect([taken.status, taken.body]).toEqual([204, null])
    expect(site.letters.map(({ to }) => to)).toEqual([ANN])
    expect((await change(owner, 'ANN@example.com')).details).toEqual({
      new_email: 'EMAIL_UNCHANGED',
    })
    expect((await change(owner, 'nonsense')).details).toEqual({ new_email: 'INVALID_EMAIL' })
    await change(owner, 'dora@example.com')
    await site.users.create({ email: 'Dora@example.com', password: PASSWORD })
    expect((await confirmChange(tokenTo('dora@example.com'))).code).toBe('INVALID_TOKEN')
  })

  test('changes nothing an hour later, and an old address can’t reset the password', async () => {
    await change(owner, 'bob@example.com')
    await site.browser().post(`${AUTH}/request-password-reset`, { email: ANN })
    const reset = tokenTo(ANN)
    expect((await confirmChange(tokenTo('bob@example.com'))).status).toBe(204)
    const seen = await site.browser().post(`${AUTH}/reset-password`, {
      token: reset,
      newPassword: NEW,
    })
    expect(seen.code).toBe('INVALID_TOKEN')
    await change(owner, 'carl@example.com')
    site.pass(60 * MINUTE_MS + 1)
    expect((await confirmChange(tokenTo('carl@example.com'))).code).toBe('INVALID_TOKEN')
  })
})

describe('wrong passwords by strangers', () => {
  test('lock out no device on which the person has signed in before', async () => {
    const known = site.browser('192.0.2.7')
    await known.signIn(ANN, PASSWORD)
    await known.post(`${AUTH}/sign-out`)
    for (let i = 0; i < 12; i++) await site.browser(`203.0.113.${i}`).signIn(ANN, 'wrong guess')
    expect((await site.browser('198.51.100.1').signIn(ANN, PASSWORD)).code).toBe('RATE_LIMITED')
    expect((await known.signIn(ANN, PASSWORD)).status).toBe(200)
  })

  test('are also limited with a forged device, one of another person, or one’s own', async () => {
    await site.users.create({ email: MEMBER, password: PASSWORD })
    const known = site.browser('192.0.2.7')
    await known.signIn(MEMBER, PASSWORD)
    for (let i = 0; i < 12; i++) await site.browser(`203.0.113.${i}`).signIn(ANN, 'wrong guess')
    expect((await known.signIn(ANN, PASSWORD)).code).toBe('RATE_LIMITED')
    for (let i = 0; i < 10; i++) await known.signIn(MEMBER, 'wrong guess')
    expect((await known.signIn(MEMBER, PASSWORD)).code).toBe('RATE_LIMITED')
    // Attempts of strangers are still counted separately.
    expect((await site.browser('198.51.100.2').signIn(MEMBER, PASSWORD)).status).toBe(200)
  })
})

describe('wrong codes', () => {
  test('lock at twenty a day, send one notice, and unlock with a new password', async () => {
    const begun = await owner.post(`${AUTH}/two-factor/enable`, { password: PASSWORD })
    const { totpURI } = begun.body
    await owner.post(`${AUTH}/two-factor/verify-totp`, { code: totpCode(totpURI) })
    site.letters.length = 0
    let tried = 0
    let locked = false
    for (let hour = 0; hour < 12 && !locked; hour++) {
      const thief = site.browser(`203.0.113.${hour}`)
      await thief.signIn(ANN, PASSWORD)
      for (let i = 0; i < 5; i++) {
        const seen = await thief.post(`${AUTH}/two-factor/verify-totp`, {
          code: String(100_000 + tried),
        })
        locked = seen.code === 'RATE_LIMITED'
        if (locked) break
        tried++
      }
      site.pass(10 * MINUTE_MS)
    }
    expect(locked).toBe(true)
    expect(tried).toBeLessThanOrEqual(21)
    expect(site.letters.map(({ to }) => to)).toEqual([ANN])
    // Even the correct code is refused, except on a device that the person has used.
    const right = async (browser: Browser) => {
      await browser.signIn(ANN, PASSWORD)
      const code = totpCode(totpURI)
      return (await browser.post(`${AUTH}/two-factor/verify-totp`, { code })).code
    }
    expect(await right(site.browser('198.51.100.3'))).toBe('RATE_LIMITED')
    expect(site.letters).toHaveLength(1)
    await site.browser('198.51.100.4').post(`${AUTH}/request-password-reset`, { email: ANN })
    const token = tokenTo(ANN)
    await site.browser('198.51.100.4').post(`${AUTH}/reset-password`, { token, newPassword: NEW })
    const browser = site.browser('198.51.100.5')
    await browser.signIn(ANN, NEW)
    const code = totpCode(totpURI)
    expect((await browser.post(`${AUTH}/two-factor/verify-totp`, { code })).status).toBe(200)
    expect(await browser.who()).toBe(ANN)
  })
})

describe('codes that are locked, where no mail is set up', () => {
  let totpURI: string
  let backupCodes: string[]

  async function lock(browser: Browser) {
    for (let code = 100_000; code < 100_040; code++) {
      await browser.signIn(ANN, PASSWORD)
      const seen = await verify(browser, 'totp', String(code))
      site.pass(2 * MINUTE_MS)
      if (seen.code === 'RATE_LIMITED') return
      expect(seen.code).toBe('INVALID_CODE')
    }
    throw new Error('never locked')
  }
  const verify = (browser: Browser, kind: string, code: string) =>
    browser.post(`${AUTH}/two-factor/verify-${kind}`, { code })

  beforeEach(async () => {
    await site.close()
    site = await createSite({ mail: false })
    owner = await site.owner()
    const { body } = await owner.post(`${AUTH}/two-factor/enable`, { password: PASSWORD })
    totpURI = body.totpURI
    backupCodes = body.backupCodes
    await verify(owner, 'totp', totpCode(totpURI))
    site.pass(MINUTE_MS)
  })

  test('don’t lock out people with a recovery code', async () => {
    const browser = site.browser('203.0.113.1')
    await lock(browser)
    await browser.signIn(ANN, PASSWORD)
    expect((await verify(browser, 'totp', totpCode(totpURI))).code).toBe('RATE_LIMITED')
    await browser.signIn(ANN, PASSWORD)
    expect((await verify(browser, 'backup-code', 'wrong-guess')).code).toBe('INVALID_CODE')
    expect((await verify(browser, 'backup-code', backupCodes[0] ?? '')).status).toBe(200)
    expect(await browser.who()).toBe(ANN)
  })

  test.each(['203.0.113.2', 'a device that the person has used'])(
    'are lifted by a link of the operator’s: %s',
    async (address) => {
      const browser = address.startsWith('2') ? site.browser(address) : owner
      if (browser === owner) await browser.post(`${AUTH}/sign-out`)
      if (browser === owner) {
        await browser.signIn(ANN, PASSWORD)
        await verify(browser, 'totp', totpCode(totpURI))
        await browser.post(`${AUTH}/sign-out`)
        site.pass(MINUTE_MS)
      }
      await lock(browser)
      const { storage, ids, random, baseUrl } = site
      const clock = { now: () => Date.now() }
      const made = await createResetLink({ storage, clock, ids, random, baseUrl, email: ANN })
      const token = new URL(made.url ?? '').hash.slice('#token='.length)
      await browser.post(`${AUTH}/reset-password`, { token, newPassword: NEW })
      await browser.signIn(ANN, NEW)
      expect((await verify(browser, 'totp', totpCode(totpURI))).status).toBe(200)
      expect(await browser.who()).toBe(ANN)
    },
  )
})

describe('what happens to an account', () => {
  test('is recorded: a wrong code, a used one, and the first factor', async () => {
    const begun = await owner.post(`${AUTH}/two-factor/enable`, { password: PASSWORD })
    const { totpURI } = begun.body
    const code = totpCode(totpURI)
    await owner.post(`${AUTH}/two-factor/verify-totp`, { code })
    site.pass(MINUTE_MS)
    for (const [kind, wrong] of [
      ['totp', '000000'],
      ['backup-code', 'not-a-code'],
    ] as const) {
      const browser = site.browser()
      await browser.signIn(ANN, PASSWORD)
      await browser.post(`${AUTH}/two-factor/verify-${kind}`, { code: wrong })
    }
    const next = totpCode(totpURI)
    for (const browser of [site.browser(), site.browser()]) {
      await browser.signIn(ANN, PASSWORD)
      await browser.post(`${AUTH}/two-factor/verify-totp`, { code: next })
    }
    expect((await actions(owner)).toReversed()).toEqual([
      'account.signed_in',
      'account.two_factor_enabled',
      'account.second_factor_failed',
      'account.second_factor_failed',
      'account.signed_in',
      'account.second_factor_failed',
    ])
    const { body } = await owner.get('/app/api/v1/account/events')
    expect(body.data[0].by).toBe('unknown')
    await owner.post('/app/api/v1/invitations', { email: MEMBER, role: 'member' })
    const guest = site.browser()
    const accepted = { token: tokenTo(MEMBER), name: 'Eve', password: PASSWORD }
    expect((await guest.post('/app/api/v1/invitations/accept', accepted)).status).toBe(201)
    expect(await actions(guest)).toEqual(['account.signed_in'])
    const audit = site.storage.read.db.selectFrom('audit').selectAll()
    const rows = await audit.where('action', '=', 'account.signed_in').orderBy('seq').execute()
    expect(rows.map(({ after }) => JSON.parse(after))).toEqual([
      { by: 'claim' },
      {},
      { by: 'invitation' },
    ])
  })

  test('is recorded, shown to its person, and sent by email if relevant', async () => {
    const browser = await site.joined(owner, 'member')
    site.letters.length = 0
    await site.browser('203.0.113.5').signIn(MEMBER, 'wrong guess')
    const begun = await browser.post(`${AUTH}/two-factor/enable`, { password: PASSWORD })
    const code = totpCode(begun.body.totpURI)
    await browser.post(`${AUTH}/two-factor/verify-totp`, { code })
    await browser.post(`${AUTH}/two-factor/generate-backup-codes`, { password: PASSWORD })
    await browser.post(`${AUTH}/two-factor/disable`, { password: PASSWORD })
    await changePassword(browser)
    const seen = await actions(browser)
    expect(seen.toReversed()).toEqual([
      'account.signed_in',
      'account.sign_in_failed',
      'account.two_factor_enabled',
      'account.recovery_codes_replaced',
      'account.two_factor_disabled',
      'account.password_changed',
    ])
    expect(site.letters.map(({ to }) => to)).toEqual([MEMBER, MEMBER, MEMBER, MEMBER])
    // And not to anyone else.
    expect(await actions(owner)).toEqual(['account.signed_in'])
    const { body } = await browser.get('/app/api/v1/account/events')
    expect(JSON.stringify(body)).not.toContain(MEMBER)
  })

  test('is recorded for actions of the operator too', async () => {
    const browser = await site.joined(owner, 'member')
    const clock = { now: () => Date.now() }
    const { storage, ids, random, baseUrl } = site
    await createResetLink({ storage, clock, ids, random, baseUrl, email: MEMBER })
    await handOverInstance({ storage, clock }, MEMBER)
    await dropSecondFactor({ storage, clock }, MEMBER)
    const { data } = (await browser.get('/app/api/v1/account/events')).body
    expect(data.slice(0, 2)).toMatchObject([
      { action: 'instance.handed_over', by: 'operator' },
      { action: 'account.reset_link_created', by: 'operator' },
    ])
  })
})

describe('a workspace that requires a second factor', () => {
  test('is closed to members with a password alone until they set one up', async () => {
    const browser = await site.joined(owner, 'member')
    const patch = { require_two_factor: true }
    expect((await owner.send('PATCH', '/app/api/v1/workspace', patch)).status).toBe(200)
    const refused = await browser.get('/app/api/v1/links')
    expect([refused.status, refused.code]).toEqual([403, 'TWO_FACTOR_REQUIRED'])
    const workspaceOf = async () => (await browser.get('/app/api/v1/session')).body.workspaces[0]
    expect((await workspaceOf()).needs_two_factor).toBe(true)
    const begun = await browser.post(`${AUTH}/two-factor/enable`, { password: PASSWORD })
    expect((await browser.get('/app/api/v1/links')).code).toBe('TWO_FACTOR_REQUIRED')
    const code = totpCode(begun.body.totpURI)
    await browser.post(`${AUTH}/two-factor/verify-totp`, { code })
    expect((await browser.get('/app/api/v1/links')).status).toBe(200)
    expect((await workspaceOf()).needs_two_factor).toBe(false)
    await browser.post(`${AUTH}/two-factor/disable`, { password: PASSWORD })
    expect((await browser.get('/app/api/v1/links')).code).toBe('TWO_FACTOR_REQUIRED')
  })
})

describe('actions that could take a workspace over', () => {
  test('need a recent sign-in or password', async () => {
    site.pass(15 * MINUTE_MS + 1)
    const key = { name: 'k', scopes: ['links:read'] }
    const tries = () => [
      owner.post('/app/api/v1/keys', key),
      owner.post('/app/api/v1/keys/key_x/rotate'),
      owner.send('PATCH', '/app/api/v1/members/usr_x', { role: 'owner' }),
      owner.send('DELETE', '/app/api/v1/workspace', { confirm_name: 'other' }),
      owner.get(`${AUTH}/passkey/generate-register-options`),
      owner.post(`${AUTH}/passkey/delete-passkey`, { id: 'psk_x' }),
    ]
    for (const seen of await Promise.all(tries()))
      expect(seen.code).toBe('REAUTHENTICATION_REQUIRED')
    await owner.post('/app/api/v1/session/confirm', { password: PASSWORD })
    for (const seen of await Promise.all(tries()))
      expect(seen.code).not.toBe('REAUTHENTICATION_REQUIRED')
  })
})

describe('workspaces', () => {
  test('can be restricted to be created by the owner of the instance', async () => {
    await site.close()
    site = await createSite({ workspaceCreation: 'owner' })
    owner = await site.owner()
    const admin = await site.joined(owner, 'admin')
    const make = (browser: Browser) => browser.post('/app/api/v1/workspaces', { name: 'Mine' })
    expect((await make(admin)).code).toBe('FORBIDDEN')
    expect((await make(owner)).status).toBe(201)
    const may = async (browser: Browser) =>
      (await browser.get('/app/api/v1/session')).body.user.may_create_workspaces
    expect([await may(admin), await may(owner)]).toEqual([false, true])
  })

  test('of one person share the limit of their highest plan', async () => {
    await site.users.create({ email: MEMBER, password: PASSWORD })
    const browser = site.browser()
    await browser.signIn(MEMBER, PASSWORD)
    const keys: string[] = []
    for (let i = 0; i < 4; i++) {
      browser.workspace = (await browser.post('/app/api/v1/workspaces', { name: `W${i}` })).body.id
      const body = { name: 'k', scopes: ['links:read'] }
      keys.push((await browser.post('/app/api/v1/keys', body)).body.key)
    }
    site.pass(10 * MINUTE_MS)
    const { burst, requests_per_minute } = site.freeLimits
    const once = burst ?? requests_per_minute ?? 0
    let allowed = 0
    for (let i = 0; i < 4 * once; i++) {
      const headers = { Authorization: `Bearer ${keys[i % 4]}` }
      const seen = await browser.get('/api/v1/links', { headers, workspace: null })
      if (seen.status === 200) allowed++
      else expect(Number(seen.headers.get('Retry-After'))).toBeGreaterThan(0)
    }
    expect(allowed).toBe(once)
    // The dashboard's writes count too; its reads don't.
    const written = await browser.post('/app/api/v1/links', {
      destination_url: 'https://a.example',
    })
    expect(written.code).toBe('RATE_LIMITED')
    expect((await browser.get('/app/api/v1/links')).status).toBe(200)
    site.pass(MINUTE_MS)
    const later = await browser.post('/app/api/v1/links', { destination_url: 'https://a.example' })
    expect(later.status).toBe(201)
  })
})

describe('a person who is removed or demoted', () => {
  const KEY = { name: 'theirs', scopes: ['links:read'] }
  const keyOf = async (browser: Browser) =>
    (await browser.post('/app/api/v1/keys', KEY)).body.key as string
  const works = async (key: string) => (await site.keys.authenticate(key, '192.0.2.1')) !== null
  const idOf = async (email: string) =>
    (await owner.get('/app/api/v1/members')).body.data.find(
      (member: { email: string }) => member.email === email,
    ).user_id as string
  const ADMIN = 'admin@example.com'

  test('loses invitations and keys that would let them back in', async () => {
    const admin = await site.joined(owner, 'admin')
    const key = await keyOf(admin)
    const others = await keyOf(owner)
    await admin.post('/app/api/v1/invitations', { email: 'eve@example.com', role: 'admin' })
    const token = tokenTo('eve@example.com')
    await owner.post('/app/api/v1/invitations', { email: 'bob@example.com', role: 'viewer' })
    const removed = await owner.send('DELETE', `/app/api/v1/members/${await idOf(ADMIN)}`)
    expect(removed.status).toBe(204)
    const account = { token, name: 'Eve', password: PASSWORD }
    const back = await site.browser().post('/app/api/v1/invitations/accept', account)
    expect(back.code).toBe('INVITATION_NOT_FOUND')
    expect([await works(key), await works(others)]).toEqual([false, true])
    const { data } = (await owner.get('/app/api/v1/invitations')).body
    expect(data.map(({ email }: { email: string }) => email)).toEqual(['bob@example.com'])
    const audit = (await owner.get('/app/api/v1/audit?limit=3')).body.data
    expect(audit.map(({ action }: { action: string }) => action)).toEqual([
      'member.removed',
      'api_key.revoked',
      'invitation.revoked',
    ])
  })

  test('keeps keys if the remover chooses so, but not when leaving', async () => {
    const admin = await site.joined(owner, 'admin')
    const key = await keyOf(admin)
    const path = `/app/api/v1/members/${await idOf(ADMIN)}`
    const demoted = await owner.send('PATCH', path, { role: 'member', keys: 'keep' })
    expect([demoted.status, await works(key)]).toEqual([200, true])
    expect((await owner.send('DELETE', `${path}?keys=keep`)).status).toBe(204)
    expect(await works(key)).toBe(true)
    await site.close()
    site = await createSite()
    owner = await site.owner()
    const second = await site.joined(owner, 'admin')
    const own = await keyOf(second)
    const ownPath = `/app/api/v1/members/${await idOf(ADMIN)}`
    expect((await second.send('DELETE', `${ownPath}?keys=keep`)).status).toBe(204)
    expect(await works(own)).toBe(false)
  })

  test('loses keys with the role that permits them, and invitations with any demotion', async () => {
    const admin = await site.joined(owner, 'admin')
    const path = `/app/api/v1/members/${await idOf(ADMIN)}`
    await owner.send('PATCH', path, { role: 'owner' })
    const key = await keyOf(admin)
    const invite = () =>
      admin.post('/app/api/v1/invitations', { email: 'eve@example.com', role: 'viewer' })
    const open = async () => (await owner.get('/app/api/v1/invitations')).body.data.length
    await invite()
    await owner.send('PATCH', path, { role: 'admin' })
    expect([await open(), await works(key)]).toEqual([0, true])
    await invite()
    await owner.send('PATCH', path, { role: 'viewer' })
    expect([await open(), await works(key)]).toEqual([0, false])
  })
})

describe('the history of a link', () => {
  test('shows email addresses only to admins: keys and other members see names', async () => {
    const member = await site.joined(owner, 'member')
    await site.storage.write((tx) =>
      tx.db.updateTable('users').set({ name: 'Max' }).where('email', '=', MEMBER).execute(),
    )
    const made = await member.post('/app/api/v1/links', { destination_url: 'https://a.example' })
    const path = `/api/v1/links/${made.body.id}/history`
    const { key } = (await owner.post('/app/api/v1/keys', { name: 'k', scopes: ['links:read'] }))
      .body
    const name = (seen: Awaited<ReturnType<Browser['get']>>) => seen.body.data[0].actor.name
    const headers = { Authorization: `Bearer ${key}` }
    const byKey = await site.browser().get(path, { headers })
    expect(name(byKey)).toBe('Max')
    expect(JSON.stringify(byKey.body)).not.toContain('@')
    const request = new Request('https://s.example/api/v1/history.ndjson', { headers })
    const exported = await (await site.app.fetch(request, { peer: '192.0.2.1' })).text()
    expect(exported).toContain('Max')
    expect(exported).not.toContain('@')
    expect(name(await member.get(`/app${path}`))).toBe('Max')
    expect(name(await owner.get(`/app${path}`))).toBe(MEMBER)
    // People without a name or an account appear by id.
    await site.storage.write((tx) =>
      tx.db.updateTable('users').set({ name: null }).where('email', '=', MEMBER).execute(),
    )
    const nameless = await site.browser().get(path, { headers })
    expect(name(nameless)).toBe(nameless.body.data[0].actor.id)
  })
})
