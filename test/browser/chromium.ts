import { existsSync } from 'node:fs'
import { type Browser, chromium, firefox } from 'playwright-core'

/** The headless shell first: it behaves the same with two thirds of the CPU. */
const PLACES = [
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome-stable',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
]

/** Where Chromium is: `CHROMIUM`, or one of the usual places; null: not found. */
export const CHROMIUM: string | null =
  process.env.CHROMIUM ?? PLACES.find((place) => existsSync(place)) ?? null

/** Starts it headless, without any network access of its own: no updates, no safe browsing. */
export async function launchChromium(): Promise<Browser> {
  if (CHROMIUM === null) throw new Error('There is no Chromium; name one in CHROMIUM.')
  return await chromium.launch({
    executablePath: CHROMIUM,
    headless: true,
    args: [
      // As root (in a container) Chromium has no sandbox; elsewhere it keeps it.
      ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-gpu',
      // Enough for pages of one site; otherwise each navigation starts a process.
      '--renderer-process-limit=2',
      '--font-render-hinting=none',
    ],
  })
}

const FIREFOXES = ['/usr/bin/firefox-esr', '/usr/bin/firefox']

/** Where Firefox is: `FIREFOX`, or one of the usual places; null: not found. */
export const FIREFOX: string | null =
  process.env.FIREFOX ?? FIREFOXES.find((place) => existsSync(place)) ?? null

/**
 * Starts the distribution's Firefox headless, driven by WebDriver BiDi, as the channel says.
 * Playwright after 1.63 sends commands that the long-term release of Firefox doesn't support yet.
 */
export async function launchFirefox(): Promise<Browser> {
  if (FIREFOX === null) throw new Error('There is no Firefox; name one in FIREFOX.')
  return await firefox.launch({ executablePath: FIREFOX, channel: 'moz-firefox', headless: true })
}
