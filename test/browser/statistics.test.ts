import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Locator, Page } from 'playwright-core'
import { eventually } from '../harness/eventually.ts'
import { CHROMIUM } from './chromium.ts'
import { type Dashboard, startDashboard, type Visitor } from './harness.ts'
import { ask, claim, heading } from './people.ts'
import { seed } from './seed.ts'
import { en } from './words.ts'

describe.skipIf(CHROMIUM === null)('a filtered report (needs Chromium)', () => {
  let dashboard: Dashboard
  let owner: Visitor
  let page: Page
  let empty: string
  let workspace: string
  let linkId: string

  beforeAll(async () => {
    dashboard = await startDashboard()
    owner = await dashboard.open()
    page = owner.page
    const seeded = await seed(dashboard, owner.context, await claim(dashboard, owner.context))
    ;({ empty, workspace, linkId } = seeded)
    await eventually('both clicks are stored', async () => {
      type Answer = { data: { totals: { clicks: number } } }
      const { body } = await ask<Answer>(dashboard, owner.context, 'GET', '/stats', { workspace })
      return body.data?.totals.clicks === 2 ? true : undefined
    })
    // Also builds the dashboard, on a machine that may be busy.
  }, 300_000)
  afterAll(async () => await dashboard?.dispose())

  const figure = (name: string) => page.getByRole('button', { name: new RegExp(`^${name}`) })
  const button = (word: Parameters<typeof en>[0]) =>
    page.getByRole('button', { name: en(word), exact: true })
  const parameter = (name: string) => new URL(page.url()).searchParams.get(name)
  const choose = async (label: string, option: string) => {
    await page.getByRole('combobox', { name: label, exact: true }).click()
    await page.getByRole('option', { name: option, exact: true }).click()
  }

  test('a phone has what is above the numbers in few lines', async () => {
    await page.setViewportSize({ width: 390, height: 844 })
    const rows = async (of: Locator) => {
      const tops = new Set<number>()
      for (const one of await of.filter({ visible: true }).all()) {
        const box = await one.boundingBox()
        if (box !== null) tops.add(Math.round((box.y + box.height / 2) / 8))
      }
      return tops.size
    }
    await page.goto(`/app/statistics?w=${workspace}`)
    await page.getByRole('button', { name: en('statistics.export'), exact: true }).waitFor()
    expect(await rows(page.locator('main header :is(h1, a, button)'))).toBe(1)
    await page.goto(`/app/links?w=${workspace}`)
    const folders = page.getByRole('button', { name: en('folders.title') })
    await folders.waitFor()
    const searchbox = page.getByRole('searchbox')
    const toolbar = page
      .locator('main div')
      .filter({ has: searchbox })
      .filter({ has: folders })
      .last()
    expect(await rows(toolbar.getByRole('button').or(searchbox))).toBe(2)
    await page.getByRole('checkbox').first().check()
    const bar = page.getByRole('region').filter({ has: button('links.bulk.clear') })
    await button('links.archive').waitFor()
    expect(await rows(bar.getByRole('button'))).toBeLessThanOrEqual(2)
    await page.setViewportSize({ width: 1280, height: 900 })
  })

  test('a value is found by a part of its name', async () => {
    await page.goto('/app/statistics')
    await page.getByRole('button', { name: en('statistics.filter.add'), exact: true }).click()
    await choose(en('statistics.filters'), en('statistics.dimension.referrer'))
    await page.getByRole('combobox', { name: en('statistics.dimension.referrer') }).click()
    await page.getByRole('combobox', { name: en('common.search') }).pressSequentially('news')
    await page.getByRole('option', { name: /news/ }).click()
    await page.waitForURL((url) => url.search.includes('referrer'))
    await figure(en('statistics.clicks')).filter({ hasText: '1' }).waitFor()
  })

  test('a report is filtered by tags and by a folder', async () => {
    const api = async (method: string, path: string, body: object) =>
      (await ask<{ id: string }>(dashboard, owner.context, method, path, { workspace, body })).body
    const { id: folder_id } = await api('POST', '/folders', { name: 'Posters' })
    await api('POST', '/folders', { name: 'Letters' })
    await api('PATCH', `/links/${linkId}`, { folder_id })
    const pick = async (group: 'tag' | 'folder', text: string) => {
      await page.getByRole('button', { name: en('statistics.filter.add'), exact: true }).click()
      await choose(en('statistics.filters'), en(`statistics.dimension.${group}`))
      await page.getByRole('combobox', { name: en(`statistics.dimension.${group}`) }).click()
      await page.getByRole('combobox', { name: en('common.search') }).fill(text)
      await page.getByRole('option', { name: new RegExp(`^${text}`, 'i') }).click()
    }
    const filters = () => new URL(page.url()).searchParams.getAll('filter').join()
    const clicks = (count: number) =>
      figure(en('statistics.clicks'))
        .filter({ hasText: `${count}` })
        .waitFor()
    await page.goto('/app/statistics')
    await pick('tag', 'summ')
    await page.waitForURL((url) => url.search.includes('summer'))
    await clicks(2)
    await pick('folder', 'post')
    await page.waitForURL((url) => url.search.includes(folder_id))
    const folder = page.getByRole('listitem').filter({ hasText: 'Posters' })
    await folder.waitFor()
    await clicks(2)
    // There is one folder, which is kept in the URL.
    await pick('folder', 'letters')
    await page.getByRole('heading', { name: en('statistics.empty.title') }).waitFor()
    await page.reload()
    const remove = (filter: string) =>
      page.getByRole('button', { name: en('statistics.filter.remove', { filter }), exact: true })
    await remove('Folder: Letters').click()
    await clicks(2)
    await remove('Tag: summer').click()
    expect(filters()).not.toContain('summer')
  })

  test('if places are unknown, the page says how to get them', async () => {
    await page.goto('/app/statistics')
    for (const place of ['region', 'city'] as const) {
      await page.getByRole('tab', { name: en(`statistics.dimension.${place}`) }).click()
      await page.getByRole('tabpanel').locator('code').waitFor()
    }
  })

  test('a period is compared with the year before, or with nothing', async () => {
    await page.goto('/app/statistics?range=yesterday')
    await choose(en('statistics.range'), en('statistics.range.12m'))
    await choose(en('statistics.compare'), en('statistics.compare.year'))
    await page.waitForURL(/compare=year/)
    await page.getByText(en('statistics.chart.compared')).waitFor()
    await choose(en('statistics.compare'), en('statistics.compare.none'))
    await page.waitForURL(/compare=none/)
    expect(await page.getByText(en('statistics.chart.compared')).count()).toBe(0)
    await choose(en('statistics.range'), en('statistics.range.all'))
    await page.waitForURL(/range=all/)
    await figure(en('statistics.clicks')).filter({ hasText: '2' }).waitFor()
  })

  test('dragging over the chart selects a period', async () => {
    await page.goto('/app/statistics?range=90d')
    const plot = page.locator('figure [data-plot]')
    await plot.waitFor()
    const box = await plot.boundingBox()
    if (box === null) throw new Error('There is no chart')
    const y = box.y + box.height / 2
    await page.mouse.move(box.x + box.width * 0.25, y)
    await page.mouse.down()
    await page.mouse.move(box.x + box.width * 0.5, y, { steps: 5 })
    await page.mouse.up()
    await page.waitForURL(/range=custom/)
    const days = (Date.parse(parameter('to') ?? '') - Date.parse(parameter('from') ?? '')) / 864e5
    expect(days).toBeGreaterThan(15)
    expect(days).toBeLessThan(30)
  })

  test('the number of scans filters the report', async () => {
    await page.goto('/app/statistics')
    await figure(en('statistics.scans')).click()
    await page.waitForURL((url) => url.searchParams.getAll('filter').join().includes('trigger:qr'))
  })

  test('without clicks there is one message', async () => {
    await page.goto(`/app/statistics?w=${empty}`)
    await heading(page, en('statistics.title'))
    await page.getByText(en('statistics.empty.title')).waitFor()
    expect(await figure(en('statistics.clicks')).count()).toBe(0)
  })
})
