import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { handOverInstance } from './operator.ts'
import { removePerson } from './removal.ts'
import type { Browser } from './testing/browser.ts'
import { DOT } from './testing/picture.ts'
import { createSite, PASSWORD, type TestSite } from './testing/site.ts'

const MINUTE_MS = 60_000
const ANN = 'ann@example.com'
const MEMBER = 'member@example.com'

let site: TestSite
let owner: Browser
beforeEach(async () => {
  site = await createSite()
  owner = await site.owner()
})
afterEach(() => site.close())

const remove = (browser: Browser, email: string) =>
  browser.send('DELETE', '/app/api/v1/account', { confirm_email: email })
const deps = () => ({ storage: site.storage, clock: { now: () => Date.now() } })
const count = async (table: 'users' | 'sessions' | 'accounts' | 'members' | 'pictures') =>
  (await site.storage.read.db.selectFrom(table).selectAll().execute()).length

describe('one’s own account', () => {
  test('is deleted with sessions and memberships; the log keeps the address', async () => {
    const browser = await site.joined(owner, 'member')
    await browser.send('PUT', '/app/api/v1/account/picture', { image: DOT })
    expect(await count('pictures')).toBe(1)
    const elsewhere = site.browser()
    await elsewhere.signIn(MEMBER, PASSWORD)
    const seen = await remove(browser, 'MEMBER@example.com ')
    expect(seen.status).toBe(204)
    // There is no page to open any more.
    expect(site.letters.at(-1)).toMatchObject({
      to: MEMBER,
      html: expect.not.stringContaining('href'),
    })
    expect(await browser.who()).toBeNull()
    expect(await count('pictures')).toBe(0)
    expect(await elsewhere.who()).toBeNull()
    expect((await site.browser().signIn(MEMBER, PASSWORD)).code).toBe('SIGN_IN_FAILED')
    expect([await count('users'), await count('accounts'), await count('members')]).toEqual([
      1, 1, 1,
    ])
    const { body } = await owner.get('/app/api/v1/audit?action=member.left')
    expect(body.data).toMatchObject([
      { actor: { name: MEMBER }, target: { label: MEMBER }, before: { role: 'member' } },
    ])
    const usage = (await owner.get('/app/api/v1/usage')).body.used
    expect(usage.members).toBe(1)
    // The address is free again.
    await site.users.create({ email: MEMBER, password: PASSWORD })
  })

  test('needs the address typed, and a recent sign-in or password', async () => {
    const browser = await site.joined(owner, 'member')
    expect((await remove(browser, 'other@example.com')).details).toEqual({
      confirm_email: 'EMAIL_MISMATCH',
    })
    const { code } = await browser.send(
      'DELETE',
      '/app/api/v1/account',
      { confirm_email: MEMBER },
      { headers: { Origin: 'https://evil.example' } },
    )
    expect(code).toBe('CROSS_SITE_REQUEST')
    site.pass(15 * MINUTE_MS + 1)
    expect((await remove(browser, MEMBER)).code).toBe('REAUTHENTICATION_REQUIRED')
    const confirm = (password: string) => browser.post('/app/api/v1/session/confirm', { password })
    for (let i = 0; i < 10; i++) {
      expect((await confirm('wrong')).details).toEqual({ password: 'WRONG_PASSWORD' })
    }
    expect((await confirm(PASSWORD)).code).toBe('RATE_LIMITED')
    expect((await remove(browser, MEMBER)).code).toBe('REAUTHENTICATION_REQUIRED')
    site.pass(MINUTE_MS)
    expect((await confirm(PASSWORD)).status).toBe(204)
    expect((await remove(browser, MEMBER)).status).toBe(204)
  })

  test('without a password needs a recent sign-in', async () => {
    const browser = await site.joined(owner, 'member')
    await site.storage.write((tx) =>
      tx.db.updateTable('accounts').set({ password_hash: null }).execute(),
    )
    site.pass(15 * MINUTE_MS + 1)
    expect((await remove(browser, MEMBER)).code).toBe('REAUTHENTICATION_REQUIRED')
    const { code } = await browser.post('/app/api/v1/session/confirm', { password: PASSWORD })
    expect(code).toBe('REAUTHENTICATION_REQUIRED')
    site.pass(-1)
    expect((await remove(browser, MEMBER)).status).toBe(204)
  })

  test('is deleted with its API keys and open invitations', async () => {
    const browser = await site.joined(owner, 'admin')
    const body = { name: 'mine', scopes: ['links:read'] }
    const { key } = (await browser.post('/app/api/v1/keys', body)).body
    await browser.post('/app/api/v1/invitations', { email: 'x@example.com', role: 'admin' })
    expect(await site.keys.authenticate(key, '192.0.2.1')).not.toBeNull()
    expect((await remove(browser, 'admin@example.com')).status).toBe(204)
    expect(await site.keys.authenticate(key, '192.0.2.1')).toBeNull()
    expect((await owner.get('/app/api/v1/invitations')).body.data).toEqual([])
  })

  test('can’t be deleted while a workspace would be left without an owner', async () => {
    const browser = await site.joined(owner, 'member')
    await browser.post('/app/api/v1/workspaces', { name: 'Mine' })
    const refused = await remove(browser, MEMBER)
    expect([refused.status, refused.code]).toEqual([409, 'SOLE_OWNER'])
    expect(refused.body.error.message).toContain('Mine')
    await browser.get('/app/api/v1/session').then(({ body }) => {
      browser.workspace = body.workspaces.find((one: { name: string }) => one.name === 'Mine').id
    })
    await browser.send('DELETE', '/app/api/v1/workspace', { confirm_name: 'Mine' })
    expect((await remove(browser, MEMBER)).status).toBe(204)
  })

  test('of the instance’s owner can be deleted last, or after a hand-over', async () => {
    const other = await site.joined(owner, 'member')
    await owner.send('DELETE', '/app/api/v1/workspace', { confirm_name: 'Acme' })
    expect((await remove(owner, ANN)).code).toBe('INSTANCE_OWNER')
    expect(await handOverInstance(deps(), 'Member@example.com')).toBe(true)
    expect(await handOverInstance(deps(), 'nobody@example.com')).toBe(false)
    expect((await remove(owner, ANN)).status).toBe(204)
    expect((await other.get('/app/api/v1/session')).body.user.instance_owner).toBe(true)
    // The last one leaves an instance that can be claimed.
    expect((await remove(other, MEMBER)).status).toBe(204)
    expect(await count('sessions')).toBe(0)
    expect((await other.get('/app/api/v1/session')).body.instance.claimed).toBe(false)
    expect(await (await site.owner()).who()).toBe('Ann@example.com')
  })
})

describe('the operator', () => {
  test('deletes by address, under the same conditions', async () => {
    const browser = await site.joined(owner, 'member')
    expect(await removePerson(deps(), 'nobody@example.com')).toBeNull()
    await expect(removePerson(deps(), ANN)).rejects.toMatchObject({ code: 'SOLE_OWNER' })
    expect(await removePerson(deps(), ' MEMBER@example.com')).toBe(MEMBER)
    expect(await browser.who()).toBeNull()
    const { body } = await owner.get('/app/api/v1/audit?action=member.removed')
    expect(body.data).toMatchObject([{ actor: { type: 'command' }, target: { label: MEMBER } }])
  })
})
