import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { violations } from './axe.ts'
import { CHROMIUM } from './chromium.ts'
import { type Dashboard, startDashboard, type Visitor } from './harness.ts'
import { layoutFaults } from './layout.ts'
import { ask, claim } from './people.ts'
import { AGENT } from './seed.ts'
import { en, type Word } from './words.ts'

describe.skipIf(CHROMIUM === null)('the first link (needs Chromium)', () => {
  let dashboard: Dashboard
  let visitor: Visitor
  let workspace: string

  beforeAll(async () => {
    dashboard = await startDashboard()
    visitor = await dashboard.open()
    workspace = await claim(dashboard, visitor.context)
    // Also builds the dashboard, on a machine that may be busy.
  }, 300_000)
  afterAll(async () => {
    await visitor?.close()
    await dashboard?.dispose()
  })

  const button = (name: Word) => visitor.page.getByRole('button', { name: en(name), exact: true })
  const title = () => visitor.page.getByRole('heading', { name: en('links.first.title') })

  test('is shown at work, a visit appears by itself, and the next steps follow', async () => {
    const { page } = visitor
    await page.goto('/app/links')
    await title().waitFor()
    expect(await button('links.first.dismiss').count()).toBe(0)
    const connected = page.waitForResponse((answer) => answer.url().includes('/clicks/stream'))
    const field = page.getByLabel(en('links.field.destination'), { exact: true })
    await field.fill('https://example.com/first')
    await field.press('Enter')
    await connected
    await page.getByText(en('statistics.live.waiting')).waitFor()
    const open = page.getByRole('link', { name: en('links.first.openLink'), exact: true })
    const url = (await open.getAttribute('href')) ?? ''
    expect(new URL(url).origin).toBe(new URL(dashboard.url).origin)
    await button('links.copy').waitFor()
    expect(await violations(page)).toEqual([])

    const visits = page.getByTestId('live-clicks').getByRole('listitem')
    await fetch(url, { redirect: 'manual', headers: { 'user-agent': AGENT } })
    await visits.filter({ hasText: 'Chrome' }).waitFor()
    await page
      .locator('main ol')
      .first()
      .getByRole('listitem')
      .nth(1)
      .getByText(en('links.first.done'), { exact: true })
      .waitFor()
    expect(await violations(page)).toEqual([])
    for (const width of [390, 1280]) {
      await page.setViewportSize({ width, height: 900 })
      expect(await layoutFaults(page)).toEqual([])
    }
    await button('links.qr.title').click()
    await page.getByRole('dialog', { name: en('links.qr.title'), exact: true }).waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await page.getByRole('link', { name: en('members.invite'), exact: true }).click()
    await page.getByRole('dialog', { name: en('members.invite') }).waitFor()
  }, 180_000)

  test('is there until it is dismissed, and never again', async () => {
    const { page, settled } = visitor
    await page.goto('/app/links')
    await title().waitFor()
    const next = page.getByRole('region', { name: en('links.first.next') }).getByRole('link')
    expect(await next.allInnerTexts()).toEqual([
      ...[en('members.invite'), en('domains.add'), en('imports.title')],
    ])
    await button('links.first.dismiss').focus()
    await page.keyboard.press('Enter')
    await title().waitFor({ state: 'detached' })
    await page.reload()
    await page.locator('[data-row]').first().waitFor()
    await settled()
    expect(await title().count()).toBe(0)
    // Without any link the page begins anew.
    const { body } = await ask<{ data: { id: string }[] }>(
      ...([dashboard, visitor.context, 'GET', '/links', { workspace }] as const),
    )
    for (const { id } of body.data) {
      await ask(dashboard, visitor.context, 'DELETE', `/links/${id}`, { workspace })
    }
    await page.reload()
    await page.getByLabel(en('links.field.destination'), { exact: true }).waitFor()
  }, 120_000)
})
