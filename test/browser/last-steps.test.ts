import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { CHROMIUM } from './chromium.ts'
import {
  type Dashboard,
  go,
  PICTURES,
  screenshot,
  startDashboard,
  type Visitor,
} from './harness.ts'
import { ask, claim, OWNER } from './people.ts'
import { seed } from './seed.ts'
import { en, type Word, wordsOf } from './words.ts'

describe.skipIf(CHROMIUM === null)('last steps (needs Chromium)', () => {
  let dashboard: Dashboard
  let visitor: Visitor
  let workspace: string
  let linkId: string

  beforeAll(async () => {
    dashboard = await startDashboard()
    visitor = await dashboard.open({ viewport: { width: 1440, height: 900 } })
    workspace = await claim(dashboard, visitor.context)
    ;({ linkId } = await seed(dashboard, visitor.context, workspace))
    // Also builds the dashboard, on a machine that may be busy.
  }, 300_000)
  afterAll(async () => {
    await visitor?.close()
    await dashboard?.dispose()
  })

  const button = (name: Word) => visitor.page.getByRole('button', { name: en(name), exact: true })
  const dialog = () => visitor.page.getByRole('dialog')

  test('without JavaScript, a page says so', async () => {
    const { context, page, close } = await dashboard.open({ javaScriptEnabled: false })
    for (const path of ['sign-in', 'links']) {
      await page.goto(`${dashboard.url}/app/${path}`)
      expect(await page.locator('noscript').innerText()).toContain('JavaScript')
    }
    expect(context.pages()).toHaveLength(1)
    await close()
  }, 120_000)

  test('the sign-in page continues if the person is signed in', async () => {
    const { page } = visitor
    await page.goto('/app/sign-in?next=%2Fkeys')
    await page.waitForURL('**/app/keys')
    await page.goto('/app/sign-in?next=%2F%2Fevil.example')
    await page.waitForURL('**/app/links')
  }, 120_000)

  test('a link that doesn’t exist can’t be edited, and the page says so', async () => {
    const { page } = visitor
    await page.goto('/app/links?edit=lnk_none')
    await page.waitForURL((url) => !url.search.includes('edit'))
    const { body } = await ask<{ error: { message: string } }>(
      dashboard,
      visitor.context,
      'GET',
      '/links/lnk_none',
      { workspace },
    )
    await page.getByText(body.error.message).first().waitFor()
    expect(await dialog().count()).toBe(0)
  }, 120_000)

  test('a draft that was left comes back with a word, and can be dropped', async () => {
    const { page } = visitor
    await page.goto('/app/links')
    await page.getByRole('heading', { level: 1 }).waitFor()
    const restored = dialog().getByText(en('links.draft.restored'))
    const destination = dialog().getByLabel(en('links.field.destination'), { exact: true })
    const open = () =>
      page
        .getByRole('button', { name: en('links.create') })
        .first()
        .click()
    await open()
    await destination.fill('https://example.com/draft')
    expect(await restored.count()).toBe(0)
    await page.keyboard.press('Escape')
    await dialog().waitFor({ state: 'detached' })
    await open()
    await restored.waitFor()
    expect(await destination.inputValue()).toBe('https://example.com/draft')
    await button('links.draft.discard').click()
    expect(await destination.inputValue()).toBe('')
    expect(await restored.count()).toBe(0)
    await button('common.cancel').click()
    await dialog().waitFor({ state: 'detached' })
    await open()
    await destination.waitFor()
    expect(await restored.count()).toBe(0)
    await page.keyboard.press('Escape')
  }, 120_000)

  test('a pasted URL is taken as the host of a domain', async () => {
    const { page } = visitor
    await page.goto('/app/domains')
    await button('domains.add').first().click()
    const host = dialog().getByLabel(en('domains.host'), { exact: true })
    await host.fill('https://go.example.com/path?x=1#y')
    expect(await host.inputValue()).toBe('go.example.com')
    await host.fill('https')
    expect(await host.inputValue()).toBe('https')
    await page.keyboard.press('Escape')
  }, 120_000)

  test('phones don’t capitalise tags and UTM parameters', async () => {
    const { page } = visitor
    await page.goto(`/app/links?edit=${linkId}`)
    await dialog().waitFor()
    const tags = dialog().getByLabel(en('links.field.tags'), { exact: true })
    expect(await tags.getAttribute('autocapitalize')).toBe('none')
    await dialog().getByText(en('links.section.utm'), { exact: true }).click()
    const source = dialog().getByLabel(en('links.field.utm.source'), { exact: true })
    expect(await source.getAttribute('autocapitalize')).toBe('none')
    await page.keyboard.press('Escape')
  }, 120_000)

  test('several people are invited at a time, and the dialog has a link for each', async () => {
    const { page } = visitor
    await page.goto('/app/members')
    await button('members.invite').click()
    const emails = dialog().getByLabel(en('members.emails'), { exact: true })
    await emails.fill('one@example.com, two@example.com')
    await button('members.invite.submit').click()
    await dialog().locator('pre').nth(1).waitFor()
    expect(await dialog().locator('pre').count()).toBe(2)
    await button('members.done').click()
    // The first is invited, the second is wrong: only it stays in the field.
    await button('members.invite').click()
    await emails.fill(`three@example.com, ${OWNER.email}`)
    await button('members.invite.submit').click()
    await dialog().getByRole('alert').waitFor()
    expect(await emails.inputValue()).toBe(OWNER.email)
    await page.keyboard.press('Escape')
  }, 120_000)

  test('the account’s language wins over that of an earlier visit', async () => {
    const body = { language: 'de' }
    await ask(dashboard, visitor.context, 'PATCH', '/account', { body })
    const { page, context, close } = await dashboard.open({ locale: 'en-US' })
    await context.addCookies([
      { name: 'slugline_language', value: 'fr', url: `${dashboard.url}/app` },
    ])
    await page.goto('/app/sign-in')
    await page.getByLabel(wordsOf('fr')('auth.email')).waitFor()
    await context.addCookies(await visitor.context.cookies())
    await page.goto('/app/links')
    await page.locator('html[lang=de]').waitFor({ state: 'attached' })
    await page.reload()
    expect(await page.locator('html').getAttribute('lang')).toBe('de')
    await close()
    await ask(dashboard, visitor.context, 'PATCH', '/account', { body: { language: null } })
    await signInStays()
  }, 120_000)

  /** The visitor's own pages are English again. */
  async function signInStays() {
    await visitor.page.goto('/app/links')
    await visitor.page.getByRole('heading', { level: 1 }).waitFor()
  }

  test('in high contrast, marks, bars and selected states are drawn', async () => {
    const { page } = visitor
    await page.emulateMedia({ forcedColors: 'active' })
    await page.goto('/app/links')
    await page.getByRole('heading', { level: 1 }).waitFor()
    await visitor.settled()
    const invisible = () =>
      page.evaluate(
        `
        const canvas = getComputedStyle(document.body).backgroundColor
        return [...document.querySelectorAll('.bg-accent, .bg-bar, .bg-ok-mark, .bg-warn-mark, .bg-bad-mark')]
          .filter((one) => one.getClientRects().length > 0)
          .filter((one) => getComputedStyle(one).backgroundColor === canvas)
          .map((one) => one.outerHTML.slice(0, 120))
      `
          .replace(/^/, '(() => {')
          .concat('})()'),
      )
    expect(await invisible()).toEqual([])
    if (PICTURES) await screenshot(page, 'forced-links')
    await go(page, 'statistics')
    await visitor.settled()
    expect(await invisible()).toEqual([])
    const outline = "getComputedStyle(document.querySelector('[aria-pressed=true]')).outlineStyle"
    expect(await page.evaluate(outline)).toBe('solid')
    if (PICTURES) await screenshot(page, 'forced-statistics')
    await page.emulateMedia({ forcedColors: 'none' })
  }, 120_000)

  test('on paper, the page is alone and dark on white', async () => {
    const { page } = visitor
    await page.emulateMedia({ media: 'print', colorScheme: 'dark' })
    await page.goto('/app/statistics')
    await page.getByRole('heading', { level: 1 }).waitFor()
    await visitor.settled()
    expect(await page.locator('aside').first().isVisible()).toBe(false)
    const color = 'getComputedStyle(document.body).color'
    const dark = await page.evaluate(color)
    await page.emulateMedia({ media: 'print', colorScheme: 'light' })
    expect(await page.evaluate(color)).toBe(dark)
    if (PICTURES) await screenshot(page, 'printed-statistics')
    await go(page, 'links')
    await visitor.settled()
    if (PICTURES) await screenshot(page, 'printed-links')
    await page.emulateMedia({ media: 'screen', colorScheme: 'light' })
  }, 120_000)
})
