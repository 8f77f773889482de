import { afterEach, describe, expect, test } from 'bun:test'
import { COMMAND_LINE } from '../audit/index.ts'
import { createSite, PASSWORD, type TestSite } from './testing/site.ts'

let site: TestSite
afterEach(() => site.close())

async function claimToken(): Promise<string> {
  const url = await site.accounts.openClaim()
  return new URL(url ?? '').hash.slice('#token='.length) ?? ''
}

const CLAIM = { email: 'ann@example.com', password: PASSWORD, name: 'Ann', workspace: 'Acme' }

const claim = (token: string, over: object = {}, address?: string) =>
  site.browser(address).post('/app/api/v1/claim', { ...CLAIM, token, ...over })

describe('claiming the instance', () => {
  test('makes its owner, with a workspace without limits, and signs them in', async () => {
    site = await createSite()
    const browser = site.browser()
    const before = await browser.get('/app/api/v1/session')
    expect(before.body).toMatchObject({ user: null, workspaces: [], instance: { claimed: false } })
    const url = await site.accounts.openClaim()
    expect(url).toStartWith('https://s.example/app/claim#token=')
    const token = new URL(url ?? '').hash.slice('#token='.length)
    const made = await browser.post('/app/api/v1/claim', { ...CLAIM, token })
    expect(made.status).toBe(201)
    expect(made.body).toMatchObject({
      user: { email: 'ann@example.com', name: 'Ann', email_verified: true, instance_owner: true },
      workspace: { name: 'Acme', role: 'owner', plan: 'unlimited' },
    })
    const { body } = await browser.get('/app/api/v1/session')
    expect(body.instance.claimed).toBe(true)
    expect(body.workspaces).toEqual([made.body.workspace])
    const instance = await browser.get('/app/api/v1/instance/workspaces', {
      workspace: made.body.workspace.id,
    })
    expect(instance.status).toBe(200)
  })

  test('takes over the workspace that a command made before, with what is in it', async () => {
    site = await createSite()
    const made = await site.storage.write((tx) =>
      site.workspaces.create(tx, { name: 'Acme', planId: 'free' }, COMMAND_LINE),
    )
    const browser = site.browser()
    const { status, body } = await browser.post('/app/api/v1/claim', {
      ...CLAIM,
      workspace: 'acme',
      token: await claimToken(),
    })
    expect(status).toBe(201)
    expect(body.workspace).toMatchObject({ id: made.id, name: 'Acme', role: 'owner' })
    expect(body.workspace.plan).toBe('unlimited')
  })

  test('accepts any password that can sign in afterwards', async () => {
    site = await createSite()
    // Beyond the BMP, so of 200 UTF-16 units.
    const password = String.fromCodePoint(...Array.from({ length: 100 }, (_, i) => 0x1f400 + i))
    expect((await claim(await claimToken(), { password })).status).toBe(201)
    expect((await site.browser().signIn('ann@example.com', password)).status).toBe(200)
  })

  test('can’t be repeated', async () => {
    site = await createSite()
    const token = await claimToken()
    expect((await claim(token)).status).toBe(201)
    for (const given of [token, 'x']) {
      const again = await claim(given, { email: 'eve@example.com', workspace: 'Evil' })
      expect([again.status, again.code]).toEqual([404, 'NOT_FOUND'])
    }
    expect(await site.accounts.openClaim()).toBeNull()
    const facts = site.storage.read.db.selectFrom('instance').select('name')
    expect(await facts.where('name', 'like', 'claim%').execute()).toEqual([])
    expect(await site.storage.read.db.selectFrom('users').selectAll().execute()).toHaveLength(1)
  })

  test('accepts only the newest token, which is stored as a hash', async () => {
    site = await createSite()
    const old = await claimToken()
    const token = await claimToken()
    for (const wrong of [old, '', `${token}x`, token.slice(1)]) {
      expect((await claim(wrong)).status).toBeGreaterThanOrEqual(404)
    }
    const facts = await site.storage.read.db.selectFrom('instance').selectAll().execute()
    expect(JSON.stringify(facts)).not.toContain(token)
    expect((await claim(token)).status).toBe(201)
  })

  test('succeeds for one of several concurrent requests', async () => {
    site = await createSite()
    const token = await claimToken()
    const seen = await Promise.all(
      Array.from({ length: 50 }, (_, i) =>
        claim(token, { email: `p${i}@example.com`, workspace: `w${i}` }, `192.0.2.${i}`),
      ),
    )
    expect(seen.filter(({ status }) => status === 201)).toHaveLength(1)
    expect(seen.filter(({ code }) => code === 'NOT_FOUND')).toHaveLength(49)
    expect(await site.storage.read.db.selectFrom('users').selectAll().execute()).toHaveLength(1)
    expect(await site.storage.read.db.selectFrom('workspaces').selectAll().execute()).toHaveLength(
      1,
    )
  })

  test('ends when a command creates a person, who then owns it', async () => {
    site = await createSite()
    const token = await claimToken()
    await site.users.create({ email: 'op@example.com', password: PASSWORD })
    expect((await claim(token)).status).toBe(404)
    const browser = site.browser()
    await browser.signIn('op@example.com', PASSWORD)
    expect((await browser.get('/app/api/v1/session')).body.user.instance_owner).toBe(true)
  })

  test('is rate-limited by address', async () => {
    site = await createSite()
    await claimToken()
    const codes: (string | undefined)[] = []
    for (let i = 0; i < 12; i++) codes.push((await claim('wrong')).code)
    expect(codes.slice(0, 10)).toEqual(Array(10).fill('NOT_FOUND'))
    expect(codes.slice(10)).toEqual(['RATE_LIMITED', 'RATE_LIMITED'])
  })

  test('reports every invalid field', async () => {
    site = await createSite()
    const token = await claimToken()
    const seen = await claim(token, { email: 'ann', password: 'short', name: ' ', workspace: '' })
    expect(seen.status).toBe(422)
    expect(seen.details).toEqual({
      email: 'INVALID_EMAIL',
      password: 'TOO_SHORT',
      name: 'REQUIRED',
      workspace: 'REQUIRED',
    })
  })

  test('is required before any other account', async () => {
    site = await createSite({ signUp: 'open' })
    const body = { name: 'Eve', email: 'eve@example.com', password: PASSWORD }
    const seen = await site.browser().post('/app/api/auth/sign-up/email', body)
    expect(seen.code).toBe('SIGN_UP_CLOSED')
  })
})
