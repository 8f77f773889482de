import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { BrowserContext } from 'playwright-core'
import { LOCALES, type SupportedLocale as Locale } from '../../src/lib/i18n/index.ts'
import { violations } from './axe.ts'
import { CHROMIUM } from './chromium.ts'
import {
  type Dashboard,
  go,
  PICTURES,
  screenshot,
  startDashboard,
  type Visitor,
} from './harness.ts'
import { layoutFaults, paperFaults } from './layout.ts'
import { claim, joinAs, lonely } from './people.ts'
import { type Seeded, seed } from './seed.ts'
import { AS_VIEWER, NO_WORKSPACE, signedIn, signedOut, UNCLAIMED, type View } from './views.ts'
import { wordsOf } from './words.ts'

const WIDE = { width: 1280, height: 900 }
/** Because of the sidebar a tablet has less room than a phone. */
const TABLET = { width: 768, height: 1024 }
const PHONE = { width: 390, height: 844 }
const SMALL = { width: 320, height: 640 }
/** A laptop's window at 200 %. */
const ZOOMED = { width: 720, height: 450 }
/** A left-to-right, a longer, and a right-to-left language; the longest words at narrow widths. */
const LANGUAGES: Partial<Record<Locale, (typeof WIDE)[]>> = {
  en: [WIDE, SMALL, ZOOMED],
  de: [TABLET, SMALL, ZOOMED],
  ar: [WIDE, SMALL],
}
const EVERY_WIDTH = [WIDE, TABLET, PHONE, SMALL, ZOOMED]
/**
 * Checking with axe takes longest, and hardly depends on the language: everything in English only.
 * `EVERY_PAGE=all`: everything in every language, at every width.
 */
const ALL = process.env.EVERY_PAGE === 'all'
const isChecked = (language: string) => ALL || language === 'en'
/** A view that only adds a sentence to others is checked in English: text wraps in any language. */
const isSeen = ({ plain }: View, language: string) => ALL || !plain || language === 'en'
type Words = ReturnType<typeof wordsOf>
type State = Awaited<ReturnType<BrowserContext['storageState']>>

describe.skipIf(CHROMIUM === null)('every page (needs Chromium)', () => {
  let dashboard: Dashboard
  let unclaimed: Dashboard
  let seeded: Seeded
  let owner: State
  let viewer: State
  let alone: State

  beforeAll(async () => {
    ;[dashboard, unclaimed] = await Promise.all([
      startDashboard(),
      startDashboard({
        SIGN_UP: 'open',
        // Nothing listens there: failing emails don't matter on these pages.
        SMTP_URL: 'smtp://127.0.0.1:9',
        MAIL_FROM: 'links@example.com',
      }),
    ])
    const { context, close } = await dashboard.open()
    seeded = await seed(dashboard, context, await claim(dashboard, context))
    owner = await context.storageState()
    alone = await lonely(dashboard)
    viewer = await joinAs(dashboard, context, seeded.workspace, 'viewer')
    await close()
    // Also builds the dashboard, on a machine that may be busy.
  }, 300_000)
  afterAll(async () => {
    await dashboard?.dispose()
    await unclaimed?.dispose()
  })

  test('is readable at any width while it loads', async () => {
    const found: string[] = []
    const { context, page, close } = await dashboard.open({ storageState: owner, locale: 'ar' })
    // Requests never get a response, except for the session and the program itself.
    await context.route(/\/app\/api\/(?!v1\/session)/, () => {})
    const views = signedIn(seeded).filter(({ open, plain }) => open === undefined && !plain)
    const elsewhere = page.getByRole('heading', { name: wordsOf('ar')('common.pageMissing') })
    await page.goto('/app/nowhere')
    for (const { name, path } of views) {
      await elsewhere.waitFor()
      await page.setViewportSize(WIDE)
      await go(page, path)
      await elsewhere.waitFor({ state: 'detached' })
      await page.getByRole('heading').or(page.getByRole('status')).first().waitFor()
      for (const size of [WIDE, PHONE, SMALL]) {
        await page.setViewportSize(size)
        const faults = await layoutFaults(page)
        found.push(...faults.map((fault) => `${name} (${size.width} px): ${fault}`))
      }
      await go(page, 'nowhere')
    }
    await close()
    expect(found).toEqual([])
  }, 600_000)

  for (const language of ALL ? LOCALES : (Object.keys(LANGUAGES) as Locale[])) {
    const what = isChecked(language) ? 'accessible, readable' : 'readable'
    test(`is ${what} at any width, and without faults: ${language}`, async () => {
      const views = signedIn(seeded)
      const half = Math.ceil(views.length / 2)
      const found = await Promise.all([
        look(dashboard, language, views.slice(0, half), owner),
        look(dashboard, language, views.slice(half), owner),
        look(dashboard, language, AS_VIEWER, viewer),
        look(dashboard, language, NO_WORKSPACE, alone),
        look(dashboard, language, signedOut(seeded)),
        look(unclaimed, language, UNCLAIMED),
      ])
      expect(found.flat()).toEqual([])
    }, 600_000)
  }
})

/** What covers a page, or blocks clicks on it. */
const LAID_OVER = '[role=dialog], [role=alertdialog], [role=menu], [data-base-ui-inert]'

/** Leaves a page on which something was opened. False if some of it stays: then load the next view. */
async function isLeft({ page, settled }: Visitor, t: Words): Promise<boolean> {
  await page.keyboard.press('Escape')
  await go(page, 'nowhere')
  await settled()
  const elsewhere = page.getByRole('heading', { name: t('common.pageMissing') })
  return (await elsewhere.isVisible()) && (await page.locator(LAID_OVER).count()) === 0
}

/** Checks views one after the other; returns the faults by view. */
async function look(
  { open }: Dashboard,
  language: Locale,
  views: readonly View[],
  storageState?: State,
): Promise<string[]> {
  const visitor = await open({
    locale: language,
    viewport: WIDE,
    ...(storageState === undefined ? {} : { storageState }),
  })
  const { page, faults, failures, settled, close } = visitor
  const t = wordsOf(language)
  const found: string[] = []
  // A page that a view changed is loaded again for the next one.
  let isClean = false
  for (const view of views.filter((each) => isSeen(each, language))) {
    const note = (kind: string, all: readonly string[]) =>
      found.push(...all.map((one) => `${view.name} (${language}, ${kind}): ${one}`))
    const before = { faults: faults.length, failures: failures.length }
    await (isClean ? go(page, view.path) : page.goto(`/app/${view.path}`))
    const headed = page.getByRole('heading').first().waitFor()
    await headed.catch((cause) => note('heading', [String(cause)]))
    await settled()
    await view.open?.(page, t).catch((cause) => note('open', [String(cause)]))
    await settled()
    if ((await page.locator('html').getAttribute('lang')) !== language) note('language', ['other'])
    if (isChecked(language)) {
      note('light', await violations(page))
      await page.evaluate("document.documentElement.dataset.theme = 'dark'")
      note('dark', await violations(page, 'colors'))
      if (PICTURES) await screenshot(page, `${view.name}-${language}-dark`)
      await page.evaluate('delete document.documentElement.dataset.theme')
    }
    for (const size of (ALL ? undefined : LANGUAGES[language]) ?? EVERY_WIDTH) {
      await page.setViewportSize(size)
      await settled()
      note(`${size.width} px`, await layoutFaults(page))
      if (size === ZOOMED) note('paper', await paperFaults(page))
      // Some parts differ at that width, but not by language or an additional sentence.
      if (size === SMALL && language === 'en' && (ALL || !view.plain)) {
        note('phone', await violations(page, ALL ? 'all' : 'uncolored'))
      }
      if (PICTURES) await screenshot(page, `${view.name}-${language}-${size.width}`)
    }
    await page.setViewportSize(WIDE)
    const unexpected = (one: string) => !view.refused?.test(one)
    note('fault', faults.slice(before.faults).filter(unexpected))
    note('request', failures.slice(before.failures).filter(unexpected))
    isClean =
      storageState !== undefined &&
      view.refused === undefined &&
      (view.open === undefined || (await isLeft(visitor, t)))
  }
  await close()
  return found
}
