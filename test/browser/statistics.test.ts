import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Locator, Page } from 'playwright-core'
import { eventually } from '../harness/eventually.ts'
import { violations } from './axe.ts'
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
      type Answer = { totals: { clicks: number } }
      const { body } = await ask<Answer>(dashboard, owner.context, 'GET', '/stats', { workspace })
      return body.totals?.clicks === 2 ? true : undefined
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

  const plot = () => page.locator('figure [data-plot]')
  const plotBox = async () => {
    await plot().waitFor()
    const box = await plot().boundingBox()
    if (box === null) throw new Error('There is no chart')
    return box
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
    await page.getByTestId('recent-visitors').filter({ hasText: /\d/ }).waitFor()
    expect(await rows(page.locator('main header :is(a, button)'))).toBe(1)
    const ofExport = await button('statistics.export').boundingBox()
    const ofTitle = await page.getByRole('heading', { level: 1 }).boundingBox()
    expect(Math.abs((ofExport?.y ?? 0) - (ofTitle?.y ?? 99))).toBeLessThan(8)
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
      // The list stays open for more tags.
      if (group === 'tag') for (const _ of ['list', 'popover']) await page.keyboard.press('Escape')
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
    const folder = page.getByRole('main').getByRole('listitem').filter({ hasText: 'Posters' })
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

  test('tags and folders are lists, and filter the report', async () => {
    await page.goto('/app/statistics')
    const list = (group: 'tag' | 'folder') =>
      page.getByRole('tab', { name: en(`statistics.dimension.${group}`), exact: true }).click()
    const by = (value: string) =>
      page.getByRole('button', { name: en('statistics.filter.by', { value }), exact: true })
    await list('folder')
    await by('Posters').click()
    const folder = en('statistics.filter.remove', { filter: 'Folder: Posters' })
    await page.getByRole('button', { name: folder, exact: true }).waitFor()
    await list('tag')
    // A link has several tags; a tag can't be excluded.
    const without = en('statistics.filter.without', { value: 'summer' })
    expect(await page.getByRole('button', { name: without, exact: true }).count()).toBe(0)
    await by('summer').click()
    await page.waitForURL((url) => url.search.includes('tag'))
    expect(await violations(page)).toEqual([])
  })

  describe('saved filters', () => {
    const menu = (name: string) => page.getByRole('button', { name, exact: true })
    const saved = async () => {
      type Saved = { data: { name: string; report: object | null }[] }
      const { body } = await ask<Saved>(dashboard, owner.context, 'GET', '/views', { workspace })
      return body.data.map(({ name, report }) => ({ name, report }))
    }
    const fromMenu = async (name: string, item: Parameters<typeof en>[0]) => {
      await menu(en('links.views.actions', { name })).click()
      await page.getByRole('menuitem', { name: en(item) }).click()
    }

    test('come back by their name, with the period that is shown', async () => {
      const body = { name: 'Of links', filter: { tag: ['summer'] } }
      await ask(dashboard, owner.context, 'POST', '/views', { workspace, body })
      const query = 'range=7d&filter=tag:summer&filter=not_browser:Firefox&bots=include'
      await page.goto(`/app/statistics?${query}`)
      await menu(en('statistics.saved')).click()
      await page.getByRole('dialog').getByText(en('statistics.saved.none')).waitFor()
      await button('statistics.saved.save').click()
      const name = page.getByLabel(en('links.views.name'), { exact: true })
      await name.fill('Summer')
      await name.press('Enter')
      await name.waitFor({ state: 'detached' })
      const filters = { tag: ['summer'], not_browser: ['Firefox'] }
      const report = { filters, bots: 'include' }
      expect(await saved()).toEqual([
        { name: 'Of links', report: null },
        { name: 'Summer', report },
      ])
      await page.goto('/app/statistics?range=today')
      await menu(en('statistics.saved')).click()
      await menu('Summer').click()
      await menu(`${en('statistics.saved')}: Summer`).waitFor()
      expect(parameter('range')).toBe('today')
      expect([parameter('bots'), page.url()]).toEqual([
        'include',
        expect.stringContaining('summer'),
      ])
    })

    test('are no views of the list of links, and are found in the palette', async () => {
      await page.goto('/app/links')
      await heading(page, en('shell.links'))
      const places = page.getByRole('list', { name: en('links.views') })
      await places.getByRole('link', { name: 'Of links' }).waitFor()
      expect(await places.getByRole('link').count()).toBe(1)
      await menu(en('links.views')).click()
      await menu('Of links').waitFor()
      expect(await menu('Summer').count()).toBe(0)
      await page.keyboard.press('Escape')
      await page.keyboard.press('Control+k')
      await page.getByRole('combobox', { name: en('shell.palette') }).fill('summ')
      const found = page.getByRole('group', { name: en('statistics.saved') })
      await found.getByRole('option', { name: 'Summer', exact: true }).click()
      await menu(`${en('statistics.saved')}: Summer`).waitFor()
    })

    test('are renamed, replaced, deleted and restored', async () => {
      await page.goto('/app/statistics?filter=country:DE')
      await menu(en('statistics.saved')).click()
      await fromMenu('Summer', 'statistics.saved.overwrite')
      await button('common.undo').waitFor()
      const report = { filters: { country: ['DE'] }, bots: 'exclude' }
      expect((await saved()).at(-1)).toEqual({ name: 'Summer', report })
      await fromMenu('Summer', 'links.views.edit')
      const name = page.getByLabel(en('links.views.name'), { exact: true })
      await name.fill('Germany')
      await name.press('Enter')
      await name.waitFor({ state: 'detached' })
      await menu(`${en('statistics.saved')}: Germany`).click()
      expect(await violations(page)).toEqual([])
      await fromMenu('Germany', 'statistics.saved.delete')
      await menu(en('statistics.saved')).waitFor()
      expect(await saved()).toEqual([{ name: 'Of links', report: null }])
      const deleted = page.getByRole('dialog').filter({ hasText: 'Germany' })
      await deleted.getByRole('button', { name: en('common.undo') }).click()
      await menu(`${en('statistics.saved')}: Germany`).waitFor()
      expect((await saved()).find((one) => one.name === 'Germany')?.report).toEqual(report)
    })
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
    // Both weeks of a point are named, also after a touch.
    const tip = page.locator('figure > div')
    const box = await plotBox()
    await page.mouse.move(box.x + box.width * 0.5, box.y + 20)
    await tip.waitFor()
    const weeks = /\d+ (?:\w+ )?(?:20\d\d )?– \d+ \w+ 20\d\d/g
    expect(((await tip.innerText()).match(weeks) ?? []).length).toBe(2)
    await page.mouse.move(0, 0)
    await tip.waitFor({ state: 'detached' })
    const pointer = { pointerType: 'touch', clientX: box.x + 90, clientY: box.y + 20 }
    for (const type of ['pointerdown', 'pointerup', 'pointerout', 'pointerleave']) {
      await plot().dispatchEvent(type, pointer)
    }
    await tip.waitFor()
    await choose(en('statistics.compare'), en('statistics.compare.custom'))
    await page.getByLabel(en('statistics.compare.from')).fill('2020-01-01')
    await page.waitForURL(/against=2020-01-01/)
    await choose(en('statistics.compare'), en('statistics.compare.none'))
    await page.waitForURL(/compare=none/)
    expect(await page.getByText(en('statistics.chart.compared')).count()).toBe(0)
    await choose(en('statistics.range'), en('statistics.range.all'))
    await page.waitForURL(/range=all/)
    await figure(en('statistics.clicks')).filter({ hasText: '2' }).waitFor()
  })

  test('dragging over the chart selects a period', async () => {
    await page.goto('/app/statistics?range=90d')
    const box = await plotBox()
    const y = box.y + box.height / 2
    await page.mouse.move(box.x + box.width * 0.25, y)
    await page.mouse.down()
    await page.mouse.move(box.x + box.width * 0.5, y, { steps: 5 })
    await page.mouse.up()
    await page.waitForURL(/range=custom/)
    const days = (Date.parse(parameter('to') ?? '') - Date.parse(parameter('from') ?? '')) / 864e5
    expect(days).toBeGreaterThan(15)
    expect(days).toBeLessThan(30)
    // The pointer may leave the chart.
    await page.goto('/app/statistics?range=90d')
    const { x, width } = await plotBox()
    await page.mouse.move(x + width * 0.5, y)
    await page.mouse.down()
    await page.mouse.move(x + width + 40, y, { steps: 5 })
    await page.mouse.up()
    await page.waitForURL(/range=custom/)
  })

  test('a page opened on paper has its chart', async () => {
    await page.emulateMedia({ media: 'print' })
    await page.goto('/app/statistics?range=90d')
    expect((await plotBox()).height).toBeGreaterThan(80)
    await page.emulateMedia({ media: null })
  })

  test('numbers fill the width, and values have shares and icons', async () => {
    await page.goto('/app/statistics?range=7d&view=table')
    const names = ['clicks', 'people', 'bots', 'scans'] as const
    const tiles = names.map((name) => figure(en(`statistics.${name}`).replace(/ .*/, '')))
    await tiles[0]?.waitFor()
    await page.getByTestId('recent-visitors').filter({ hasText: /\d/ }).waitFor()
    const boxes = await Promise.all(tiles.map((tile) => tile.boundingBox()))
    expect(new Set(boxes.map((box) => box?.y)).size).toBe(1)
    const content = await page.locator('main fieldset').first().boundingBox()
    const [first, last] = [boxes[0], boxes[3]]
    expect(first?.x).toBe(content?.x)
    expect((last?.x ?? 0) + (last?.width ?? 0)).toBeCloseTo(
      (content?.x ?? 0) + (content?.width ?? 0),
    )
    const rows = page.locator('main table tbody tr')
    // The newest first; the day isn't over.
    await rows.first().getByText(en('statistics.chart.open')).waitFor()
    expect(await rows.count()).toBe(7)
    const source = page.getByRole('listitem').filter({ hasText: 'news.example.com' })
    await source.locator('svg').first().waitFor()
    await source.getByText('50.0%').waitFor()
    await page.getByRole('tab', { name: en('statistics.dimension.browser') }).click()
    const browser = page.getByRole('listitem').filter({ hasText: 'Chrome' })
    await browser.locator('svg path').first().waitFor()
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

  // Adds a click, which would change the numbers of others.
  test('a filter has several values, which its chip names', async () => {
    const agent = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0'
    await fetch(`${dashboard.slugline.url}/summer`, {
      redirect: 'manual',
      headers: { 'user-agent': agent },
    })
    await eventually('the click is stored', async () => {
      type Answer = { totals: { clicks: number } }
      const { body } = await ask<Answer>(dashboard, owner.context, 'GET', '/stats', { workspace })
      return body.totals.clicks === 3 ? true : undefined
    })
    await page.goto(`/app/statistics?w=${workspace}`)
    await page.getByRole('button', { name: en('statistics.filter.add'), exact: true }).click()
    await choose(en('statistics.filters'), en('statistics.dimension.browser'))
    await page.getByRole('combobox', { name: en('statistics.dimension.browser') }).click()
    // By keyboard: the first value is highlighted, and the list stays open.
    const search = page.getByRole('combobox', { name: en('common.search') })
    await search.pressSequentially('chro')
    await page
      .getByRole('option', { name: 'Chrome' })
      .and(page.locator('[data-highlighted]'))
      .waitFor()
    await page.keyboard.press('Enter')
    await page.waitForURL((url) => decodeURIComponent(url.search).includes('browser:Chrome'))
    const option = (name: string) => page.getByRole('option', { name })
    await search.fill('')
    // The other values are still there.
    await option('Firefox').click()
    await page.waitForURL((url) => decodeURIComponent(url.search).includes('browser:Firefox'))
    expect(await violations(page)).toEqual([])
    const clicks = (count: number) =>
      figure(en('statistics.clicks'))
        .filter({ hasText: `${count}` })
        .waitFor()
    await clicks(3)
    await page.keyboard.press('Escape')
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await page.reload()
    const chips = page.getByRole('list', { name: en('statistics.filters') }).getByRole('listitem')
    await chips.getByText('Browser: Chrome or Firefox').waitFor()
    expect(await chips.count()).toBe(1)
    // Chosen once more, a value is no longer part of it.
    await page.getByRole('button', { name: en('statistics.filter.add'), exact: true }).click()
    await choose(en('statistics.filters'), en('statistics.dimension.browser'))
    await page.getByRole('combobox', { name: en('statistics.dimension.browser') }).click()
    expect(await option('Firefox').getAttribute('aria-selected')).toBe('true')
    await option('Chrome').click()
    await clicks(1)
    await chips.getByText('Browser: Firefox', { exact: true }).waitFor()
    await page.keyboard.press('Escape')
    await page.keyboard.press('Escape')
    await chips.getByRole('button').click()
    await clicks(3)
    // A part of the value, in any case.
    await page.getByRole('button', { name: en('statistics.filter.add'), exact: true }).click()
    await choose(en('statistics.filters'), en('statistics.dimension.browser'))
    await page.getByText(en('statistics.filter.part'), { exact: true }).click()
    await page
      .getByRole('textbox', { name: en('statistics.dimension.browser') })
      .pressSequentially('FOX')
    await page.getByRole('button', { name: en('statistics.filter.apply') }).click()
    await page.waitForURL((url) => decodeURIComponent(url.search).includes('contains_browser:FOX'))
    expect(await violations(page)).toEqual([])
    await clicks(1)
    await page.keyboard.press('Escape')
    await chips.getByText('Browser contains FOX', { exact: true }).waitFor()
    await chips.getByRole('button').click()
    await clicks(3)
  })
})
