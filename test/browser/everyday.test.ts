import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Locator } from 'playwright-core'
import { violations } from './axe.ts'
import { CHROMIUM } from './chromium.ts'
import { type Dashboard, startDashboard, type Visitor } from './harness.ts'
import { ask, claim, OWNER } from './people.ts'
import { AGENT } from './seed.ts'
import { en, type Word, wordsOf } from './words.ts'

describe.skipIf(CHROMIUM === null)('everyday tasks (needs Chromium)', () => {
  let dashboard: Dashboard
  let visitor: Visitor
  let workspace: string

  beforeAll(async () => {
    dashboard = await startDashboard()
    visitor = await dashboard.open({ viewport: { width: 1440, height: 900 } })
    workspace = await claim(dashboard, visitor.context)
    for (const [slug, tags] of [
      ['one', ['newsletter', 'alpha']],
      ['two', ['newsletter', 'news-old']],
      ['three', ['newsletter']],
    ] as const) {
      await api('POST', '/links', { destination_url: 'https://example.com/', slug, tags })
    }
    // Also builds the dashboard, on a machine that may be busy.
  }, 300_000)
  afterAll(async () => {
    await visitor?.close()
    await dashboard?.dispose()
  })

  const api = async <T = { id: string }>(method: string, path: string, body?: object): Promise<T> =>
    (await ask<T>(dashboard, visitor.context, method, path, { workspace, ...(body && { body }) }))
      .body
  const dialog = () => visitor.page.getByRole('dialog')
  const button = (name: Word) => visitor.page.getByRole('button', { name: en(name), exact: true })

  /** The options of the open list. */
  const options = () => visitor.page.getByRole('option').locator('span[dir=auto]').allInnerTexts()
  /** Waits until the list has an option. */
  const offered = (name: string) =>
    visitor.page.getByRole('option').filter({ hasText: name }).first().waitFor()
  const chosen = (within: Locator, tag: string) =>
    within.getByRole('button', { name: en('links.removeTag', { tag }), exact: true })

  test('the field of tags is a combobox that takes suggestions, the most used first', async () => {
    const { page } = visitor
    await page.goto('/app/links?create=true')
    const tags = dialog().getByRole('combobox', { name: en('links.field.tags'), exact: true })
    await tags.click()
    await offered('newsletter')
    expect(await options()).toEqual(['newsletter', 'alpha', 'news-old'])
    const creation = en('tags.createNamed', { name: 'news' })
    await tags.pressSequentially('news')
    await offered(creation)
    expect(await options()).toEqual(['newsletter', 'news-old', creation])
    expect(await tags.getAttribute('aria-expanded')).toBe('true')
    expect(await page.getByRole('listbox', { name: en('tags.suggestions') }).count()).toBe(1)
    expect(await violations(page)).toEqual([])
    await tags.press('ArrowDown')
    const active = await tags.getAttribute('aria-activedescendant')
    expect(await page.locator(`[id="${active}"]`).innerText()).toContain('news-old')
    await tags.press('Enter')
    await chosen(dialog(), 'news-old').waitFor()
    // Before the suggestions are there, too.
    await tags.pressSequentially('newsl')
    await tags.press('Enter')
    await chosen(dialog(), 'newsletter').waitFor()
    await tags.pressSequentially('brand-new')
    await tags.press('Enter')
    await chosen(dialog(), 'brand-new').waitFor()
    // Escape closes the list and drops the text, not the tags or the dialog.
    await tags.pressSequentially('al')
    await offered('alpha')
    await tags.press('Escape')
    await page.getByRole('listbox').waitFor({ state: 'hidden' })
    expect(await tags.inputValue()).toBe('')
    await tags.pressSequentially('with, comma,')
    await chosen(dialog(), 'comma').waitFor()
    // A text that is left becomes a tag.
    await tags.pressSequentially('left')
    await dialog().getByLabel(en('links.field.destination'), { exact: true }).focus()
    await chosen(dialog(), 'left').waitFor()
    await tags.press('Backspace')
    await chosen(dialog(), 'left').waitFor({ state: 'detached' })
    for (const tag of ['news-old', 'newsletter', 'brand-new', 'with', 'comma']) {
      expect(await chosen(dialog(), tag).count()).toBe(1)
    }
    await tags.press('Escape')
    await dialog().waitFor({ state: 'detached' })
  }, 120_000)

  test('filters and bulk changes have the same field, without new tags where none is meant', async () => {
    const { page } = visitor
    await page.goto('/app/links')
    await button('links.filters').click()
    const filter = page.getByRole('combobox', { name: en('links.field.tags'), exact: true })
    await filter.pressSequentially('news')
    await offered('news-old')
    expect(await options()).toEqual(['newsletter', 'news-old'])
    await filter.press('Enter')
    await page.waitForURL(/tag=newsletter/)
    await page.goto('/app/links')
    const row = page.locator('[data-row]').filter({ hasText: 'two' })
    await row.getByRole('checkbox').check()
    await button('links.field.tags').click()
    const added = page.getByRole('combobox', { name: en('links.bulk.addTags') })
    await added.pressSequentially('new')
    await offered(en('tags.createNamed', { name: 'new' }))
    await added.press('Enter')
    await chosen(page.getByRole('dialog'), 'newsletter').waitFor()
    const removed = page.getByRole('combobox', { name: en('links.bulk.removeTags') })
    await removed.click()
    await offered('news-old')
    expect(await options()).toEqual(['news-old', 'newsletter'])
    await page.keyboard.press('Escape')
    await page.keyboard.press('Escape')
  }, 120_000)

  test('the QR code opens over the list, the page of a link, and from the command menu', async () => {
    const { page } = visitor
    await visitor.context.grantPermissions(['clipboard-read', 'clipboard-write'])
    await page.goto('/app/links')
    const row = page.locator('[data-row]').filter({ hasText: 'two' })
    await row.getByRole('button', { name: en('links.actionsFor', { name: '' }) }).click()
    await page.getByRole('menuitem', { name: en('links.qr.title'), exact: true }).click()
    const code = page.getByRole('dialog', { name: en('links.qr.title'), exact: true })
    await code.waitFor()
    expect(new URL(page.url()).pathname).toBe('/app/links')
    const id = new URL(page.url()).searchParams.get('qr')
    expect(await violations(page)).toEqual([])
    await code.getByRole('button', { name: en('links.qr.copy') }).click()
    await page.getByText(en('links.qr.copied')).waitFor()
    const kinds = 'navigator.clipboard.read().then((items) => items.flatMap(({ types }) => types))'
    expect(await page.evaluate<string[]>(kinds)).toEqual(['image/png'])
    for (const format of ['SVG', 'PNG']) {
      const download = page.waitForEvent('download')
      await code.getByRole('button', { name: en('links.qr.download', { format }) }).click()
      expect((await download).suggestedFilename()).toBe(`two.${format.toLowerCase()}`)
    }
    // The address shows it again; closing it leaves the list.
    await page.reload()
    await code.waitFor()
    await page.keyboard.press('Escape')
    await code.waitFor({ state: 'detached' })
    expect(new URL(page.url()).search).toBe('')

    const fromMenu = async () => {
      await page.keyboard.press('Control+k')
      await page.getByRole('option', { name: en('links.qr.title'), exact: true }).click()
      await code.getByText('two').waitFor()
      await page.keyboard.press('Escape')
      await code.waitFor({ state: 'detached' })
    }
    await page.mouse.move(0, 0)
    await row.locator('[data-row-link]').focus()
    await fromMenu()
    expect(new URL(page.url()).pathname).toBe('/app/links')
    await page.goto(`/app/links/${id}`)
    await button('links.qr.title').click()
    await code.waitFor()
    await page.keyboard.press('Escape')
    await code.waitFor({ state: 'detached' })
    await fromMenu()
    await page.goto(`/app/links/${id}/statistics`)
    await page.getByRole('heading', { level: 1 }).waitFor()
    await fromMenu()
  }, 120_000)

  type State = {
    id: string
    enabled: boolean
    title: string | null
    tags: string[]
    version: number
  }
  const stateOf = async (slug: string): Promise<State> => {
    const { data } = await api<{ data: State[] }>('GET', `/links?slug=${slug}&archived=any`)
    return data[0] as State
  }
  const eventually = async (is: () => Promise<boolean>) => {
    while (!(await is())) await Bun.sleep(50)
  }
  const rowOf = (slug: string) => visitor.page.locator('[data-row]').filter({ hasText: slug })
  const fromRow = async (slug: string, item: Word) => {
    await rowOf(slug)
      .getByRole('button', { name: en('links.actionsFor', { name: '' }) })
      .click()
    await visitor.page.getByRole('menuitem', { name: en(item), exact: true }).click()
  }
  const toast = (title: Word, slug: string) =>
    visitor.page
      .locator('[data-toast]')
      .filter({ hasText: en(title, { name: `${new URL(dashboard.url).host}/${slug}` }) })
  /** A text about several things. */
  const counted = (word: Word, count: number) =>
    (/other \{([^}]*)\}/.exec(en(word))?.[1] ?? '').replace('#', String(count))
  const undo = (within: Locator) =>
    within.getByRole('button', { name: en('common.undo'), exact: true })

  test('disabling, enabling and saving a link can be undone, unless it was changed since', async () => {
    const { page } = visitor
    await page.goto('/app/links')
    await fromRow('one', 'links.disable')
    await undo(toast('links.disabledName', 'one')).click()
    await eventually(async () => (await stateOf('one')).version === 3)
    expect((await stateOf('one')).enabled).toBe(true)
    await fromRow('one', 'links.disable')
    await toast('links.disabledName', 'one').first().waitFor()
    await eventually(async () => !(await stateOf('one')).enabled)
    await fromRow('one', 'links.enable')
    await undo(toast('links.enabledName', 'one')).click()
    await eventually(async () => (await stateOf('one')).version === 6)
    expect((await stateOf('one')).enabled).toBe(false)
    // Someone else's change isn't undone with it.
    await fromRow('two', 'links.disable')
    const own = toast('links.disabledName', 'two')
    await own.waitFor()
    const { id } = await stateOf('two')
    await api('PATCH', `/links/${id}`, { title: 'Theirs' })
    const refusal = page.waitForResponse((one) => one.url().endsWith('/restore'))
    await undo(own).click()
    expect((await refusal).status()).toBe(412)
    expect(await stateOf('two')).toMatchObject({ enabled: false, title: 'Theirs' })
    await page.goto(`/app/links/${id}?edit=true`)
    const title = dialog().getByLabel(en('links.field.title'), { exact: true })
    await title.fill('Mine')
    await dialog()
      .getByRole('button', { name: en('common.save') })
      .click()
    await undo(toast('links.saved', 'two')).click()
    await eventually(async () => (await stateOf('two')).title === 'Theirs')
  }, 120_000)

  test('a bulk change is one request, and so is its undo', async () => {
    const { page } = visitor
    await api('PATCH', `/links/${(await stateOf('one')).id}`, { enabled: true })
    await api('PATCH', `/links/${(await stateOf('two')).id}`, { enabled: true })
    await page.goto('/app/links')
    const requests: string[] = []
    const listen = (request: { method(): string; url(): string }) => {
      if (request.method() !== 'GET') requests.push(new URL(request.url()).pathname)
    }
    page.on('request', listen)
    const all = ['one', 'two', 'three']
    const states = async () => await Promise.all(all.map(stateOf))
    await page.getByRole('checkbox', { name: en('links.selectAll') }).check()
    await button('links.disable').click()
    const done = page.getByRole('region', { name: counted('links.bulk.disable.done', 3) })
    await undo(done).waitFor()
    expect((await states()).map(({ enabled }) => enabled)).toEqual([false, false, false])
    await undo(done).click()
    await page.getByRole('region', { name: counted('links.bulk.restore.done', 3) }).waitFor()
    expect((await states()).map(({ enabled }) => enabled)).toEqual([true, true, true])
    expect(requests).toEqual(Array(2).fill('/app/api/v1/links/bulk'))
    // Of links that had the tag already, nothing is undone; deletions are.
    await page.getByRole('checkbox', { name: en('links.selectAll') }).check()
    await button('links.field.tags').click()
    const added = page.getByRole('combobox', { name: en('links.bulk.addTags') })
    await added.pressSequentially('news-old')
    await offered('news-old')
    await added.press('Enter')
    await page
      .getByRole('button', { name: counted('links.bulk.applyTags', 3), exact: true })
      .click()
    const tagged = page.getByRole('region', { name: counted('links.bulk.tag.done', 3) })
    await undo(tagged).click()
    await page.getByRole('region', { name: counted('links.bulk.restore.done', 2) }).waitFor()
    expect((await states()).map(({ tags }) => tags.includes('news-old'))).toEqual([
      false,
      true,
      false,
    ])
    await page.getByRole('checkbox', { name: en('links.selectAll') }).check()
    await button('links.delete').click()
    await undo(page.getByRole('region', { name: counted('links.bulk.delete.done', 3) })).click()
    await eventually(async () => (await states()).every((one) => one !== undefined))
    page.off('request', listen)
  }, 120_000)

  test('a session that ends while a link is edited costs nothing', async () => {
    const { page, context } = visitor
    const { id } = await stateOf('three')
    await page.goto(`/app/links?edit=${id}`)
    const destination = dialog().getByLabel(en('links.field.destination'), { exact: true })
    const checked = page.waitForResponse((one) => one.url().endsWith('/links/check'))
    await destination.fill('https://example.com/edited')
    await checked
    await context.clearCookies()
    // By the element itself: a request of the sidebar may already have opened the sign-in above it.
    await dialog()
      .getByRole('button', { name: en('common.save') })
      .evaluate((save) => save.click())
    const again = page.getByRole('dialog', { name: en('auth.signIn.title'), exact: true })
    const password = again.getByLabel(en('auth.password'), { exact: true })
    await password.waitFor()
    expect(await again.getByLabel(en('auth.email')).inputValue()).toBe(OWNER.email)
    expect(await violations(page)).toEqual([])
    await password.fill('not the one')
    await again.getByRole('button', { name: en('auth.signIn.submit'), exact: true }).click()
    await again.getByRole('alert').waitFor()
    await password.fill(OWNER.password)
    await again.getByRole('button', { name: en('auth.signIn.submit'), exact: true }).click()
    // What was asked for goes on by itself.
    await toast('links.saved', 'three').waitFor()
    await dialog()
      .filter({ has: page.locator('form') })
      .waitFor({ state: 'detached' })
    const { data } = await api<{ data: { destination_url: string }[] }>('GET', '/links?slug=three')
    expect(data[0]?.destination_url).toBe('https://example.com/edited')
  }, 120_000)

  test('a draft survives leaving the page to sign in, without its password', async () => {
    const { page, context } = visitor
    await page.goto('/app/links?create=true')
    const destination = dialog().getByLabel(en('links.field.destination'), { exact: true })
    await destination.fill('https://example.com/kept')
    await dialog().getByText(en('links.section.limits'), { exact: true }).click()
    const secret = dialog().getByLabel(en('links.field.password'), { exact: true })
    await secret.fill('never stored')
    await context.clearCookies()
    // What is typed is checked on the server.
    await dialog().getByLabel(en('links.field.slug'), { exact: true }).fill('kept')
    await page.getByRole('link', { name: en('auth.again.other') }).click()
    await page.waitForURL('**/app/sign-in?**')
    const stored = await page.evaluate<string>('JSON.stringify(sessionStorage)')
    expect(stored).toContain('https://example.com/kept')
    expect(stored).not.toContain('never stored')
    await page.getByLabel(en('auth.email')).fill(OWNER.email)
    await page.getByLabel(en('auth.password'), { exact: true }).fill(OWNER.password)
    await button('auth.signIn.submit').click()
    await dialog().getByText(en('links.draft.restored')).waitFor()
    expect(await destination.inputValue()).toBe('https://example.com/kept')
    await dialog().getByText(en('links.section.limits'), { exact: true }).click()
    expect(await secret.inputValue()).toBe('')
    expect(await page.evaluate("sessionStorage.getItem('slugline_drafts')")).toBeNull()
    await dialog()
      .getByRole('button', { name: en('common.cancel') })
      .click()
  }, 120_000)

  test('a new link begins with five fields, and its previews use the space beside them', async () => {
    const { page } = visitor
    await page.goto('/app/links?create=true')
    const field = (word: Word) => dialog().getByLabel(en(word), { exact: true })
    const tops = async (ones: Locator[]) =>
      await Promise.all(ones.map(async (one) => (await one.boundingBox())?.y ?? 0))
    const names = ['destination', 'slug', 'title', 'folder', 'tags'] as const
    const fields = names.map((name) => field(`links.field.${name}`))
    await fields[0]?.waitFor()
    const sections = dialog().locator('summary')
    const order = await tops([...fields, sections.first(), sections.last()])
    expect(order).toEqual(order.toSorted((a, b) => a - b))
    expect(await dialog().locator('details[open]').count()).toBe(0)
    expect(await sections.first().innerText()).toBe(en('links.section.utm'))
    await field('links.field.slug').fill('previewed')
    await dialog().getByText(en('links.slugFree'), { exact: true }).waitFor()
    const preview = dialog().locator('bdi').filter({ hasText: 'previewed' })
    const social = dialog().getByText(en('links.social.own'), { exact: true })
    const right = (await fields[0]?.boundingBox()) as { x: number; width: number }
    for (const one of [preview, social, dialog().locator('svg[shape-rendering]')]) {
      expect((await one.boundingBox())?.x).toBeGreaterThan(right.x + right.width)
    }
    await page.setViewportSize({ width: 390, height: 844 })
    const [last = 0, below = 0] = await tops([sections.last(), preview])
    expect(below).toBeGreaterThan(last)
    await page.setViewportSize({ width: 1440, height: 900 })
    await dialog()
      .getByRole('button', { name: en('common.cancel') })
      .click()
  }, 120_000)

  test('the whole name of a choice is shown, on a small phone in a long language', async () => {
    const { context, page, close } = await dashboard.open({
      viewport: { width: 320, height: 700 },
      storageState: await visitor.context.storageState(),
    })
    await context.addCookies([
      { name: 'slugline_language', value: 'de', url: `${dashboard.url}/app` },
    ])
    await page.goto('/app/settings')
    const name = wordsOf('de')('domains.slugStyle.readable')
    const text = page.getByRole('combobox').getByText(name, { exact: true })
    await text.waitFor()
    expect(await text.evaluate((one) => one.scrollWidth - one.clientWidth)).toBe(0)
    await close()
  }, 120_000)

  test('g and a letter open every page, and t, m and s act on the focused row', async () => {
    const { page } = visitor
    await page.goto('/app/links')
    const link = rowOf('two').locator('[data-row-link]')
    const pages = ['statistics', 'tags', 'domains', 'keys', 'webhooks', 'members', 'audit']
    const letters = ['s', 't', 'd', 'k', 'w', 'm', 'a', 'j', 'u', 'e', 'o', 'l']
    for (const [n, name] of [
      ...pages,
      'jobs',
      'usage',
      'settings',
      'instance',
      'links',
    ].entries()) {
      // With a row in focus, the second key isn't the row's.
      if (n === 0) await link.focus()
      await page.keyboard.press('g')
      await page.keyboard.press(letters[n] as string)
      await page.waitForURL(`**/app/${name}`)
      expect(await dialog().count()).toBe(0)
    }
    await link.focus()
    await page.keyboard.press('t')
    const tags = dialog().getByRole('combobox', { name: en('links.field.tags'), exact: true })
    await tags.pressSequentially('from-keyboard')
    await offered('from-keyboard')
    await page.keyboard.press('Enter')
    await page.keyboard.press('Enter')
    await undo(toast('links.saved', 'two')).waitFor()
    expect((await stateOf('two')).tags).toContain('from-keyboard')
    await link.focus()
    await page.keyboard.press('m')
    await page.getByRole('dialog', { name: en('folders.move') }).waitFor()
    await page.keyboard.press('Escape')
    await link.focus()
    await page.keyboard.press('s')
    await page.waitForURL(/\/links\/lnk_[^/]+\/statistics$/)
  }, 120_000)

  test('periods have keys, on the page of statistics and on that of a link', async () => {
    const { page } = visitor
    await page.goto('/app/statistics')
    await page.getByRole('heading', { level: 1 }).waitFor()
    for (const [key, range] of [
      ['d', 'today'],
      ['e', 'yesterday'],
      ['w', '7d'],
      ['q', '90d'],
      ['y', 'year'],
      ['a', 'all'],
    ] as const) {
      await page.keyboard.press(key)
      await page.waitForURL((url) => url.searchParams.get('range') === range)
    }
    const { id } = await stateOf('two')
    await page.goto(`/app/links/${id}`)
    const week = page.getByRole('button', { name: en('statistics.range.7d'), exact: true })
    await week.waitFor()
    await page.keyboard.press('w')
    await page.waitForURL(/range=7d/)
    await week.and(page.locator('[aria-pressed=true]')).waitFor()
    // Its dialogs leave the period as it is.
    await button('links.qr.title').click()
    await dialog().waitFor()
    await page.keyboard.press('Escape')
    await dialog().waitFor({ state: 'detached' })
    expect(new URL(page.url()).search).toBe('?range=7d')
    await button('shares.share').click()
    await dialog().waitFor()
    await page.keyboard.press('Escape')
  }, 120_000)

  test('the page of statistics counts the visitors of the last five minutes', async () => {
    const { page } = visitor
    await page.goto('/app/statistics')
    const recent = page.getByTestId('recent-visitors')
    await recent.getByText(/^0 /).waitFor()
    const headers = { 'user-agent': AGENT }
    await fetch(`${dashboard.url}/two`, { redirect: 'manual', headers })
    // By itself, without loading the page again.
    await recent.getByText(/^1 /).waitFor({ timeout: 90_000 })
  }, 120_000)

  test('a change of all links that a list finds can be undone, too', async () => {
    const { page } = visitor
    const operations = Array.from({ length: 60 }, (_, n) => ({
      op: 'create',
      link: { destination_url: 'https://example.com/', slug: `many-${n}`, tags: ['many'] },
    }))
    await api('POST', '/links/bulk', { operations })
    const enabled = async () => {
      const { data } = await api<{ data: State[] }>('GET', '/links?tag=many&limit=100')
      return data.filter((one) => one.enabled).length
    }
    await page.goto('/app/links?tag=many')
    await page.getByRole('checkbox', { name: en('links.selectAll') }).check()
    await page.getByRole('button', { name: counted('links.bulk.selectFound', 60) }).click()
    await button('links.disable').click()
    await page
      .getByRole('alertdialog')
      .getByRole('button', { name: en('links.disable'), exact: true })
      .click()
    const card = page.getByRole('region', { name: en('jobs.kind.links'), exact: true })
    await undo(card).waitFor()
    expect(await enabled()).toBe(0)
    await undo(card).click()
    await eventually(async () => (await enabled()) === 60)
    // The page of jobs names both, and offers no second undo.
    await page.goto('/app/jobs')
    await page.getByText(en('jobs.kind.linksUndo'), { exact: true }).waitFor()
    await page.getByText(en('jobs.undone'), { exact: true }).waitFor()
    expect(await button('common.undo').count()).toBe(0)
  }, 120_000)
})
