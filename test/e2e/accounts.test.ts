import { afterEach, describe, expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Browser } from '../../src/features/accounts/testing/browser.ts'
import { startProvider } from '../../src/features/accounts/testing/provider.ts'
import { readable, startSmtpServer } from '../../src/platform/mail/testing/smtp-server.ts'
import { eventually } from '../harness/eventually.ts'
import { SLUGLINE, type Slugline, startSlugline } from '../harness/process.ts'

let slugline: Slugline
afterEach(() => slugline.dispose())

const PASSWORD = 'correct horse battery'
const ANN = 'ann@example.com'
const CLAIM = /(https?:\/\/\S+\/app\/claim#token=([\w-]+))/g

/** A browser of the real process; `baseUrl` is the URL in its address bar. */
function browser(address = '192.0.2.1', baseUrl = slugline.url): Browser {
  const app = {
    fetch(request: Request) {
      const { pathname, search } = new URL(request.url)
      const headers = new Headers(request.headers)
      headers.set('X-Forwarded-For', address)
      return fetch(new Request(slugline.url + pathname + search, request), {
        headers,
        redirect: 'manual',
      })
    },
  }
  return new Browser(baseUrl, app, address)
}

/** The newest printed token, once the process has printed everything at the start. */
async function printedToken(): Promise<string> {
  return eventually('the address is printed', async () =>
    [...slugline.output().matchAll(CLAIM)].at(-1)?.at(2),
  )
}

const claim = (token: string, over: object = {}, from = browser()) =>
  from.post('/app/api/v1/claim', {
    ...{ token, email: ANN, password: PASSWORD, name: 'Ann', workspace: 'Acme' },
    ...over,
  })

/** The owner of the instance. */
async function owner(): Promise<Browser> {
  const mine = browser()
  const { stdout } = await slugline.cli('users', 'claim-link', '--json')
  const token = new URL((JSON.parse(stdout) as { url: string }).url).hash.slice('#token='.length)
  const seen = await claim(token, {}, mine)
  expect(seen.status).toBe(201)
  mine.workspace = seen.body.workspace.id
  return mine
}

/** Whether a text is anywhere in stored data. */
async function isKept(text: string): Promise<boolean> {
  return (await slugline.files()).some(({ bytes }) => bytes.includes(text))
}

/** Like on a terminal, where the URL for the first account is printed. */
const TEXT = { LOG_FORMAT: 'text' }
const TRUSTING = { TRUSTED_PROXIES: '127.0.0.1', ...TEXT }

describe('the very first account', () => {
  test('is created with a URL printed at each start, until it exists', async () => {
    slugline = await startSlugline({ LOG_LEVEL: 'debug', ...TEXT })
    const first = await printedToken()
    expect((await browser().get('/app/api/v1/session')).body.instance.claimed).toBe(false)
    expect(await isKept(first)).toBe(false)
    await slugline.stop()
    await slugline.restart()
    const second = await printedToken()
    expect(second).not.toBe(first)
    expect((await claim(first)).status).toBe(404)
    await slugline.kill()
    await slugline.restart()
    const third = await printedToken()
    expect((await claim(second)).status).toBe(404)
    const seen = await claim(third)
    expect(seen.body).toMatchObject({
      user: { email: ANN, instance_owner: true },
      workspace: { name: 'Acme', role: 'owner', plan: 'unlimited' },
    })
    // The token is invalid, and stays so.
    for (const token of [first, second, third]) {
      const again = await claim(token, { email: 'eve@example.com', workspace: 'Evil' })
      expect([again.status, again.code]).toEqual([404, 'NOT_FOUND'])
    }
    const { body } = await browser().get('/app/api/v1/session')
    expect([body.user, body.instance.claimed]).toEqual([null, true])
    const logged = slugline
      .output()
      .split('\n')
      .filter((line) => !line.includes('/app/claim'))
    expect(logged.length).toBeGreaterThan(0)
    for (const token of [third, PASSWORD, ANN]) expect(logged.join('\n')).not.toContain(token)
    await slugline.stop()
    await slugline.restart()
    await eventually('it is ready', async () =>
      (await slugline.call('GET', '/readyz')).status === 200 ? true : undefined,
    )
    expect(slugline.output()).not.toContain('/app/claim')
    expect(await isKept(third)).toBe(false)
    expect((await claim(third)).status).toBe(404)
  })

  test('is created once by fifty concurrent requests', async () => {
    slugline = await startSlugline(TRUSTING)
    const token = await printedToken()
    const seen = await Promise.all(
      Array.from({ length: 50 }, (_, i) =>
        claim(
          token,
          { email: `p${i}@example.com`, workspace: `w${i}` },
          browser(`198.51.100.${i}`),
        ),
      ),
    )
    const count = (status: number) => seen.filter((one) => one.status === status).length
    // A busy machine refuses some before it checks their claim.
    expect([count(201), count(404) + count(503)]).toEqual([1, 49])
    const users = JSON.parse((await slugline.cli('users', 'list', '--json')).stdout)
    expect(users.data).toMatchObject([{ instance_owner: true, workspaces: 1 }])
    const workspaces = JSON.parse((await slugline.cli('workspaces', 'list', '--json')).stdout)
    expect(workspaces.data).toHaveLength(1)
  })

  test('is created with a URL that isn’t in collected logs', async () => {
    slugline = await startSlugline({ LOG_LEVEL: 'debug', LOG_FORMAT: 'json' })
    await eventually('it says how to make it', async () =>
      slugline.output().includes('users claim-link') ? true : undefined,
    )
    expect(slugline.output()).not.toContain('token=')
  })

  test('is created with a URL in the JSON line', async () => {
    slugline = await startSlugline()
    await slugline.stop()
    const { env } = slugline
    const line = async () => {
      const child = Bun.spawn([SLUGLINE, 'serve', '--json'], {
        env,
        stdout: 'pipe',
        stderr: 'pipe',
      })
      const { value } = await child.stdout.getReader().read()
      child.kill('SIGTERM')
      const errors = await new Response(child.stderr).text()
      await child.exited
      return { said: JSON.parse(new TextDecoder().decode(value)), errors }
    }
    const { said, errors } = await line()
    expect(said.claim_url).toStartWith(`${said.url}/app/claim#token=`)
    expect(errors).not.toContain('token=')
    await slugline.cli('users', 'create', '--email', ANN)
    expect(Object.keys((await line()).said)).toEqual(['url', 'pid'])
  })

  test('can be created with a URL printed by a command, while the server runs', async () => {
    slugline = await startSlugline(TEXT)
    const printed = await printedToken()
    const { stdout } = await slugline.cli('users', 'claim-link', '--json')
    const { url } = JSON.parse(stdout)
    expect(url).toStartWith(`${slugline.url}/app/claim#token=`)
    expect((await claim(printed)).status).toBe(404)
    expect((await claim(new URL(url).hash.slice('#token='.length))).status).toBe(201)
    const { status, stderr } = await slugline.cli('users', 'claim-link', '--json')
    expect([status, JSON.parse(stderr).error.code]).toEqual([1, 'ALREADY_CLAIMED'])
  })
})

describe('messages', () => {
  test('are sent over TLS to a server that requires a password: invitation, reset', async () => {
    const user = { name: 'slugline', password: 'p@ss word' }
    const mail = await startSmtpServer({ tls: 'starttls', user })
    const certificate = join(process.env.TMPDIR ?? '/tmp', `slugline-${mail.port}.pem`)
    writeFileSync(certificate, mail.certificate)
    slugline = await startSlugline({
      SMTP_URL: `smtp://slugline:p%40ss%20word@localhost:${mail.port}`,
      MAIL_FROM: 'Slugline <links@example.com>',
      NODE_EXTRA_CA_CERTS: certificate,
    })
    const ann = await owner()
    const invited = await ann.post('/app/api/v1/invitations', {
      email: 'bob@example.com',
      role: 'member',
    })
    expect([invited.status, invited.body.url]).toEqual([201, undefined])
    const invitation = await mail.received('bob@example.com')
    expect(invitation).toMatchObject({
      from: 'links@example.com',
      encrypted: true,
      user: 'slugline',
    })
    const token = tokenIn(invitation.data)
    const bob = browser()
    const account = { name: 'Bob', password: PASSWORD }
    const joined = await bob.post('/app/api/v1/invitations/accept', { token, ...account })
    expect(joined.body).toMatchObject({
      user: { email: 'bob@example.com', email_verified: true },
      workspace: { name: 'Acme', role: 'member' },
    })
    const asked = await browser().post('/app/api/auth/request-password-reset', {
      email: 'BOB@example.com',
    })
    expect(asked.status).toBe(200)
    const reset = tokenIn((await mail.received('bob@example.com', 2)).data)
    const change = { token: reset, newPassword: 'another long one' }
    expect((await browser().post('/app/api/auth/reset-password', change)).status).toBe(200)
    expect(await bob.who()).toBeNull()
    expect((await browser().post('/app/api/auth/reset-password', change)).status).toBe(410)
    expect((await browser().signIn('bob@example.com', 'another long one')).status).toBe(200)
    await mail.received('bob@example.com', 3)
    for (const secret of [token, reset, 'p@ss', 'bob@example.com']) {
      expect(slugline.output()).not.toContain(secret)
    }
    await mail.stop()
  })

  test('are not needed: the operator gets the URL by a command', async () => {
    slugline = await startSlugline()
    const ann = await owner()
    const asked = await browser().post('/app/api/auth/request-password-reset', { email: ANN })
    expect(asked.code).toBe('MAIL_NOT_SET_UP')
    const { stdout } = await slugline.cli('users', 'reset-link', ANN, '--json')
    const { url } = JSON.parse(stdout)
    expect(url).toStartWith(`${slugline.url}/app/reset-password#token=`)
    const token = new URL(url).hash.slice('#token='.length)
    const body = { token, newPassword: 'another long one' }
    const reset = () => browser().post('/app/api/auth/reset-password', body)
    expect((await reset()).status).toBe(200)
    expect((await reset()).status).toBe(410)
    expect(await ann.who()).toBeNull()
    expect((await browser().signIn(ANN, 'another long one')).status).toBe(200)
  })
})

describe('single sign-on', () => {
  test('signs in invited people only', async () => {
    const provider = startProvider()
    slugline = await startSlugline({
      OIDC_ISSUER: provider.issuer,
      OIDC_CLIENT_ID: 'slugline',
      OIDC_CLIENT_SECRET: 'the client’s secret',
      OIDC_NAME: 'Example',
    })
    const ann = await owner()
    await ann.post('/app/api/v1/invitations', { email: 'bob@example.com', role: 'viewer' })
    const goThere = async () => {
      const from = browser()
      const asked = await from.post('/app/api/auth/sign-in/social', {
        provider: 'oidc',
        callbackURL: '/app/links',
        errorCallbackURL: '/app/sign-in',
      })
      const back = await from.get(provider.authorize(asked.body.url).path)
      return { from, location: back.headers.get('Location') }
    }
    provider.answers.claims = { sub: '1', email: 'bob@example.com', email_verified: true }
    const bob = await goThere()
    expect([bob.location, await bob.from.who()]).toEqual(['/app/links', 'bob@example.com'])
    provider.answers.claims = { sub: '2', email: 'eve@example.com', email_verified: true }
    const eve = await goThere()
    expect(await eve.from.who()).toBeNull()
    expect(eve.location).toStartWith('/app/sign-in?error=')
    await provider.stop()
  })
})

describe('sessions', () => {
  test('survive a crash, and end with the request after their revocation', async () => {
    slugline = await startSlugline()
    const ann = await owner()
    const other = browser()
    await other.signIn(ANN, PASSWORD)
    await slugline.kill()
    await slugline.restart()
    expect(await other.who()).toBe(ANN)
    const { body: sessions } = await ann.get('/app/api/auth/list-sessions')
    const [{ token }] = sessions.filter(({ current }: { current: boolean }) => !current)
    await ann.post('/app/api/auth/revoke-session', { token })
    expect((await other.get('/app/api/v1/links')).code).toBe('SIGN_IN_REQUIRED')
    await other.signIn(ANN, PASSWORD)
    expect(await other.who()).toBe(ANN)
    // Another secret would invalidate every cookie and key.
    await slugline.stop()
    const restarted = slugline.restart({ SLUGLINE_SECRET: 'another secret '.repeat(4) })
    await expect(restarted).rejects.toThrow('SLUGLINE_SECRET')
  })

  test('are bound to this host and to TLS, and pages to this origin, behind TLS', async () => {
    slugline = await startSlugline({ BASE_URL: 'https://s.example', ...TRUSTING })
    const token = await printedToken()
    const ann = browser('192.0.2.1', 'https://s.example')
    const seen = await claim(token, {}, ann)
    const cookies = seen.headers.getSetCookie()
    expect(cookies.length).toBeGreaterThan(0)
    for (const cookie of cookies) {
      expect(cookie).toStartWith('__Host-slugline.')
      for (const attribute of ['Secure', 'HttpOnly', 'SameSite=Lax', 'Path=/']) {
        expect(cookie).toContain(`; ${attribute}`)
      }
      expect(cookie).not.toContain('Domain')
    }
    expect(await ann.who()).toBe(ANN)
    const inner = browser('192.0.2.1', slugline.url)
    expect((await inner.signIn(ANN, PASSWORD)).code).toBe('CROSS_SITE_REQUEST')
    for (const path of ['/app', '/app/links', '/app/sign-in', '/app/claim#token=x', '/app/x/y']) {
      const { headers } = await ann.get(path)
      const policy = headers.get('Content-Security-Policy') ?? ''
      expect(policy).toStartWith("default-src 'none'")
      expect(policy).toContain("frame-ancestors 'none'")
      expect(policy).not.toContain('unsafe')
      expect(headers.get('X-Frame-Options')).toBe('DENY')
      expect(headers.get('Referrer-Policy')).toBe('same-origin')
      expect(headers.get('Strict-Transport-Security')).toStartWith('max-age=')
      expect(headers.getSetCookie()).toEqual([])
    }
  })
})

function tokenIn(data: string): string {
  return /#token=([\w.-]+)/.exec(readable(data))?.[1] ?? ''
}
