import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { CHROMIUM } from './chromium.ts'
import { type Dashboard, PICTURES, screenshot, startDashboard, type Visitor } from './harness.ts'
import { layoutFaults } from './layout.ts'
import { ask, claim } from './people.ts'
import { en } from './words.ts'

const FILE = [
  'Long URL,Slug,Total clicks',
  'https://example.com/kept,kept,393',
  'https://example.com/single,single,1',
  'https://example.com/none,none,0',
].join('\n')
/** What texts say of these numbers, in English. */
const SUM = /\b394 clicks\b/
const ONE = /\b393 clicks\b/

describe.skipIf(CHROMIUM === null)('imported clicks in the dashboard (needs Chromium)', () => {
  let dashboard: Dashboard
  let owner: Visitor
  let workspace: string
  let id: string

  beforeAll(async () => {
    dashboard = await startDashboard()
    owner = await dashboard.open({ viewport: { width: 1440, height: 900 } })
    workspace = await claim(dashboard, owner.context)
    await dashboard.slugline.cli('workspaces', 'set-plan', 'Acme', 'pro')
    // Also builds the dashboard, on a machine that may be busy.
  }, 300_000)
  afterAll(async () => await dashboard?.dispose())

  const call = <T>(method: string, path: string, body?: unknown) =>
    ask<T>(dashboard, owner.context, method, path, { workspace, body })
  const look = async ({ page, settled, faults }: Visitor, name: string) => {
    await settled()
    if (PICTURES) await screenshot(page, `imported-${name}`)
    expect(faults).toEqual([])
  }

  test('are named by the import, and by the list of jobs', async () => {
    const { page } = owner
    await page.goto('/app/import')
    await page.getByLabel(en('imports.choose')).setInputFiles({
      ...{ name: 'bitly.csv', mimeType: 'text/csv', buffer: Buffer.from(FILE) },
    })
    await page.getByRole('button', { name: en('imports.check'), exact: true }).click()
    // The check says it before.
    await page.getByText(SUM).waitFor()
    await page.getByRole('button', { name: en('imports.start'), exact: true }).click()
    await page.getByRole('button', { name: en('imports.undo') }).waitFor()
    await page.getByText(SUM).waitFor()
    await look(owner, 'import')
    await page.goto('/app/jobs')
    await page.getByText(SUM).first().waitFor()
    const { body } = await call<{ data: { id: string }[] }>('GET', '/links?search=kept')
    id = body.data[0]?.id ?? ''
  })

  test('are beside the clicks of the list, which sorts by both', async () => {
    const { page } = owner
    await page.goto('/app/links?sort=slug&order=asc')
    const cell = page.locator(`[data-row="${id}"]`).getByTestId('imported')
    expect(await cell.innerText()).toMatch(ONE)
    expect(await page.getByTestId('imported').count()).toBe(2)
    await page.getByRole('button', { name: en('links.sortBy') }).click()
    await page
      .getByRole('menuitemradio', { name: en('links.sort.clicks_with_imported'), exact: true })
      .click()
    await page.waitForURL(/sort=clicks_with_imported/)
    await page.keyboard.press('Escape')
    const clicks = page.getByRole('columnheader', { name: en('links.clicks'), exact: true })
    await look(owner, 'list')
    expect(await clicks.getAttribute('aria-sort')).toBe('ascending')
  })

  test('are on the pages of the link, and of the workspace', async () => {
    const { page } = owner
    await page.goto(`/app/links/${id}`)
    await page.locator('dl').getByText(ONE).waitFor()
    await look(owner, 'link')
    // Without any other click.
    await page.goto(`/app/links/${id}/statistics`)
    await page.getByText(ONE).waitFor()
    await look(owner, 'link-statistics')
    await page.goto('/app/statistics')
    await page.getByText(SUM).waitFor()
    // Nothing is known of their countries.
    await page.goto('/app/statistics?filter=country:DE')
    await page.getByText(en('statistics.empty.title')).waitFor()
    expect(await page.getByText(SUM).count()).toBe(0)
  })

  test('are on shared pages, unless those show only a part of the clicks', async () => {
    const share = async (filters: object) => {
      const subject = { link_id: id }
      const { body } = await call<{ url: string }>('POST', '/shares', { subject, filters })
      return body.url
    }
    const visitor = await dashboard.open()
    await visitor.page.goto(await share({}))
    await visitor.page.getByText(ONE).waitFor()
    await look(visitor, 'shared')
    await visitor.page.goto(await share({ country: ['DE'] }))
    await visitor.page.getByText(en('statistics.empty.title')).waitFor()
    expect(await visitor.page.getByText(ONE).count()).toBe(0)
    await visitor.close()
  })

  test('fit on a phone, in every theme and direction', async () => {
    const storageState = await owner.context.storageState()
    for (const locale of ['en', 'de', 'ar']) {
      for (const colorScheme of ['light', 'dark'] as const) {
        const visitor = await dashboard.open({ storageState, locale, colorScheme })
        const { page } = visitor
        for (const width of [390, 1440]) {
          // Or the page before it asks for what only a wide one shows, and is left.
          await page.goto('about:blank')
          await page.setViewportSize({ width, height: 900 })
          const name = `${locale}-${width}-${colorScheme}`
          for (const path of ['links', `links/${id}`, 'statistics']) {
            await page.goto(`/app/${path}?w=${workspace}`)
            await page
              .getByText(/39[34]/)
              .first()
              .waitFor()
            await look(visitor, `${path.replace(/\W.*/, '-one')}-${name}`)
            expect(await layoutFaults(page)).toEqual([])
          }
          expect(await page.locator('html').getAttribute('lang')).toBe(locale)
        }
        await visitor.close()
      }
    }
  })
})
