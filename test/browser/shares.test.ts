import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { eventually } from '../harness/eventually.ts'
import { violations } from './axe.ts'
import { CHROMIUM } from './chromium.ts'
import { type Dashboard, startDashboard, type Visitor } from './harness.ts'
import { ask, claim } from './people.ts'
import { type Seeded, seed } from './seed.ts'
import { en, wordsOf } from './words.ts'

const PASSWORD = 'over the hills'
/** Matches keys of missing texts. */
const KEY = /\b(?:shares?d?|statistics|common|links|shell|tags)\.[a-z]/

describe.skipIf(CHROMIUM === null)('shared statistics (needs Chromium)', () => {
  let dashboard: Dashboard
  let owner: Visitor
  let seeded: Seeded
  let url: string

  beforeAll(async () => {
    dashboard = await startDashboard()
    owner = await dashboard.open()
    const workspace = await claim(dashboard, owner.context)
    seeded = await seed(dashboard, owner.context, workspace)
    await eventually('the clicks are in the statistics', async () => {
      const { body } = await ask<{ totals?: { clicks: number } }>(
        ...([dashboard, owner.context, 'GET', `/links/${seeded.linkId}/stats`] as const),
        { workspace },
      )
      return body.totals?.clicks === 2 ? true : undefined
    })
  }, 300_000)
  afterAll(async () => await dashboard?.dispose())

  const button = (word: Parameters<typeof en>[0]) =>
    owner.page.getByRole('button', { name: en(word), exact: true })

  test('are shared from a link’s page, with a password', async () => {
    const { page } = owner
    await page.goto(`/app/links/${seeded.linkId}/statistics?w=${seeded.workspace}`)
    await button('shares.share').click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel(en('tags.name'), { exact: true }).fill('A page for readers')
    await dialog.getByRole('checkbox', { name: en('statistics.group.links') }).check()
    await dialog.getByLabel(en('links.field.password'), { exact: true }).fill(PASSWORD)
    await dialog.getByRole('button', { name: en('shares.share'), exact: true }).click()
    await page.getByText(en('shares.ready')).waitFor()
    url = (await page.getByRole('link', { name: en('shares.open') }).getAttribute('href')) ?? ''
    expect(url).toMatch(/\/shared\/[0-9a-v]{32}$/)
    await page.getByRole('dialog').getByText('<iframe').waitFor()
    await page.keyboard.press('Escape')
  })

  test('are visible with the password, without signing in', async () => {
    const visitor = await dashboard.open()
    const { page } = visitor
    await page.goto(url)
    const field = page.getByLabel(en('shared.password.label'), { exact: true })
    const open = page.getByRole('button', { name: en('shared.password.submit') })
    await field.fill('something else')
    await open.click()
    await page.getByText(en('shared.password.wrong')).waitFor()
    await field.fill(PASSWORD)
    await open.click()
    await page.getByRole('heading', { name: 'A page for readers' }).waitFor()
    await page.getByText('/summer').first().waitFor()
    // A click on a value filters the page and is kept in its URL, and the password in the tab.
    await page.getByRole('button', { name: 'news.example.com' }).first().click()
    await page.waitForURL(/filter=referrer/)
    await page.reload()
    await page.getByRole('heading', { name: 'A page for readers' }).waitFor()
    await visitor.settled()
    expect(await page.locator('body').innerText()).not.toMatch(KEY)
    expect(visitor.faults).toEqual([])
    expect(await visitor.context.cookies()).toEqual([])
    await visitor.close()
  })

  test('can be embedded in another site', async () => {
    const { url: shared } = (
      await ask<{ url: string }>(dashboard, owner.context, 'POST', '/shares', {
        workspace: seeded.workspace,
        body: { subject: { tag: 'summer' }, name: 'In a frame', password: PASSWORD },
      })
    ).body
    const other = Bun.serve({
      port: 0,
      hostname: '127.0.0.1',
      fetch: () =>
        new Response(
          `<!doctype html><iframe src="${shared}?embed" width="900" height="900"></iframe>
          <iframe src="${dashboard.url}/app/sign-in"></iframe>`,
          { headers: { 'Content-Type': 'text/html' } },
        ),
    })
    // On another host name, because cookies and storage of frames are partitioned by site.
    const context = await dashboard.browser.newContext({ locale: 'en-GB' })
    try {
      const page = await context.newPage()
      await page.goto(`http://127.0.0.1:${other.port}/`)
      const frame = page.frameLocator('iframe').first()
      await frame.getByLabel(en('shared.password.label'), { exact: true }).fill(PASSWORD)
      await frame.getByRole('button', { name: en('shared.password.submit') }).click()
      await frame.getByRole('heading', { name: 'In a frame' }).waitFor()
      await frame.getByText(en('statistics.group.places')).waitFor()
      const dashboardFrame = page.frames().find((one) => one.url().startsWith('chrome-error:'))
      expect(dashboardFrame).toBeDefined()
    } finally {
      await context.close()
      other.stop(true)
    }
  })

  test.each(['en', 'ar'] as const)('fit and pass axe, in %s', async (language) => {
    const t = wordsOf(language)
    const visitor = await dashboard.open()
    const { page } = visitor
    const look = async () => {
      for (const width of [390, 1440]) {
        await page.setViewportSize({ width, height: 900 })
        await visitor.settled()
        const sideways = 'document.documentElement.scrollWidth > innerWidth'
        expect(await page.evaluate(sideways)).toBe(false)
        // As in pages.test.ts: what axe finds hardly depends on the language.
        if (language !== 'en') continue
        expect(await violations(page)).toEqual([])
        await page.emulateMedia({ colorScheme: 'dark' })
        expect(await violations(page, 'colors')).toEqual([])
        await page.emulateMedia({ colorScheme: 'light' })
      }
    }
    await page.goto(`${url}?lang=${language}`)
    await page.getByLabel(t('shared.password.label'), { exact: true }).fill(PASSWORD)
    await look()
    await page.getByRole('button', { name: t('shared.password.submit') }).click()
    await page.getByRole('heading', { name: 'A page for readers' }).waitFor()
    await look()
    expect(visitor.faults).toEqual([])
    await visitor.close()
  })

  test('are listed, changed and deleted', async () => {
    const { page } = owner
    await page.goto(`/app/statistics?w=${seeded.workspace}`)
    await page.getByRole('link', { name: en('shares.title') }).click()
    const row = page.getByRole('listitem').filter({ hasText: 'A page for readers' })
    // What it is of, which its name doesn't say.
    await row.getByText('/summer').waitFor()
    await row.getByRole('button', { name: /A page for readers/ }).click()
    await page.getByRole('menuitem', { name: en('shares.edit') }).click()
    await page.getByRole('dialog').getByLabel(en('tags.name'), { exact: true }).fill('Changed')
    await button('common.save').click()
    const changed = page.getByRole('listitem').filter({ hasText: 'Changed' })
    await changed.getByRole('button', { name: /Changed/ }).click()
    await page.getByRole('menuitem', { name: en('shares.stop') }).click()
    await page
      .getByRole('alertdialog')
      .getByRole('button', { name: en('shares.stop') })
      .click()
    await changed.waitFor({ state: 'detached' })
    const visitor = await dashboard.open()
    const answer = await visitor.page.goto(url)
    expect(answer?.status()).toBe(404)
    await visitor.close()
    expect(owner.faults).toEqual([])
  })

  test('of a tag, a folder and a link are available in their menus', async () => {
    const { page } = owner
    const body = { name: 'Campaigns' }
    const options = { workspace: seeded.workspace, body }
    await ask(dashboard, owner.context, 'POST', '/folders', options)
    const share = page.getByRole('menuitem', { name: en('shares.share') })
    const dialog = page.getByRole('dialog')
    const close = async (name: string, open = share) => {
      await open.click()
      expect(await dialog.getByLabel(en('tags.name'), { exact: true }).inputValue()).toBe(name)
      await button('common.cancel').click()
      await dialog.waitFor({ state: 'detached' })
    }
    await page.goto(`/app/tags?w=${seeded.workspace}`)
    await page.getByRole('button', { name: /autumn/ }).click()
    await close('autumn')
    await page.goto(`/app/tags?tab=folders&w=${seeded.workspace}`)
    await page.getByRole('button', { name: /Campaigns/ }).click()
    await close('Campaigns')
    await page.goto(`/app/links/${seeded.linkId}?w=${seeded.workspace}`)
    await close('Summer sale, second week', button('shares.share'))
  })
})
