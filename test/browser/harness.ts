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

/** A Slugline with its dashboard, and a browser to look at it. */
export interface Dashboard {
  /** `http://localhost:{port}`: a name, because passkeys don't work on addresses. */
  readonly url: string
  readonly slugline: Slugline
  readonly browser: Browser
  /** A new address that claims the instance; it replaces the one before. */
  claimUrl(): Promise<string>
  /** A browser of its own: no cookies of others. */
  open(options?: BrowserContextOptions): Promise<Visitor>
  dispose(): Promise<void>
}

/** A person's browser, which notes whatever must not happen. */
export interface Visitor {
  readonly context: BrowserContext
  readonly page: Page
  /** Faults seen so far: scripts that ran, policies that were broken, requests to others. */
  readonly faults: readonly string[]
  /** Requests that were refused (4xx, 5xx) or failed, and not by the page's own will. */
  readonly failures: readonly string[]
  /** Waits until the page has what it asked for, has drawn it, and asks for nothing more. */
  settled(): Promise<void>
  close(): Promise<void>
}

let built: Promise<void> | undefined

/** Builds the dashboard, once a run, where it is older than its sources. */
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

/** Starts a Slugline of its own on a free port, and a browser. */
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

/** A port that nobody listens on now. */
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
  // Long for a page, short for a machine that does other things too.
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
    // Of a page that is hard to leave by accident; the test means it.
    if (dialog.type() === 'beforeunload') return void dialog.accept().catch(() => {})
    faults.push(`dialog: ${dialog.message()}`)
    dialog.dismiss().catch(() => {})
  })
  context.on('weberror', (error) => faults.push(`uncaught: ${error.error().message}`))
  context.on('console', (message) => {
    // The browser's own words about an answer of 4xx are no fault: such answers are expected.
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

/** A page that still loads then is broken. */
const REST_MS = 60_000

/** Waits for the next frames; true where something still stands for what is to come. */
const DRAWN = `new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(() =>
  drawn(document.querySelector('.animate-breathe, [aria-busy=true]') !== null))))`

/** Keeps an eye on the requests of a browser: which are under way, and which went wrong. */
function watch(context: BrowserContext, failures: string[]) {
  const open = new Set<Asked>()
  let waiting: (() => void)[] = []
  const end = (request: Asked) => {
    open.delete(request)
    if (open.size > 0) return
    for (const go of waiting) go()
    waiting = []
  }
  const told = (request: Asked) => {
    const { pathname, search } = new URL(request.url())
    return `${request.method()} ${pathname}${search}`
  }
  context.on('request', (request) => {
    // What the page before asked for goes with it, at times without a word.
    if (request.isNavigationRequest()) open.clear()
    // The live stream doesn't end.
    if (!request.url().includes('/clicks/stream')) open.add(request)
  })
  context.on('requestfinished', end)
  context.on('requestfailed', (request) => {
    const reason = request.failure()?.errorText ?? ''
    // What a page no longer needs it gives up itself.
    if (!/ERR_ABORTED|NS_BINDING_ABORTED/.test(reason)) failures.push(`${reason} ${told(request)}`)
    end(request)
  })
  context.on('response', (response) => {
    if (response.status() >= 400) failures.push(`${response.status()} ${told(response.request())}`)
  })
  return {
    count: () => open.size,
    /** Resolves when none is under way. @throws where one takes longer */
    done(untilMs: number) {
      if (open.size === 0) return Promise.resolve()
      return new Promise<void>((go, fail) => {
        const late = () => fail(new Error(`never answered: ${[...open].map(told).join(', ')}`))
        const timer = setTimeout(late, untilMs - Date.now())
        waiting.push(() => {
          clearTimeout(timer)
          go()
        })
      })
    },
  }
}

/** `SCREENSHOTS=all`: pictures of what is right, too; hundreds, for who wants to look at every page. */
export const PICTURES = process.env.SCREENSHOTS === 'all'

/** Keeps a picture of what is on screen, for people to look at. */
export async function screenshot(page: Page, name: string): Promise<void> {
  mkdirSync(OUTPUT, { recursive: true })
  await page.screenshot({ path: join(OUTPUT, `${name}.png`), fullPage: true })
}

/** Gives a page an authenticator with a fingerprint reader that always agrees. */
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
