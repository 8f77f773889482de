import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { selfSigned } from './certificate.ts'
import { CHROMIUM } from './chromium.ts'
import { type Dashboard, freePort, startDashboard, type Visitor } from './harness.ts'
import { ask, claim, OWNER, signIn } from './people.ts'

/** Another site in the same browser. */
function strangersSite(page: string) {
  return Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: () => new Response(page, { headers: { 'Content-Type': 'text/html' } }),
  })
}

describe.skipIf(CHROMIUM === null)('against other sites (needs Chromium)', () => {
  let dashboard: Dashboard
  let owner: Visitor
  let workspace: string

  beforeAll(async () => {
    dashboard = await startDashboard()
    owner = await dashboard.open()
    workspace = await claim(dashboard, owner.context)
    // Also builds the dashboard, on a machine that may be busy.
  }, 300_000)
  afterAll(async () => await dashboard?.dispose())

  /** Opens another site's page in the owner's browser, where they are signed in. */
  async function visit(html: string) {
    const site = strangersSite(html)
    const page = await owner.context.newPage()
    await page.goto(`http://localhost:${site.port}/`)
    return { page, close: () => Promise.all([page.close(), site.stop(true)]) }
  }

  test('no page can be framed', async () => {
    const paths = ['/app/', '/app/sign-in', '/app/links', '/app/icon.svg', '/app/api/v1/session']
    const frames = paths.map((path) => `<iframe src="${dashboard.url}${path}"></iframe>`)
    const { page, close } = await visit(frames.join(''))
    const shown = page.frames().slice(1)
    expect(shown).toHaveLength(paths.length)
    for (const frame of shown) expect(frame.url()).toStartWith('chrome-error:')
    await close()
    for (const path of paths) {
      const { headers } = await fetch(`${dashboard.slugline.url}${path}`)
      expect(`${path} ${headers.get('content-security-policy')}`).toContain(
        "frame-ancestors 'none'",
      )
      expect(headers.get('x-content-type-options')).toBe('nosniff')
      // For old browsers; API responses are never shown as pages.
      if (!path.includes('/api/')) {
        expect(`${path} ${headers.get('x-frame-options')}`).toBe(`${path} DENY`)
      }
    }
  })

  test('a window opened by another site reveals nothing to it', async () => {
    const { page, close } = await visit('')
    const popup = page.waitForEvent('popup')
    await page.evaluate(`window.opened = open('${dashboard.url}/app/links')`)
    await (await popup).getByRole('heading', { level: 1 }).waitFor()
    // Cross-Origin-Opener-Policy: to the opener it looks closed.
    expect(await page.evaluate('opened.closed')).toBe(true)
    await close()
  })

  test('another site can’t send requests on behalf of the signed-in person', async () => {
    const { page, close } = await visit('')
    const made = { destination_url: 'https://example.com/', slug: 'forged' }
    await page.evaluate(`
      Promise.allSettled(['text/plain', 'application/json', 'application/x-www-form-urlencoded'].map((type) =>
        fetch('${dashboard.url}/app/api/v1/links?workspace=${workspace}', {
          method: 'POST', credentials: 'include', mode: 'no-cors',
          headers: { 'Content-Type': type },
          body: ${JSON.stringify(JSON.stringify(made))},
        })))
    `)
    // Also as a form, which navigates the browser.
    await page.evaluate(`
      const form = document.createElement('form')
      form.method = 'post'
      form.enctype = 'text/plain'
      form.action = '${dashboard.url}/app/api/v1/workspaces'
      form.innerHTML = '<input name=\\'{"name":"forged","x":"\\' value=\\'"}\\'>'
      document.body.append(form)
      form.submit()
    `)
    await page.waitForURL(`${dashboard.url}/**`)
    const read = await page.evaluate('document.body.innerText')
    expect(JSON.parse(read as string).error.code).toBe('CROSS_SITE_REQUEST')
    await close()
    const links = await ask<{ data: unknown[] }>(dashboard, owner.context, 'GET', '/links', {
      workspace,
    })
    expect(links.body.data).toEqual([])
  })

  test('another site can’t read responses', async () => {
    const { page, close } = await visit('')
    const read = await page.evaluate(`
      Promise.all(['/app/api/v1/session', '/app/api/v1/links?workspace=${workspace}', '/app/api/auth/get-session']
        .map((path) => fetch('${dashboard.url}' + path, { credentials: 'include' })
          .then((response) => response.text(), () => 'refused')))
    `)
    expect(read).toEqual(['refused', 'refused', 'refused'])
    await close()
  })

  test('injected markup would still not run', async () => {
    const { page, faults, close } = await dashboard.open()
    await page.goto('/app/sign-in')
    await page.getByRole('heading', { level: 1 }).waitFor()
    const broken = page.waitForEvent('console', (message) => /setTimeout|eval/.test(message.text()))
    await page.evaluate(`
      document.body.insertAdjacentHTML('beforeend', '<img src="/app/none" onerror="__fault(\\'ran: attribute\\')"><a id="bad" href="javascript:__fault(\\'ran: address\\')">x</a>')
      const script = document.createElement('script')
      script.textContent = "__fault('ran: script')"
      document.body.append(script)
      const foreign = document.createElement('script')
      foreign.src = 'data:text/javascript,__fault("ran: data")'
      document.body.append(foreign)
      document.getElementById('bad').click()
      setTimeout(() => setTimeout("__fault('ran: text')"))
    `)
    await broken
    expect(faults.filter((fault) => fault.startsWith('ran'))).toEqual([])
    const policies = faults.filter((fault) => fault.startsWith('policy: script-src'))
    expect(policies.length).toBeGreaterThanOrEqual(4)
    await close()
  })

  test('the policy allows nothing inline, and its nonce differs each time', async () => {
    const nonces = new Set<string>()
    for (const path of ['/app/', '/app/links', '/app/sign-in?next=/x', '/app/nowhere']) {
      const { headers } = await fetch(`${dashboard.slugline.url}${path}`)
      const policy = headers.get('content-security-policy') ?? ''
      expect(policy).not.toMatch(/unsafe|\*|https?:/)
      expect(policy).toContain("default-src 'none'")
      nonces.add(/'nonce-([^']{22,})'/.exec(policy)?.[1] ?? 'none')
    }
    expect(nonces.size).toBe(4)
  })

  test('signing in never redirects to another site', async () => {
    for (const next of [
      '//example.org/',
      'https://example.org/',
      '/\\example.org',
      'javascript:x',
    ]) {
      const { page, faults, close } = await dashboard.open()
      await signIn(page, OWNER, `?next=${encodeURIComponent(next)}`)
      await page.waitForURL((url) => !url.pathname.endsWith('/sign-in'))
      await page.getByRole('heading', { level: 1 }).waitFor()
      expect(new URL(page.url()).origin).toBe(dashboard.url)
      expect(faults).toEqual([])
      await close()
    }
    // Nor does the sign-in itself.
    const { email, password } = OWNER
    const elsewhere = { email, password, callbackURL: 'https://example.org/' }
    const asked = ['POST', '/../auth/sign-in/email', { body: elsewhere }] as const
    expect((await ask(dashboard, owner.context, ...asked)).status).toBe(422)
  }, 300_000)

  test('the session is in a cookie that scripts can’t read', async () => {
    const cookies = await owner.context.cookies()
    const session = cookies.filter(({ name }) => name.includes('session'))
    expect(session.length).toBeGreaterThan(0)
    for (const { httpOnly, sameSite, domain } of session) {
      expect({ httpOnly, sameSite, domain }).toEqual({
        httpOnly: true,
        sameSite: 'Lax',
        domain: 'localhost',
      })
    }
    await owner.page.goto('/app/links')
    expect(await owner.page.evaluate('document.cookie')).not.toContain('session')
  })

  test('with TLS cookies are bound to the host, and the browser keeps to TLS', async () => {
    const port = freePort()
    const url = `https://localhost:${port}`
    const behind = await startDashboard({ BASE_URL: url, TRUSTED_PROXIES: '127.0.0.1' })
    const proxy = Bun.serve({
      port,
      hostname: '127.0.0.1',
      tls: selfSigned(),
      fetch(request) {
        const { pathname, search } = new URL(request.url)
        const headers = new Headers(request.headers)
        headers.set('X-Forwarded-Proto', 'https')
        return fetch(behind.slugline.url + pathname + search, { ...plain(request), headers })
      },
    })
    const { context, page, faults, close } = await behind.open({
      baseURL: url,
      ignoreHTTPSErrors: true,
    })
    await claim({ ...behind, url }, context)
    const answer = await page.goto('/app/links')
    await page.getByRole('heading', { level: 1, name: /./ }).waitFor()
    expect(answer?.headers()['strict-transport-security']).toMatch(/max-age=\d{7,}/)
    const cookies = (await context.cookies()).filter(({ name }) => name.includes('session'))
    expect(cookies.length).toBeGreaterThan(0)
    for (const { name, secure, httpOnly, sameSite, path } of cookies) {
      expect(name).toStartWith('__Host-')
      expect({ secure, httpOnly, sameSite, path }).toEqual({
        secure: true,
        httpOnly: true,
        sameSite: 'Lax',
        path: '/',
      })
    }
    expect(faults.filter((fault) => !fault.startsWith('third party'))).toEqual([])
    await close()
    await proxy.stop(true)
    await behind.dispose()
  }, 300_000)

  test('a foreign host name that points here gets no session', async () => {
    const cookies = await owner.context.cookies()
    const cookie = cookies.map(({ name, value }) => `${name}=${value}`).join('; ')
    const { host } = new URL(dashboard.url)
    for (const [name, status] of [
      [host, 201],
      ['rebound.example', 403],
    ] as const) {
      const answer = await fetch(`${dashboard.slugline.url}/app/api/v1/workspaces`, {
        method: 'POST',
        headers: {
          Host: name,
          Cookie: cookie,
          Origin: `http://${name}`,
          'Content-Type': 'application/json',
        },
        body: '{"name":"Rebound"}',
      })
      expect(`${name} ${answer.status}`).toBe(`${name} ${status}`)
    }
    // Its page is the same for everyone.
    const page = await fetch(`${dashboard.slugline.url}/app/`, {
      headers: { Host: 'rebound.example' },
    })
    expect(await page.text()).not.toContain('rebound')
  })
})

/** The forwarded parts of a request. */
function plain({ method, body }: Request): BunFetchRequestInit {
  return { method, redirect: 'manual', decompress: false, ...(body === null ? {} : { body }) }
}
