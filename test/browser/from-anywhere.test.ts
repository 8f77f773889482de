import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { violations } from './axe.ts'
import { CHROMIUM } from './chromium.ts'
import { type Dashboard, startDashboard, type Visitor } from './harness.ts'
import { ask, claim, joinAs, OWNER } from './people.ts'
import { en } from './words.ts'

const SHARED = 'https://example.com/an-article?a=b&c=d#e'

/** What a browser opens when something is shared with the installed app. */
async function sharedWith(dashboard: Dashboard, given: Record<string, string>): Promise<string> {
  const response = await fetch(`${dashboard.url}/app/manifest.webmanifest`)
  const { share_target } = (await response.json()) as {
    share_target: { action: string; params: Record<string, string> }
  }
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(given)) {
    query.set(share_target.params[name] as string, value)
  }
  return `${share_target.action}?${query}`
}

const formOf = (page: Page) => page.getByRole('dialog', { name: en('links.create') })
const destinationIn = (page: Page) =>
  formOf(page).getByLabel(en('links.field.destination'), { exact: true }).inputValue()

describe.skipIf(CHROMIUM === null)('links from anywhere (needs Chromium)', () => {
  let dashboard: Dashboard
  let owner: Visitor
  let workspace: string

  beforeAll(async () => {
    dashboard = await startDashboard()
    owner = await dashboard.open()
    workspace = await claim(dashboard, owner.context)
  }, 300_000)
  afterAll(() => dashboard?.dispose())

  test('browsers find nothing wrong with the app, which they can install', async () => {
    const { page, context } = owner
    await page.goto('/app/links')
    const devtools = await context.newCDPSession(page)
    expect((await devtools.send('Page.getAppManifest')).errors).toEqual([])
    const { installabilityErrors } = await devtools.send('Page.getInstallabilityErrors')
    expect(installabilityErrors).toEqual([])
    expect(owner.faults).toEqual([])
  }, 120_000)

  test('a viewer reads why there is no form', async () => {
    const storageState = await joinAs(dashboard, owner.context, workspace, 'viewer')
    const viewer = await dashboard.open({ storageState })
    const { page } = viewer
    await page.goto('/app/links/new?url=https://example.com/')
    const dialog = page.getByRole('dialog', { name: en('links.create') })
    await dialog.getByText(en('links.viewerCreates')).waitFor()
    expect(await violations(page)).toEqual([])
    await dialog
      .getByRole('button', { name: en('common.close') })
      .last()
      .click()
    await dialog.waitFor({ state: 'detached' })
    expect(new URL(page.url()).search).toBe('')
    await viewer.close()
  }, 120_000)

  test('a shared text fills the form, which creates the link', async () => {
    const { page } = owner
    await page.goto(await sharedWith(dashboard, { text: `An article:\n${SHARED}` }))
    await formOf(page).waitFor()
    expect(await destinationIn(page)).toBe(SHARED)
    expect(new URL(page.url()).search).toBe('?create=true')
    const submit = formOf(page).getByRole('button', { name: en('links.create') })
    await submit.click()
    await formOf(page).waitFor({ state: 'detached' })
    const { body } = await ask<{ data: { destination_url: string; title: string }[] }>(
      ...([dashboard, owner.context, 'GET', '/links', { workspace }] as const),
    )
    expect(body.data).toMatchObject([{ destination_url: SHARED, title: 'An article' }])
    expect(owner.faults).toEqual([])
  }, 120_000)

  test('the form is filled after signing in, too', async () => {
    const visitor = await dashboard.open()
    const { page } = visitor
    const given = new URLSearchParams({ url: SHARED, title: 'T', slug: 'from-afar' })
    await page.goto(`/app/links/new?${given}`)
    await page.getByLabel(en('auth.email'), { exact: true }).fill(OWNER.email)
    await page.getByLabel(en('auth.password'), { exact: true }).fill(OWNER.password)
    await page.getByRole('button', { name: en('auth.signIn.submit'), exact: true }).click()
    await formOf(page).waitFor()
    expect(await destinationIn(page)).toBe(SHARED)
    const slug = formOf(page).getByLabel(en('links.field.slug'), { exact: true })
    expect(await slug.inputValue()).toBe('from-afar')
    expect(visitor.faults).toEqual([])
    await visitor.close()
  }, 120_000)

  test('the bookmarklet opens the form with the page that it is clicked on', async () => {
    const { page, context } = owner
    await page.goto('/app/links')
    await page.getByRole('heading', { level: 1 }).waitFor()
    await page.keyboard.press('ControlOrMeta+k')
    await page.getByRole('combobox', { name: en('shell.palette') }).fill('bookmarklet')
    await page.getByRole('option', { name: en('settings.bookmarklet') }).click()
    const link = page.getByRole('link', { name: en('settings.bookmarklet.name') })
    const code = (await link.getAttribute('href')) as string
    expect(code).toStartWith('javascript:')
    await link.click()
    const toast = page.locator('[data-toast]')
    await toast.getByText(en('settings.bookmarklet.drag')).waitFor()
    expect(await violations(page)).toEqual([])
    await owner.settled()
    const other = await context.newPage()
    await other.goto(`${dashboard.url}/docs/errors?a=%26`)
    await other.evaluate(`document.title = 'A & "B" #1'`)
    const opening = context.waitForEvent('page')
    // As the browser runs it: decoded, outside of the page's policy.
    await other.evaluate(decodeURIComponent(code.slice('javascript:'.length)))
    const opened = await opening
    await formOf(opened).waitFor()
    expect(await destinationIn(opened)).toBe(`${dashboard.url}/docs/errors?a=%26`)
    expect(owner.faults).toEqual([])
  }, 120_000)
})
