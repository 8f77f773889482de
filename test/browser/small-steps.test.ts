import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { eventually } from '../harness/eventually.ts'
import { CHROMIUM } from './chromium.ts'
import { type Dashboard, startDashboard, type Visitor } from './harness.ts'
import { ask, claim } from './people.ts'
import { AGENT } from './seed.ts'
import { en, type Word } from './words.ts'

describe.skipIf(CHROMIUM === null)('small steps of every day (needs Chromium)', () => {
  let dashboard: Dashboard
  let visitor: Visitor
  let workspace: string

  beforeAll(async () => {
    dashboard = await startDashboard()
    visitor = await dashboard.open()
    workspace = await claim(dashboard, visitor.context)
    const slugs = ['alpha', 'beta', ...Array.from({ length: 60 }, (_, i) => `many-${i}`)]
    await api('POST', '/links/bulk', {
      operations: slugs.map((slug) => ({
        op: 'create',
        link: { destination_url: `https://example.com/${slug}`, slug },
      })),
    })
  }, 300_000)
  afterAll(async () => {
    await visitor?.close()
    await dashboard?.dispose()
  })

  interface Link {
    id: string
    slug: string
    tags: string[]
    expires_at: string | null
    folder_id: string | null
  }
  const api = async <T = Link>(method: string, path: string, body?: object): Promise<T> =>
    (await ask<T>(dashboard, visitor.context, method, path, { workspace, ...(body && { body }) }))
      .body
  const button = (name: Word) => visitor.page.getByRole('button', { name: en(name), exact: true })
  const dialog = () => visitor.page.getByRole('dialog')
  const links = async () => (await api<{ data: Link[] }>('GET', '/links?limit=100')).data
  const linkOf = async (slug: string) => {
    const link = (await links()).find((one) => one.slug === slug)
    if (link === undefined) throw new Error(`no link ${slug}`)
    return link
  }

  test('a typed tag is kept when the next press is elsewhere', async () => {
    const { page } = visitor
    await page.goto('/app/links?create=true')
    await page.getByLabel(en('links.field.destination'), { exact: true }).fill('example.com/tagged')
    await page.getByLabel(en('links.field.slug'), { exact: true }).fill('tagged')
    const tags = page.getByRole('combobox', { name: en('links.field.tags'), exact: true })
    await tags.fill('news')
    await page.getByRole('option').first().waitFor()
    // Hidden to assistive technology while the list is open, but there to be pressed.
    const create = { name: en('links.create'), exact: true, includeHidden: true }
    await page.locator('[role=dialog]').getByRole('button', create).click()
    await dialog().waitFor({ state: 'detached' })
    expect((await linkOf('tagged')).tags).toEqual(['news'])
  }, 60_000)

  test('a half typed date isn’t sent as none', async () => {
    const { page } = visitor
    await page.goto('/app/links?create=true')
    await page.getByLabel(en('links.field.destination'), { exact: true }).fill('example.com/ends')
    await page.getByLabel(en('links.field.slug'), { exact: true }).fill('ends')
    const section = page.locator('summary').filter({ hasText: en('links.section.schedule') })
    await section.click()
    const ends = page.getByLabel(en('links.field.expiresAt'), { exact: true })
    await ends.pressSequentially('0503')
    await section.click()
    await dialog()
      .getByRole('button', { name: en('links.create'), exact: true })
      .click()
    await page.waitForFunction(
      `document.activeElement?.type === 'datetime-local' && document.activeElement.checkVisibility()`,
    )
    expect(await ends.evaluate((field) => Reflect.get(field, 'validationMessage'))).toBe(
      en('common.invalid.incomplete'),
    )
    expect((await links()).map(({ slug }) => slug)).not.toContain('ends')
    await ends.fill('2099-05-03T12:00')
    await dialog()
      .getByRole('button', { name: en('links.create'), exact: true })
      .click()
    await dialog().waitFor({ state: 'detached' })
    expect((await linkOf('ends')).expires_at).not.toBeNull()
  }, 60_000)

  test('what is corrected isn’t marked any more, and Ctrl+Enter saves', async () => {
    const { page } = visitor
    await page.goto('/app/links?create=true')
    await page.getByLabel(en('links.field.destination'), { exact: true }).fill('example.com/limit')
    await page.getByLabel(en('links.field.slug'), { exact: true }).fill('limited')
    const open = (title: Word) =>
      page
        .locator('summary')
        .filter({ hasText: en(title) })
        .click()
    await open('links.section.limits')
    const limit = page.getByLabel(en('links.field.maxClicks'), { exact: true })
    await limit.fill('0')
    await limit.press('Control+Enter')
    await page.locator('[aria-invalid=true]').waitFor()
    // Only the bound that the field has: an integer's own is none.
    expect(await dialog().textContent()).not.toContain('9,007')
    await limit.fill('5')
    await page.locator('[aria-invalid=true]').waitFor({ state: 'detached' })
    await open('links.section.details')
    await page.getByLabel(en('links.field.notes'), { exact: true }).press('Control+Enter')
    await dialog().waitFor({ state: 'detached' })
    expect(await linkOf('limited')).toMatchObject({ max_clicks: 5 })
  }, 60_000)

  test('a page without a title or a preview is said to have none', async () => {
    const { page } = visitor
    await page.goto('/app/links?create=true')
    await page
      .getByLabel(en('links.field.destination'), { exact: true })
      .fill('https://nothing.invalid/')
    await button('links.fillIn').first().click()
    await page.getByText(en('links.fillIn.nothing'), { exact: true }).first().waitFor()
  }, 60_000)

  test('a link’s page has the keys of its row', async () => {
    const { page } = visitor
    const { id } = await linkOf('beta')
    await page.goto(`/app/links/${id}`)
    await page.getByRole('heading', { name: /beta/ }).waitFor()
    await page.keyboard.press('t')
    await dialog()
      .getByRole('heading', { name: en('links.bulk.tags') })
      .waitFor()
    await page.keyboard.press('Escape')
    await dialog().waitFor({ state: 'detached' })
    await page.keyboard.press('s')
    await page.waitForURL(/\/statistics/)
  }, 60_000)

  test('an invitation that was made goes on to its link', async () => {
    const { page } = visitor
    await page.goto('/app/members')
    await button('members.invite').click()
    await page.getByLabel(en('members.emails'), { exact: true }).fill('grace@example.com')
    await page.keyboard.press('Enter')
    await button('members.done').waitFor()
    const focused = await page.evaluate<(string | null)[]>(
      '[document.activeElement?.tagName, document.activeElement?.ariaLabel]',
    )
    expect(focused[0]).toBe('BUTTON')
    expect(focused[1]).not.toBe(en('common.close'))
  }, 60_000)

  test('Enter in the search goes on to the found links', async () => {
    const { page } = visitor
    await page.goto('/app/links')
    await page.locator('[data-row]').nth(1).waitFor()
    await page.keyboard.press('/')
    await page.keyboard.type('beta')
    await page.locator('[data-row]').nth(1).waitFor({ state: 'detached' })
    await page.keyboard.press('Enter')
    await page.keyboard.press('x')
    await button('links.bulk.clear').waitFor()
  }, 60_000)

  test('a new folder is offered under the name that was searched for, and its links are counted', async () => {
    const { page } = visitor
    await page.goto('/app/links?q=many')
    await page.locator('[data-row]').first().waitFor()
    await page.getByRole('checkbox', { name: en('links.selectAll') }).check()
    await page.getByRole('button', { name: /60/ }).click()
    await button('links.field.folder').click()
    await page.getByRole('searchbox', { name: en('folders.search') }).fill('Campaigns')
    await button('folders.create').click()
    const name = page.getByLabel(en('tags.name'), { exact: true })
    expect(await name.inputValue()).toBe('Campaigns')
    await name.press('Enter')
    await page
      .getByRole('alertdialog')
      .getByRole('button', { name: /Campaigns/ })
      .click()
    await page.getByRole('link', { name: /^Campaigns 60/ }).waitFor()
    // By Enter it is chosen again.
    await page.goto('/app/links?q=alpha')
    await page.locator('[data-row]').first().waitFor()
    await page.keyboard.press('j')
    await page.keyboard.press('m')
    const search = page.getByRole('searchbox', { name: en('folders.search') })
    await search.fill('Camp')
    await dialog().getByRole('button', { name: 'Campaigns' }).waitFor()
    await search.press('Enter')
    await dialog().waitFor({ state: 'detached' })
    expect((await linkOf('alpha')).folder_id).not.toBeNull()
  }, 60_000)

  test('keys act on the selected links, not only on the current one', async () => {
    const { page } = visitor
    await page.goto('/app/links?q=many')
    await page.locator('[data-row]').first().waitFor()
    for (const key of ['j', 'x', 'j', 'x']) await page.keyboard.press(key)
    await button('links.bulk.clear').waitFor()
    await page.keyboard.press('t')
    await page.getByLabel(en('links.bulk.addTags'), { exact: true }).waitFor()
    await page.keyboard.type('chosen')
    await page.getByRole('option').first().waitFor()
    await page.keyboard.press('Enter')
    const changed = page.waitForResponse((answer) => answer.url().endsWith('/links/bulk'))
    await page.getByRole('button', { name: /Update 2/ }).click()
    await changed
    const tagged = await api<{ data: Link[] }>('GET', '/links?tag=chosen&limit=10')
    expect(tagged.data.length).toBe(2)
  }, 60_000)

  test('a new condition of a rule goes on to its value, and letters never choose unseen', async () => {
    const { page } = visitor
    await page.goto('/app/links?create=true')
    await page
      .locator('summary')
      .filter({ hasText: en('links.field.rules') })
      .click()
    await button('rules.add').click()
    const add = dialog().getByRole('combobox', { name: en('rules.addCondition'), exact: true })
    await add.click()
    await page.getByRole('option', { name: en('statistics.dimension.country') }).click()
    const search = page.getByRole('combobox', { name: en('common.search'), exact: true })
    await search.waitFor()
    await page.keyboard.type('Germ')
    await page.getByRole('option', { name: 'Germany' }).waitFor()
    await page.keyboard.press('Enter')
    await dialog().getByText('Germany', { exact: true }).waitFor()
    // A letter opens the list with it, instead of choosing.
    await add.focus()
    await page.keyboard.press('r')
    await search.waitFor()
    expect(await search.inputValue()).toBe('r')
    await page.keyboard.press('Escape')
    expect(await dialog().locator('[data-condition]').count()).toBe(1)
  }, 60_000)

  test('a domain that was typed as a URL is added', async () => {
    const { page } = visitor
    await page.goto('/app/domains')
    await button('domains.add').first().click()
    await page
      .getByLabel(en('domains.host'), { exact: true })
      .pressSequentially('https://Go.example.org/')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'go.example.org' }).waitFor()
  }, 60_000)

  test('the lists of a report, and a day of its chart, are chosen in the URL', async () => {
    const { page } = visitor
    for (const language of ['de', 'fr', 'fr']) {
      const headers = { 'user-agent': AGENT, 'accept-language': language }
      await fetch(`${dashboard.slugline.url}/beta`, { redirect: 'manual', headers })
    }
    await eventually('the clicks are counted', async () => {
      const { totals } = await api<{ totals: { clicks: number } }>('GET', '/stats')
      return totals.clicks === 3 || undefined
    })
    const named = (value: string) =>
      page.getByRole('button', { name: en('statistics.filter.by', { value }), exact: true })
    const filters = () => new URL(page.url()).searchParams.getAll('filter')
    await page.goto('/app/statistics?filter=language:de&filter=language:fr')
    await page.getByRole('tab', { name: en('statistics.dimension.language') }).click()
    await page.waitForURL(/lists=language/)
    await page.reload()
    await named('French').waitFor()
    await named('French').click()
    await named('German').waitFor({ state: 'detached' })
    expect(filters()).toEqual(['language:fr'])
    // The last day of the chart.
    const plot = page.locator('[data-plot]')
    const box = await plot.boundingBox()
    if (box === null) throw new Error('no plot')
    await plot.click({ position: { x: box.width - 2, y: box.height / 2 } })
    await page.waitForURL(/range=custom/)
    const { searchParams } = new URL(page.url())
    expect(searchParams.get('from')).toBe(searchParams.get('to'))
    // A half typed year isn't asked for.
    const first = searchParams.get('from')
    const from = page.getByLabel(en('statistics.from'), { exact: true })
    await from.fill('0202-01-01')
    expect(new URL(page.url()).searchParams.get('from')).toBe(first)
    await from.fill('2026-01-01')
    await page.waitForURL(/from=2026-01-01/)
  }, 60_000)
})
