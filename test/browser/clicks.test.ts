import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { eventually } from '../harness/eventually.ts'
import { violations } from './axe.ts'
import { CHROMIUM } from './chromium.ts'
import { type Dashboard, startDashboard, type Visitor } from './harness.ts'
import { layoutFaults } from './layout.ts'
import { ask, claim } from './people.ts'
import { AGENT } from './seed.ts'
import { en } from './words.ts'

/** More than a page. */
const CLICKS = 60

describe.skipIf(CHROMIUM === null)('clicks one by one (needs Chromium)', () => {
  let dashboard: Dashboard
  let visitor: Visitor
  let workspace: string
  let linkId: string

  beforeAll(async () => {
    dashboard = await startDashboard()
    visitor = await dashboard.open({ viewport: { width: 1440, height: 900 } })
    workspace = await claim(dashboard, visitor.context)
    for (const slug of ['summer', 'winter']) {
      const body = { destination_url: 'https://example.com/', slug }
      const { body: link } = await ask<{ id: string }>(
        ...([dashboard, visitor.context, 'POST', '/links', { workspace, body }] as const),
      )
      linkId = link.id
    }
    const visit = (path: string, agent: string, headers: Record<string, string> = {}) =>
      fetch(`${dashboard.slugline.url}/${path}`, {
        redirect: 'manual',
        headers: { 'user-agent': agent, ...headers },
      })
    for (let i = 0; i < CLICKS; i++) await visit('summer', AGENT)
    await visit('summer', 'curl/8.5.0')
    await visit('winter?qr=1&utm_source=poster', AGENT, {
      referer: 'https://news.example.com/today',
      'accept-language': 'de',
    })
    await eventually('all clicks are stored', async () => {
      type Answer = { totals: { clicks: number } }
      const { body } = await ask<Answer>(dashboard, visitor.context, 'GET', '/stats', { workspace })
      return body.totals?.clicks === CLICKS + 1 ? true : undefined
    })
    // Also builds the dashboard, on a machine that may be busy.
  }, 300_000)
  afterAll(async () => {
    await visitor?.close()
    await dashboard?.dispose()
  })

  const rows = () => visitor.page.locator('main tbody tr')

  test('are a table, newest first, with the filters and the period of the page', async () => {
    const { page } = visitor
    await page.goto('/app/statistics')
    // With the keyboard.
    await page.getByRole('tab', { name: en('statistics.tab.report') }).focus()
    await page.keyboard.press('ArrowRight')
    await page.keyboard.press('Enter')
    await page.waitForURL(/tab=clicks/)
    const newest = rows().first()
    await newest.getByText('news.example.com').waitFor()
    for (const text of ['/winter', 'poster', 'Chrome', 'Linux']) {
      await newest.getByText(text).first().waitFor()
    }
    await newest.getByText(en('statistics.trigger.qr')).waitFor()
    await newest.getByText('German').waitFor()
    // In the zone of the page.
    const at = await newest.locator('time').getAttribute('datetime')
    const inZone = (timeZone: string) =>
      new Intl.DateTimeFormat('en-GB', { timeZone, timeStyle: 'medium' }).format(new Date(at ?? ''))
    expect(await newest.locator('time').innerText()).toContain(inZone('Europe/Berlin'))
    expect(await violations(page)).toEqual([])
    expect(await layoutFaults(page)).toEqual([])

    expect(await rows().count()).toBe(50)
    await page.getByRole('button', { name: en('statistics.more') }).click()
    await rows().nth(CLICKS).waitFor()
    expect(await rows().count()).toBe(CLICKS + 1)
    const times = await page.evaluate<string[]>(
      "[...document.querySelectorAll('main tbody time')].map(({ dateTime }) => dateTime)",
    )
    expect(times).toEqual([...times].sort().reverse())

    await page.getByRole('combobox', { name: en('statistics.kinds') }).click()
    await page.getByRole('option', { name: en('statistics.kinds.only') }).click()
    await rows().first().getByText(en('statistics.live.bot'), { exact: true }).waitFor()
    expect(await rows().count()).toBe(1)

    await page.goto('/app/statistics?tab=clicks&zone=Asia/Tokyo&filter=referrer:news.example.com')
    await rows().first().waitFor()
    expect(await rows().count()).toBe(1)
    expect(await rows().first().locator('time').innerText()).toContain(inZone('Asia/Tokyo'))
    await page.goto('/app/statistics?tab=clicks&filter=referrer:nowhere.example.com')
    await page.getByRole('heading', { name: en('statistics.empty.title') }).waitFor()
    await page
      .getByRole('button', { name: en('statistics.filter.clear') })
      .last()
      .click()
    await rows().first().waitFor()
  }, 180_000)

  test('of a link are reached from its page; an error can be retried', async () => {
    const { page } = visitor
    const failing = '**/app/api/v1/links/*/clicks?*'
    await page.route(failing, (route) =>
      route.fulfill({
        status: 500,
        json: { error: { code: 'INTERNAL_ERROR', message: 'No.', request_id: 'req_x' } },
      }),
    )
    await page.goto(`/app/links/${linkId}?range=7d`)
    await page.getByRole('link', { name: en('statistics.tab.clicks') }).click()
    await page.waitForURL(/statistics\?.*range=7d/)
    await page.getByRole('alert').waitFor()
    await page.unroute(failing)
    await page.getByRole('button', { name: en('common.retry') }).click()
    await rows().first().waitFor()
    expect(await rows().count()).toBe(1)
    const heads = page.getByRole('columnheader', { name: en('statistics.dimension.link') })
    expect(await heads.count()).toBe(0)
  }, 120_000)

  test('are a list on a phone', async () => {
    const { page } = visitor
    await page.setViewportSize({ width: 390, height: 844 })
    await page.goto('/app/statistics?tab=clicks')
    const list = page.getByRole('list', { name: en('statistics.tab.clicks') })
    await list.getByText('news.example.com').waitFor()
    expect(await page.locator('main table').count()).toBe(0)
    expect(await violations(page)).toEqual([])
    expect(await layoutFaults(page)).toEqual([])
  }, 120_000)
})
