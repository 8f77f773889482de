import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { violations } from './axe.ts'
import { CHROMIUM } from './chromium.ts'
import { type Dashboard, startDashboard, type Visitor } from './harness.ts'
import { layoutFaults } from './layout.ts'
import { ask, claim } from './people.ts'
import { en } from './words.ts'

describe.skipIf(CHROMIUM === null)('the sidebar (needs Chromium)', () => {
  let dashboard: Dashboard
  let visitor: Visitor
  let workspace: string

  beforeAll(async () => {
    dashboard = await startDashboard()
    visitor = await dashboard.open({ viewport: { width: 1440, height: 900 } })
    workspace = await claim(dashboard, visitor.context)
    await dashboard.slugline.cli('workspaces', 'set-plan', 'Acme', 'pro')
    // Also builds the dashboard, on a machine that may be busy.
  }, 300_000)
  afterAll(async () => {
    await visitor?.close()
    await dashboard?.dispose()
  })

  const api = async <T = { id: string }>(method: string, path: string, body?: object): Promise<T> =>
    (await ask<T>(dashboard, visitor.context, method, path, { workspace, ...(body && { body }) }))
      .body
  const nav = () => visitor.page.getByRole('navigation').filter({ visible: true })
  const toggle = () => nav().getByRole('button', { name: en('shell.places') })
  const folders = () => nav().getByRole('list', { name: en('folders.title') })
  const views = () => nav().getByRole('list', { name: en('links.views') })

  test('has nothing more without folders and views', async () => {
    const { page, settled } = visitor
    await page.goto('/app/links')
    await nav().getByRole('link').first().waitFor()
    await settled()
    expect(await toggle().count()).toBe(0)
  }, 120_000)

  test('lists views and folders, marks the current one, and can be folded', async () => {
    const { page } = visitor
    const ids = new Map<string, string>()
    for (const name of ['Posters', 'Letters']) {
      ids.set(name, (await api('POST', '/folders', { name })).id)
    }
    const link = { destination_url: 'https://example.com/', slug: 'one' }
    await api('POST', '/links', { ...link, folder_id: ids.get('Posters') })
    await api('POST', '/views', { name: 'By clicks', filter: {}, sort: 'clicks' })
    await page.goto('/app/links')
    const posters = folders().getByRole('link', { name: /Posters/ })
    await posters.getByText('1', { exact: true }).waitFor()
    expect(await nav().getByRole('list').locator('[aria-current]').count()).toBe(0)
    await posters.focus()
    await page.keyboard.press('Enter')
    await page.waitForURL((url) => url.searchParams.get('folder') === ids.get('Posters'))
    const current = nav().getByRole('list').locator('[aria-current]')
    expect(await current.innerText()).toContain('Posters')
    await page.locator('[data-row]').filter({ hasText: 'one' }).waitFor()
    // With another filter it is still the folder's list.
    await page.goto(`/app/links?folder=${ids.get('Posters')}&q=one`)
    await current.filter({ hasText: 'Posters' }).waitFor()
    expect(await violations(page)).toEqual([])
    expect(await layoutFaults(page)).toEqual([])
    await views().getByRole('link', { name: 'By clicks' }).click()
    await page.waitForURL(/sort=clicks/)
    await current.filter({ hasText: 'By clicks' }).waitFor()
    expect(await current.count()).toBe(1)

    // Also from other pages; folded, it stays so.
    await page.goto('/app/usage')
    await posters.waitFor()
    expect(await current.count()).toBe(0)
    await toggle().focus()
    await page.keyboard.press('Enter')
    await posters.waitFor({ state: 'detached' })
    await page.reload()
    await toggle().waitFor()
    expect(await toggle().getAttribute('aria-expanded')).toBe('false')
    expect(await folders().count()).toBe(0)
    await toggle().click()
    await posters.waitFor()
  }, 120_000)

  test('has a dozen folders, then all of them, on a low screen too', async () => {
    const { page } = visitor
    for (let i = 10; i < 22; i++) await api('POST', '/folders', { name: `Folder ${i}` })
    await page.setViewportSize({ width: 1440, height: 500 })
    await page.goto('/app/links')
    const all = nav().getByRole('link', { name: en('folders.all') })
    await all.waitFor()
    expect(await folders().getByRole('link').count()).toBe(12)
    expect(await layoutFaults(page)).toEqual([])
    // The last page is reached by scrolling within the sidebar.
    await nav()
      .getByRole('link', { name: en('shell.instance') })
      .click()
    await page.waitForURL(/instance/)
    await all.click()
    await page.waitForURL(/tab=folders/)
  }, 120_000)
})
