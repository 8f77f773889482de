import { existsSync } from 'node:fs'
import { type Browser, chromium } from 'playwright-core'

/** The one without windows first: it does the same for two thirds of the work. */
const PLACES = [
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome-stable',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
]

/** Where a Chromium is: `CHROMIUM`, or one of the usual places; null when there is none. */
export const CHROMIUM: string | null =
  process.env.CHROMIUM ?? PLACES.find((place) => existsSync(place)) ?? null

/** Starts it without a window. Nothing of it talks to anybody: no updates, no safe browsing. */
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
      // Enough for pages of one site; else each visit to an address starts a process.
      '--renderer-process-limit=2',
      '--font-render-hinting=none',
    ],
  })
}
