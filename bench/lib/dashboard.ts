import type { Browser, BrowserContextOptions, Page } from 'playwright-core'

/** A browser with a session. */
export interface SignedIn {
  browser: Browser
  url: string
  state: NonNullable<BrowserContextOptions['storageState']>
}

/** The measures of a first load; `scriptKb` and `allKb` in kB (1,000 bytes) on the wire. */
export interface Load {
  contentMs: number
  largestPaintMs: number
  layoutShift: number
  scriptKb: number
  allKb: number
  requests: number
}

/** Times in milliseconds by action. */
export type Timings = Record<string, number[]>

/** Chromium's measurements while the page loads, reported by the page itself. */
const OBSERVE = `
  window.__seen = { content: 0, paint: 0, shift: 0 }
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) if (!entry.hadRecentInput) __seen.shift += entry.value
  }).observe({ type: 'layout-shift', buffered: true })
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) __seen.paint = entry.startTime
  }).observe({ type: 'largest-contentful-paint', buffered: true })
  window.__painted = (then) => requestAnimationFrame(() => {
    const { port1, port2 } = new MessageChannel()
    port1.onmessage = then
    port2.postMessage(0)
  })
  window.__shown = (selector) => new Promise((resolve) => {
    const done = () => __painted(() => resolve(__seen.content = performance.now()))
    if (document.querySelector(selector) !== null) return done()
    const observer = new MutationObserver(() => {
      if (document.querySelector(selector) === null) return
      observer.disconnect()
      done()
    })
    observer.observe(document, { childList: true, subtree: true })
  })
  window.__rows = () =>
    Array.from(document.querySelectorAll('[data-row]'), (row) => row.dataset.row).join()
  // From an event to the first paint of other rows that aren't loading any more.
  window.__measure = (type) => {
    let start
    const before = __rows()
    const begin = (event) => { start ??= event.timeStamp }
    addEventListener(type, begin, { capture: true, once: true })
    window.__taken = new Promise((resolve) => {
      const end = (taken) => {
        changes.disconnect()
        clearTimeout(timer)
        removeEventListener(type, begin, true)
        resolve(taken)
      }
      const changes = new MutationObserver(() => {
        if (start === undefined) return
        if (document.querySelector('main [aria-busy=true]') !== null) return
        if (__rows() === before) return
        __painted(() => end(performance.now() - start))
      })
      changes.observe(document.body, { childList: true, subtree: true, attributes: true })
      const timer = setTimeout(() => end(null), 2_500)
    })
    return true
  }
`

async function open({ browser, url, state }: SignedIn, { signedOut }: Shown): Promise<Page> {
  const context = await browser.newContext({
    baseURL: url,
    ...(signedOut ? {} : { storageState: state }),
    viewport: { width: 1280, height: 900 },
  })
  // On a busy machine loading takes long, and that shall be reported.
  context.setDefaultTimeout(120_000)
  await context.addInitScript(OBSERVE)
  return await context.newPage()
}

/** A page, and an element that shows that it is ready. */
export interface Shown {
  path: string
  selector: string
  signedOut?: boolean
}

/** The list's page. */
export const LINKS: Shown = { path: '/app/links', selector: '[data-row]' }

/** A slow connection and a quarter of a processor: 1.6 Mb/s, 150 ms. */
const SLOW = {
  offline: false,
  latency: 150,
  downloadThroughput: 1_600_000 / 8,
  uploadThroughput: 750_000 / 8,
}

/** Loads a page in a browser without cache, over a slow connection on a slow machine. */
export async function firstLoad(signedIn: SignedIn, shown: Shown): Promise<Load> {
  const page = await open(signedIn, shown)
  const session = await page.context().newCDPSession(page)
  await session.send('Network.enable')
  await session.send('Network.emulateNetworkConditions', SLOW)
  await session.send('Emulation.setCPUThrottlingRate', { rate: 4 })
  const types = new Map<string, string>()
  let script = 0
  let all = 0
  session.on('Network.responseReceived', ({ requestId, type }) => types.set(requestId, type))
  session.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
    all += encodedDataLength
    if (types.get(requestId) === 'Script') script += encodedDataLength
  })
  await page.goto(shown.path, { waitUntil: 'commit' })
  await page.evaluate(`__shown(${JSON.stringify(shown.selector)})`)
  await page.waitForLoadState('networkidle')
  await page.waitForTimeout(1_000)
  const seen = (await page.evaluate('__seen')) as { content: number; paint: number; shift: number }
  await page.context().close()
  return {
    contentMs: seen.content,
    largestPaintMs: seen.paint,
    layoutShift: seen.shift,
    scriptKb: script / 1_000,
    allKb: all / 1_000,
    requests: types.size,
  }
}

/** Uses the list like a fast typist; each round with other words. */
export async function inList(signedIn: SignedIn, round: number): Promise<Timings> {
  const page = await open(signedIn, LINKS)
  const timings: Timings = {}
  /** Measures an action until other rows appear; nothing if they stay the same. */
  async function note(name: string, event: 'keydown' | 'pointerdown', act: () => Promise<void>) {
    await page.evaluate(`__measure('${event}')`)
    await act()
    const taken = (await page.evaluate('__taken')) as number | null
    if (taken !== null) timings[name] = [...(timings[name] ?? []), taken]
    // Lets prefetching and drawing finish, so that the next action finds an idle page.
    await page.waitForTimeout(taken === null ? 0 : 700)
  }
  const load = async () => {
    await page.goto(LINKS.path)
    await page.evaluate(`__shown('${LINKS.selector}')`)
    await page.waitForTimeout(1_500)
  }

  await load()
  const pager = page
    .locator('nav')
    .filter({ has: page.locator('.lucide-chevron-right') })
    .last()
  await note('table: next page', 'pointerdown', () => pager.locator('button').last().click())
  await note('table: page before', 'pointerdown', () => pager.locator('button').first().click())
  await note('table: a tag', 'pointerdown', () =>
    page.locator('[data-row] td button[title]').first().click(),
  )

  const search = page.getByRole('searchbox')
  const words = [
    String(71_305 + round * 1_111),
    `zyxr`,
    `co${'mmonw'.slice(0, 3)}`,
    'example.com/a',
  ]
  for (const word of words) {
    await load()
    await page.keyboard.press('/')
    for (const [at, key] of [...word].entries()) {
      const name = at < 2 ? 'search: 1 or 2 letters' : 'search: 3 and more letters'
      await note(name, 'keydown', () => search.press(key))
    }
    await note('search: cleared', 'keydown', () => search.press('Escape'))
  }
  for (const [name, column] of [
    ['slug', 0],
    ['clicks', 1],
    ['created', 2],
  ] as const) {
    await load()
    const header = page.locator('thead th button').nth(column)
    await note(`sort: ${name}`, 'pointerdown', () => header.click())
    await note(`sort: ${name}, reversed`, 'pointerdown', () => header.click())
  }
  await page.context().close()
  return timings
}
