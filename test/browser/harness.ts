import { mkdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type {
  Request as Asked,
  Browser,
  BrowserContext,
  BrowserContextOptions,
  Page,
} from 'playwright-core'
import { type Slugline, startSlugline } from '../harness/process.ts'
import { launchChromium } from './chromium.ts'

/** Where screenshots are kept; not under version control. */
export const OUTPUT = join(import.meta.dir, 'output')

const BUILD = resolve(import.meta.dir, '../../scripts/build-web.ts')

/** A Slugline with its dashboard, and a browser. */
export interface Dashboard {
  /** `http://localhost:{port}`: a name, because passkeys don't work on addresses. */
  readonly url: string
  readonly slugline: Slugline
  readonly browser: Browser
  /** A new URL that claims the instance; it replaces the previous one. */
  claimUrl(): Promise<string>
  /** A separate browser context, with its own cookies. */
  open(options?: BrowserContextOptions): Promise<Visitor>
  dispose(): Promise<void>
}

/** A person's browser, which records faults. */
export interface Visitor {
  readonly context: BrowserContext
  readonly page: Page
  /** Faults so far: executed scripts, violated policies, requests to other origins. */
  readonly faults: readonly string[]
  /** Requests that were refused (4xx, 5xx) or failed, except those aborted by the page. */
  readonly failures: readonly string[]
  /** Waits until the page has loaded, is rendered, and sends no more requests. */
  settled(): Promise<void>
  close(): Promise<void>
}

let built: Promise<void> | undefined

/** Builds the dashboard, once a run, if it is older than its sources. */
export function buildDashboard(): Promise<void> {
  built ??= (async () => {
    const child = Bun.spawn([process.execPath, BUILD, '--if-needed'], {
      stdout: 'pipe',
      stderr: 'pipe',
    })
    const [out, err, status] = await Promise.all([
      new Response(child.stdout).text(),
      new Response(child.stderr).text(),
      child.exited,
    ])
    if (status !== 0) throw new Error(`The dashboard can't be built:\n${out}${err}`)
  })()
  return built
}

/** Starts a separate Slugline on a free port, and a browser. */
export async function startDashboard(
  env: Record<string, string> = {},
  launch: () => Promise<Browser> = launchChromium,
): Promise<Dashboard> {
  await buildDashboard()
  const port = freePort()
  const url = `http://localhost:${port}`
  const [slugline, browser] = await Promise.all([
    startSlugline({ PORT: String(port), BASE_URL: url, ...env }),
    launch(),
  ])
  return {
    url,
    slugline,
    browser,
    async claimUrl() {
      const { status, stdout, stderr } = await slugline.cli('users', 'claim-link', '--json')
      if (status !== 0) throw new Error(`users claim-link: ${stderr}`)
      return (JSON.parse(stdout) as { url: string }).url
    },
    open: (options) => openVisitor(browser, url, options),
    async dispose() {
      await browser.close()
      await slugline.dispose()
    },
  }
}

/** A free port. */
export function freePort(): number {
  const server = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => new Response() })
  const { port } = server
  server.stop(true)
  if (port === undefined) throw new Error('no free port')
  return port
}

async function openVisitor(
  browser: Browser,
  url: string,
  options: BrowserContextOptions = {},
): Promise<Visitor> {
  const context = await browser.newContext({
    baseURL: url,
    locale: 'en-GB',
    timezoneId: 'Europe/Berlin',
    viewport: { width: 1280, height: 900 },
    reducedMotion: 'reduce',
    ...options,
  })
  // Long for a page, but the machine may be busy.
  context.setDefaultTimeout(60_000)
  const faults: string[] = []
  const failures: string[] = []
  const origin = new URL(url).origin
  await context.exposeBinding('__fault', (_source, text: string) => void faults.push(text))
  await context.addInitScript(`
    addEventListener('securitypolicyviolation', (event) =>
      window.__fault('policy: ' + event.violatedDirective + ' ' + event.blockedURI + ' ' + event.sourceFile + ':' + event.lineNumber))
  `)
  context.on('request', (request) => {
    const asked = request.url()
    if (/^(?:data|blob):/.test(asked)) return
    if (new URL(asked).origin !== origin) faults.push(`third party: ${asked}`)
  })
  context.on('dialog', (dialog) => {
    // A page guards against leaving it by accident; the test means it.
    if (dialog.type() === 'beforeunload') return void dialog.accept().catch(() => {})
    faults.push(`dialog: ${dialog.message()}`)
    dialog.dismiss().catch(() => {})
  })
  context.on('weberror', (error) => faults.push(`uncaught: ${error.error().message}`))
  context.on('console', (message) => {
    // The browser's own messages about 4xx responses are expected.
    if (message.type() !== 'error' || /^Failed to load resource/.test(message.text())) return
    faults.push(`console: ${message.text()}`)
  })
  const asking = watch(context, failures)
  const page = await context.newPage()
  return {
    context,
    page,
    faults,
    failures,
    async settled() {
      const until = Date.now() + REST_MS
      let loading = true
      while (loading || asking.count() > 0) {
        await asking.done(until)
        loading = await page.evaluate(DRAWN)
        if (loading && Date.now() > until) throw new Error(`${page.url()} doesn't come to rest`)
      }
    },
    close: () => context.close(),
  }
}

/**
 * Navigates inside the dashboard, which takes a tenth of loading it; only possible after the sign-in. `path`
 * is below `/app/`.
 */
export async function go(page: Page, path: string): Promise<void> {
  await page.evaluate(`
    history.pushState(null, '', ${JSON.stringify(`/app/${path}`)})
    dispatchEvent(new PopStateEvent('popstate'))
  `)
}

/** A page that still loads after this time is broken. */
const REST_MS = 60_000

/** Waits for the next frames; true if there are still placeholders. */
const DRAWN = `new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(() =>
  drawn(document.querySelector('.animate-breathe, [aria-busy=true]') !== null))))`

/** Tracks the requests of a browser: pending ones, and failed ones. */
function watch(context: BrowserContext, failures: string[]) {
  const open = new Set<Asked>()
  let waiting: (() => void)[] = []
  const end = (request: Asked) => {
    open.delete(request)
    if (open.size > 0) return
    for (const go of waiting) go()
    waiting = []
  }
  const labelOf = (request: Asked) => {
    const { pathname, search } = new URL(request.url())
    return `${request.method()} ${pathname}${search}`
  }
  context.on('request', (request) => {
    // Requests of the previous page end with it, sometimes without an event.
    if (request.isNavigationRequest()) open.clear()
    // The live stream doesn't end.
    if (!request.url().includes('/clicks/stream')) open.add(request)
  })
  context.on('requestfinished', end)
  context.on('requestfailed', (request) => {
    const reason = request.failure()?.errorText ?? ''
    // Aborted by the page itself.
    if (!/ERR_ABORTED|NS_BINDING_ABORTED/.test(reason))
      failures.push(`${reason} ${labelOf(request)}`)
    end(request)
  })
  context.on('response', (response) => {
    if (response.status() >= 400)
      failures.push(`${response.status()} ${labelOf(response.request())}`)
  })
  return {
    count: () => open.size,
    /** Resolves when none is pending. @throws if one takes longer */
    done(untilMs: number) {
      if (open.size === 0) return Promise.resolve()
      return new Promise<void>((go, fail) => {
        const late = () => fail(new Error(`never answered: ${[...open].map(labelOf).join(', ')}`))
        const timer = setTimeout(late, untilMs - Date.now())
        waiting.push(() => {
          clearTimeout(timer)
          go()
        })
      })
    },
  }
}

/** `SCREENSHOTS=all`: screenshots of successful tests too, hundreds. */
export const PICTURES = process.env.SCREENSHOTS === 'all'

/** Saves a screenshot. */
export async function screenshot(page: Page, name: string): Promise<void> {
  mkdirSync(OUTPUT, { recursive: true })
  await page.screenshot({ path: join(OUTPUT, `${name}.png`), fullPage: true })
}

/** Gives a page an authenticator whose fingerprint reader always confirms. */
export async function addAuthenticator(page: Page): Promise<void> {
  const session = await page.context().newCDPSession(page)
  await session.send('WebAuthn.enable')
  await session.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  })
}
