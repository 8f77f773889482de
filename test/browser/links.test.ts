import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Locator, Page } from 'playwright-core'
import { eventually } from '../harness/eventually.ts'
import { CHROMIUM } from './chromium.ts'
import { type Dashboard, startDashboard, type Visitor } from './harness.ts'
import { ask, claim, heading } from './people.ts'
import { AGENT } from './seed.ts'
import { en } from './words.ts'

type Box = NonNullable<Awaited<ReturnType<Locator['boundingBox']>>>

const TARGET = 'https://example.com/'

describe.skipIf(CHROMIUM === null)('the list of links (needs Chromium)', () => {
  let dashboard: Dashboard
  let owner: Visitor
  let page: Page
  let workspace: string

  beforeAll(async () => {
    dashboard = await startDashboard()
    owner = await dashboard.open()
    page = owner.page
    workspace = await claim(dashboard, owner.context)
    const body = { destination_url: TARGET, slug: 'first' }
    await ask(dashboard, owner.context, 'POST', '/links', { body, workspace })
    // Also builds the dashboard, on a machine that may be busy.
  }, 300_000)
  afterAll(async () => await dashboard?.dispose())

  const button = (word: Parameters<typeof en>[0], within: Page | Locator = page) =>
    within.getByRole('button', { name: en(word), exact: true })
  const drawer = () => page.getByRole('dialog').filter({ has: page.locator('form#create-link') })
  const destination = () => drawer().getByLabel(en('links.field.destination'), { exact: true })

  async function openList() {
    await page.goto('/app/links')
    await page.locator('[data-row]').first().waitFor()
  }

  test('no toast covers the buttons of the drawer', async () => {
    for (const size of [
      { width: 1280, height: 900 },
      { width: 390, height: 844 },
    ]) {
      await page.setViewportSize(size)
      await openList()
      await page.keyboard.press('c')
      await destination().fill(`${TARGET}${size.width}`)
      await button('links.create', drawer()).click()
      await drawer().waitFor({ state: 'detached' })
      const toast = page.getByRole('button', { name: en('links.copy'), exact: true }).first()
      await toast.waitFor()
      await page.keyboard.press('c')
      await drawer().waitFor()
      await owner.settled()
      for (const word of ['common.cancel', 'links.create'] as const) {
        // A click that would hit another element fails.
        await button(word, drawer()).click({ trial: true, timeout: 5_000 })
      }
      await button('common.cancel', drawer()).click()
    }
    await page.setViewportSize({ width: 1280, height: 900 })
  })

  test('the preview is beside the form if there is room, else in it', async () => {
    await openList()
    await page.keyboard.press('c')
    const title = drawer().getByLabel(en('links.field.social.title'))
    await drawer().getByText(en('links.section.social'), { exact: true }).click()
    await title.fill('Shown by services')
    const slack = drawer().getByRole('figure').filter({ hasText: 'Slack', visible: true })
    const code = drawer().getByText(en('links.preview'), { exact: true })
    const boxes = () => Promise.all([title, slack, code].map((each) => each.boundingBox()))
    const [field, service, link] = (await boxes()) as [Box, Box, Box]
    expect(Math.min(service.x, link.x)).toBeGreaterThan(field.x + field.width)
    await page.setViewportSize({ width: 390, height: 844 })
    const [below, above, last] = (await boxes()) as [Box, Box, Box]
    expect(last.y).toBeGreaterThan(above.y)
    expect(above.y).toBeGreaterThan(below.y + below.height)
    expect(await slack.count()).toBe(1)
    await page.setViewportSize({ width: 1280, height: 900 })
    await button('common.cancel', drawer()).click()
  })

  test('the table has the place of its skeleton', async () => {
    await page.setViewportSize({ width: 1280, height: 900 })
    await openList()
    const held = Promise.withResolvers<void>()
    const requested: string[] = []
    await page.route('**/app/api/v1/links?*', async (route) => {
      requested.push(new URL(route.request().url()).search)
      await held.promise
      await route.continue()
    })
    await page.goto('/app/links')
    const cells = (row: string) =>
      page
        .locator(`main table ${row}`)
        .evaluateAll((found) => found.map((cell) => Math.round(cell.getBoundingClientRect().left)))
    await page.locator('main table[aria-hidden]').waitFor()
    const before = await cells('tbody tr:nth-child(2) > td')
    held.resolve()
    await page.locator('[data-row]').first().waitFor()
    await page.unroute('**/app/api/v1/links?*')
    expect(await cells('tbody tr:first-child > td')).toEqual(before)
    // What the page preloads is what its program would request.
    expect(requested.filter((search) => !search.includes('cursor'))).toHaveLength(1)
  })

  test('a half-filled link is kept after Escape, and discarded after Cancel', async () => {
    await openList()
    await page.keyboard.press('c')
    await destination().fill('https://example.com/half')
    await page.keyboard.press('Escape')
    await drawer().waitFor({ state: 'detached' })
    await page.keyboard.press('c')
    expect(await destination().inputValue()).toBe('https://example.com/half')
    await button('common.cancel', drawer()).click()
    await drawer().waitFor({ state: 'detached' })
    await page.keyboard.press('c')
    expect(await destination().inputValue()).toBe('')
    await button('common.cancel', drawer()).click()
  })

  test('changes of a link are kept after Escape, and discarded after Cancel', async () => {
    await openList()
    const form = page.getByRole('dialog').filter({ has: page.locator('form#edit-link') })
    const target = form.getByLabel(en('links.field.destination'), { exact: true })
    const edit = async () => {
      await form.waitFor({ state: 'detached' })
      await page.locator('[data-row-link]').last().focus()
      await page.keyboard.press('e')
      return await target.inputValue()
    }
    expect(await edit()).toBe(TARGET)
    await target.fill('https://example.com/half')
    await page.keyboard.press('Escape')
    expect(await edit()).toBe('https://example.com/half')
    await button('common.cancel', form).click()
    expect(await edit()).toBe(TARGET)
    await page.keyboard.press('Escape')
  })

  test('a form begins with what most links have, and marks the sections that are in use', async () => {
    await openList()
    await page.keyboard.press('c')
    const slug = drawer().getByLabel(en('links.field.slug'), { exact: true })
    // The server generates it, by the settings that apply.
    const settings = { slug_prefix: 'go-', slug_length: 9 }
    await ask(dashboard, owner.context, 'PATCH', '/workspace', { workspace, body: settings })
    await button('links.randomSlug', drawer()).click()
    const drawn = (pattern: RegExp) =>
      eventually('a random slug', async () => pattern.test(await slug.inputValue()) || undefined)
    await drawn(/^go-[a-z2-9]{9}$/)
    await slug.fill('')
    await drawer().getByText(en('links.section.details'), { exact: true }).click()
    await drawer()
      .getByRole('combobox', { name: en('domains.slugStyle') })
      .click()
    await page.getByRole('option', { name: en('domains.slugStyle.words') }).click()
    await button('links.randomSlug', drawer()).click()
    await drawn(/^go-[a-z]+-[a-z]+-\d+$/)
    const none = { slug_prefix: null, slug_length: null }
    await ask(dashboard, owner.context, 'PATCH', '/workspace', { workspace, body: none })
    // UTM parameters are one of the closed sections.
    await destination().fill(TARGET)
    const campaign = drawer().getByLabel(en('links.field.utm.campaign'), { exact: true })
    expect(await campaign.isVisible()).toBe(false)
    await drawer().getByText(en('links.section.utm'), { exact: true }).click()
    await campaign.fill('spring')
    expect(await destination().inputValue()).toBe(`${TARGET}?utm_campaign=spring`)
    const fields = [
      destination(),
      slug,
      ...(['links.field.title', 'links.field.folder', 'links.field.tags'] as const).map((word) =>
        drawer().getByLabel(en(word), { exact: true }),
      ),
      campaign,
    ]
    const tops = await Promise.all(fields.map(async (one) => (await one.boundingBox())?.y ?? 0))
    expect(tops).toEqual(tops.toSorted((a, b) => a - b))
    const limits = drawer()
      .locator('summary')
      .filter({ hasText: en('links.section.limits') })
    const mark = limits.getByText(en('links.section.set'), { exact: true })
    expect(await mark.count()).toBe(0)
    await limits.click()
    await drawer().getByLabel(en('links.field.maxClicks'), { exact: true }).fill('5')
    await mark.waitFor({ state: 'attached' })
    await button('common.cancel', drawer()).click()
  })

  test('a pressed checkbox leaves the keys to the page', async () => {
    await openList()
    await page.locator('[data-row] input[type=checkbox]').first().click()
    await page
      .getByRole('region')
      .filter({ has: button('links.bulk.clear') })
      .waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('searchbox').waitFor()
    await page.locator('[data-row] input[type=checkbox]').first().click()
    await page.keyboard.press('c')
    await button('common.cancel', drawer()).click()
  })

  test('a row is copied at any time, duplicated, and shows its QR code', async () => {
    await openList()
    const row = page.locator('[data-row]').last()
    // On a single host only the slug is shown.
    expect(await row.locator('[data-row-link]').innerText()).toBe('first')
    await page.mouse.move(0, 0)
    const copy = button('links.copyAddress', row)
    expect(await copy.evaluate((one) => one.checkVisibility({ checkOpacity: true }))).toBe(true)
    const open = async (item: Parameters<typeof en>[0]) => {
      await row.getByRole('button', { name: en('links.actionsFor', { name: '' }) }).click()
      await page.getByRole('menuitem', { name: en(item), exact: true }).click()
    }
    await open('links.duplicate')
    expect(await destination().inputValue()).toBe(TARGET)
    await button('common.cancel', drawer()).click()
    await drawer().waitFor({ state: 'detached' })
    await open('links.qr.title')
    await page.getByRole('dialog', { name: en('links.qr.title') }).waitFor()
    await page.keyboard.press('Escape')
  })

  const paste = (text: string) =>
    page.evaluate(`(() => {
      const data = new DataTransfer()
      data.setData('text/plain', ${JSON.stringify(text)})
      document.dispatchEvent(new ClipboardEvent('paste', { clipboardData: data, bubbles: true }))
    })()`)

  test('a URL pasted on the page becomes a link', async () => {
    await openList()
    await owner.context.grantPermissions(['clipboard-read', 'clipboard-write'])
    await paste('https://example.com/pasted')
    const row = page.locator('[data-row]').filter({ hasText: 'example.com/pasted' })
    await row.waitFor()
    const slug = await row.locator('[data-row-link]').innerText()
    const copied = `${dashboard.url}/${slug}`
    const name = copied.replace(/^\w+:\/\//, '')
    await page.getByText(en('links.createdAndCopied', { name })).first().waitFor()
    expect(await page.evaluate<string>('navigator.clipboard.readText()')).toBe(copied)
    await button('common.undo').click()
    await row.waitFor({ state: 'detached' })
  })

  test('a URL can be pasted on the empty page, into its field or beside it', async () => {
    const body = { name: 'Empty' }
    const made = await ask<{ id: string }>(dashboard, owner.context, 'POST', '/workspaces', {
      body,
    })
    await page.goto(`/app/links?w=${made.body.id}`)
    const field = page.getByLabel(en('links.field.destination'), { exact: true })
    await field.fill('example.com/typed')
    await field.press('Enter')
    const rows = page.locator('[data-row]')
    await rows.filter({ hasText: 'example.com/typed' }).waitFor()
    await button('common.undo').click()
    await rows.waitFor({ state: 'detached' })
    await paste('https://example.com/first')
    await rows.filter({ hasText: 'example.com/first' }).waitFor()
    // The checklist's key makes its command work, and a click is noticed.
    const { body: list } = await ask<{ data: { short_url: string }[] }>(
      ...([dashboard, owner.context, 'GET', '/links', { workspace: made.body.id }] as const),
    )
    const steps = page.locator('main ol').first().locator('> li')
    const done = (at: number) =>
      steps.nth(at).getByText(en('links.first.done'), { exact: true }).waitFor()
    await done(0)
    await fetch(list.data[0]?.short_url ?? '', {
      redirect: 'manual',
      headers: { 'user-agent': AGENT },
    })
    await done(1)
    await button('links.first.makeKey').click()
    const command = await page.locator('main pre').innerText()
    const answer = await Bun.$`sh -c ${command}`.quiet().json()
    expect(answer).toMatchObject({ destination_url: TARGET })
    await done(2)
    await page.goto(`/app/links?w=${workspace}`)
    await rows.first().waitFor()
  })

  test('a truncated URL fills its place, at any width', async () => {
    const path = 'campaigns/spring/landing-page/with-a-name-that-is-long/and-longer/until-it-ends'
    const long = { destination_url: `${TARGET}${path}`, slug: 'long' }
    await ask(dashboard, owner.context, 'POST', '/links', { body: long, workspace })
    for (const width of [1040, 1130, 1280, 1440]) {
      await page.setViewportSize({ width, height: 900 })
      await openList()
      await owner.settled()
      const place = page
        .locator('[data-row]')
        .filter({ hasText: 'long' })
        .locator('[title*=campaigns]')
      const room = await place.evaluate((element) => {
        const text = element.firstElementChild?.getBoundingClientRect().width ?? 0
        return element.getBoundingClientRect().width - text
      })
      // Less than two letters.
      expect(room).toBeGreaterThanOrEqual(0)
      expect(room).toBeLessThan(18)
    }
    await page.setViewportSize({ width: 1280, height: 900 })
  })

  test('a refused pasted URL is shown in the form, with the reason', async () => {
    await openList()
    await paste(`${dashboard.url}/itself`)
    await drawer().waitFor()
    expect(await destination().inputValue()).toBe(`${dashboard.url}/itself`)
    await button('common.cancel', drawer()).click()
  })

  test('the search has one button that clears it', async () => {
    await openList()
    const search = page.getByRole('searchbox')
    await search.fill('example.com')
    // Neither slug nor title has it, so the match is marked.
    await page.locator('[data-row] mark').filter({ hasText: 'example.com' }).first().waitFor()
    await search.fill('first')
    // Browsers add one of their own to `type=search`.
    expect(await search.getAttribute('type')).not.toBe('search')
    await button('links.clearSearch').click()
    expect(await search.inputValue()).toBe('')
  })

  describe('saved views', () => {
    const views = (name: string) => page.getByRole('button', { name, exact: true })
    const row = (slug: string) => page.locator('[data-row]').filter({ hasText: slug })
    const parameters = () => Object.fromEntries(new URL(page.url()).searchParams)
    const saved = async () => {
      type List = { data: { name: string; shared: boolean; sort: string }[] }
      const { body } = await ask<List>(dashboard, owner.context, 'GET', '/views', { workspace })
      return body.data.map(({ name, shared, sort }) => ({ name, shared, sort }))
    }
    const fromMenu = async (name: string, item: Parameters<typeof en>[0]) => {
      await page.getByRole('button', { name: en('links.views.actions', { name }) }).click()
      await page.getByRole('menuitem', { name: en(item) }).click()
    }

    test('filters, sort and columns are restored by name, also from the palette', async () => {
      for (const slug of ['spring-1', 'spring-2']) {
        const body = { destination_url: TARGET, slug, tags: ['spring'] }
        await ask(dashboard, owner.context, 'POST', '/links', { body, workspace })
      }
      await page.goto('/app/links?tag=spring&sort=slug&order=asc')
      await button('links.columns').click()
      await page.getByRole('checkbox', { name: en('links.last30Days'), exact: true }).click()
      await page.keyboard.press('Escape')
      await views(en('links.views')).click()
      await button('links.views.save').click()
      const name = page.getByLabel(en('links.views.name'), { exact: true })
      await name.fill(' ')
      await name.press('Enter')
      await page.locator('[role=dialog] [aria-invalid=true]').waitFor()
      await name.fill('Spring')
      await name.press('Enter')
      await name.waitFor({ state: 'detached' })
      expect(await saved()).toEqual([{ name: 'Spring', shared: false, sort: 'slug' }])

      // Another browser of the same person shows all columns, unless the view hides some.
      await page.evaluate('localStorage.removeItem("slugline.columns.hidden")')
      await page.goto('/app/links')
      await row('first').waitFor()
      const days = page.getByRole('columnheader', { name: en('links.last30Days') })
      await days.waitFor()
      await views(en('links.views')).click()
      await views('Spring').click()
      await row('first').waitFor({ state: 'detached' })
      await days.waitFor({ state: 'detached' })
      expect(parameters()).toMatchObject({ sort: 'slug', order: 'asc' })
      await views(`${en('links.views')}: Spring`).waitFor()

      await page.goto('/app/statistics')
      await heading(page, en('statistics.title'))
      await page.keyboard.press('Control+k')
      await page.getByRole('combobox', { name: en('shell.palette') }).fill('spr')
      await page.getByRole('option', { name: 'Spring', exact: true }).click()
      await page.waitForURL(/links\?.*sort=slug/)
      await row('spring-1').waitFor()
    })

    test('a view is renamed, shared, replaced, deleted and restored', async () => {
      await page.goto('/app/links?sort=clicks')
      await views(en('links.views')).click()
      await fromMenu('Spring', 'links.views.overwrite')
      await button('common.undo').waitFor()
      expect(await saved()).toMatchObject([{ sort: 'clicks' }])
      await fromMenu('Spring', 'links.views.edit')
      await page.getByRole('switch', { name: en('links.views.share') }).click()
      const name = page.getByLabel(en('links.views.name'), { exact: true })
      await name.fill('By clicks')
      await name.press('Enter')
      await name.waitFor({ state: 'detached' })
      expect(await saved()).toEqual([{ name: 'By clicks', shared: true, sort: 'clicks' }])
      await views(`${en('links.views')}: By clicks`).click()
      await fromMenu('By clicks', 'links.views.delete')
      await views(en('links.views')).waitFor()
      expect(await saved()).toEqual([])
      const deleted = page.getByRole('dialog').filter({ hasText: 'By clicks' })
      await button('common.undo', deleted).click()
      await views(`${en('links.views')}: By clicks`).waitFor()
      expect(await saved()).toHaveLength(1)
    })
  })

  test('the time of a row is shown exactly on hover, also below the first screen', async () => {
    const operations = Array.from({ length: 40 }, (_, n) => ({
      op: 'create',
      link: { destination_url: TARGET, slug: `many-${n}` },
    }))
    const body = { operations }
    await ask(dashboard, owner.context, 'POST', '/links/bulk', { body, workspace })
    await page.goto(`/app/links?w=${workspace}&q=many`)
    const time = page.locator('[data-row]').nth(39).locator('time')
    const created = JSON.stringify(await time.getAttribute('datetime'))
    const exact = await page.evaluate<string>(
      `new Intl.DateTimeFormat(navigator.language, { dateStyle: 'full', timeStyle: 'long' })
        .format(new Date(${created}))`,
    )
    // A scrolling page hides tool tips.
    await time.scrollIntoViewIfNeeded()
    await owner.settled()
    // The header stays in view.
    const header = page.getByRole('columnheader').nth(1)
    expect((await header.boundingBox())?.y).toBe(0)
    await page.locator('[data-row] input[type=checkbox]').nth(39).click()
    const bar = page.getByRole('region').filter({ has: button('links.bulk.clear') })
    await bar.waitFor()
    await owner.settled()
    const over = await bar.boundingBox()
    expect((await header.boundingBox())?.y).toBe((over?.y ?? 0) + (over?.height ?? 0))
    await page.keyboard.press('Escape')
    await bar.waitFor({ state: 'detached' })
    await time.hover()
    const tip = page.getByRole('tooltip').filter({ hasText: exact })
    await tip.waitFor()
    // On one line and uncut, also at the edge of the page.
    const { x = 0, width = 0, height } = (await tip.boundingBox()) ?? {}
    expect(height).toBeLessThan(30)
    expect(x + width).toBeLessThanOrEqual((await page.locator('body').boundingBox())?.width ?? 0)
  })
})
