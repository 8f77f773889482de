import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { eventually } from '../harness/eventually.ts'
import { CHROMIUM } from './chromium.ts'
import { type Dashboard, startDashboard, type Visitor } from './harness.ts'
import { ask, claim, heading, OWNER } from './people.ts'
import { AGENT } from './seed.ts'
import { en, wordsOf } from './words.ts'

const TARGET = 'https://example.com/'
const SLUGS = ['one', 'two', 'three', 'four']

describe.skipIf(CHROMIUM === null)('common behaviour of pages (needs Chromium)', () => {
  let dashboard: Dashboard
  let owner: Visitor
  let page: Page
  let workspace: string
  const ids: Record<string, string> = {}

  const call = (method: string, path: string, body?: unknown) =>
    ask<{ id: string }>(dashboard, owner.context, method, path, { body, workspace })

  beforeAll(async () => {
    dashboard = await startDashboard({ TRUSTED_PROXIES: '127.0.0.1,::1' })
    owner = await dashboard.open()
    page = owner.page
    workspace = await claim(dashboard, owner.context)
    for (const slug of SLUGS) {
      const { body } = await call('POST', '/links', { destination_url: TARGET, slug })
      ids[slug] = body.id
    }
    // Also builds the dashboard, on a machine that may be busy.
  }, 300_000)
  afterAll(async () => await dashboard?.dispose())

  const clicksAre = (count: number) =>
    eventually('the clicks are stored', async () => {
      const { body } = await call('GET', '/stats')
      const { totals } = body as unknown as { totals?: { clicks: number } }
      return (totals?.clicks ?? 0) >= count ? true : undefined
    })
  const drawer = () => page.getByRole('dialog').filter({ has: page.locator('form#create-link') })
  const destination = () => drawer().getByLabel(en('links.field.destination'), { exact: true })
  const button = (word: Parameters<typeof en>[0]) =>
    page.getByRole('button', { name: en(word), exact: true })

  test('a shortcut creates a link from any page, which stays open', async () => {
    await page.goto('/app/statistics?range=7d')
    await heading(page, en('statistics.title'))
    await page.keyboard.press('c')
    await destination().fill(`${TARGET}from-statistics`)
    await page.keyboard.press('Enter')
    await drawer().waitFor({ state: 'detached' })
    expect(new URL(page.url()).pathname).toBe('/app/statistics')
    expect(new URL(page.url()).searchParams.get('range')).toBe('7d')
  })

  test('a shortcut opens the search from any page', async () => {
    // The host's root opens the dashboard.
    await page.goto('/')
    await heading(page, en('shell.links'))
    expect(new URL(page.url()).pathname).toBe('/app/links')
    await page.goto('/app/members')
    await heading(page, en('members.title'))
    await page.keyboard.press('/')
    await page.getByRole('searchbox').and(page.locator(':focus')).waitFor()
    await page.keyboard.type('thre')
    await page.waitForURL(/q=thre/)
  })

  test('visitors’ pages, documents and dashboard share their font, color and logo', async () => {
    const icon = await (await fetch(`${dashboard.url}/app/icon.svg`)).text()
    const [drawing = 'none'] = icon.match(/(?<= d=")[^"]+/) ?? []
    const looks = new Set<string>()
    // Signed out, because the sign-in page would go on to the dashboard.
    const { page, close } = await dashboard.open()
    for (const path of ['/app/sign-in', '/docs', '/nowhere', '/one+']) {
      await page.goto(path)
      looks.add(
        await page.evaluate(`(() => {
          const { fontFamily, color } = getComputedStyle(document.body)
          return fontFamily + color
        })()`),
      )
      const logo = page.locator(`img[src$="icon.svg"], svg:has(path[d="${drawing}"])`)
      await logo.first().waitFor({ state: 'attached' })
    }
    await close()
    expect([...looks]).toHaveLength(1)
  })

  test('links and pages are found by name from any page, also while typing', async () => {
    await page.goto('/app/statistics')
    await heading(page, en('statistics.title'))
    await page.keyboard.press('Control+k')
    const field = page.getByRole('combobox', { name: en('shell.palette') })
    await field.fill('thre')
    await page.getByRole('option').filter({ hasText: 'three' }).waitFor()
    await page.keyboard.press('Enter')
    await page.waitForURL(`**/links/${ids.three}`)
    await page.goto('/app/links')
    await page.getByRole('searchbox').fill('a')
    await page.keyboard.press('Control+k')
    await field.fill(en('shell.members'))
    await page.keyboard.press('Enter')
    await page.waitForURL('**/members')
    const { body } = await call('POST', '/workspaces', { name: 'Étage' })
    await page.reload()
    await heading(page, en('members.title'))
    const run = async (text: string, found = text) => {
      await page.keyboard.press('Control+k')
      await field.fill(text)
      const first = page.getByRole('option').first()
      await first.filter({ hasText: found }).waitFor()
      await page.keyboard.press('Enter')
    }
    for (const action of [en('keys.create.title'), en('members.invite.title')]) {
      await run(action)
      await page.getByRole('dialog', { name: action }).waitFor()
      await page.keyboard.press('Escape')
      await page.waitForURL((url) => !url.searchParams.has('create'))
    }
    await run('etage', 'Étage')
    await page.waitForURL(`**/links?w=${body.id}`)
    await run('acme')
    await page.waitForURL(`**/links?w=${workspace}`)
    await run(en('links.trash.title'))
    await page.waitForURL(/links.deleted/)
    await run(en('shell.newWorkspace'))
    await page.getByLabel(en('shell.newWorkspaceName'), { exact: true }).waitFor()
    await page.keyboard.press('Escape')
    await run(en('shortcuts.create'))
    await drawer()
      .getByRole('button', { name: en('common.cancel') })
      .click()
  })

  test('shift selects all links between two', async () => {
    await page.goto('/app/links?sort=slug&order=asc')
    await page.locator('[data-row]').first().waitFor()
    const boxes = page.locator('[data-row] input[type=checkbox]')
    await boxes.nth(0).click()
    await boxes.nth(2).click({ modifiers: ['Shift'] })
    const checked = () =>
      boxes.evaluateAll((found) => found.map((box) => 'checked' in box && box.checked))
    expect((await checked()).slice(0, 4)).toEqual([true, true, true, false])
    await boxes.nth(0).click({ modifiers: ['Shift'] })
    expect((await checked()).slice(0, 4)).toEqual([false, false, false, false])
  })

  test('a time zone is found by a part of its name', async () => {
    await page.goto('/app/statistics')
    await heading(page, en('statistics.title'))
    await page.getByRole('combobox', { name: en('statistics.timeZone') }).click()
    await page.getByRole('combobox', { name: en('common.search') }).fill('ber')
    await page.getByRole('option', { name: 'Europe/Berlin' }).waitFor()
    // Chromium knows it as Calcutta.
    await page.getByRole('combobox', { name: en('common.search') }).fill('kolk')
    await page.keyboard.press('Enter')
    await page.waitForURL(/zone=Asia/)
  })

  test('an empty URL and an invalid slug have specific errors', async () => {
    await page.goto('/app/links?create=true')
    await destination().waitFor()
    const answered = page.waitForResponse(
      (response) => response.request().method() === 'POST' && response.status() === 422,
    )
    await page.keyboard.press('Enter')
    const { error } = (await (await answered).json()) as {
      error: { details: { field: string; code: string }[] }
    }
    expect(error.details).toMatchObject([{ field: 'destination_url', code: 'REQUIRED' }])
    const slug = drawer().getByLabel(en('links.field.slug'), { exact: true })
    await slug.fill('not//valid')
    await slug.and(page.locator('[aria-invalid=true]')).waitFor()
    await slug.fill('free')
    await drawer().getByText(en('links.slugFree'), { exact: true }).waitFor()
    await slug.fill('one')
    await slug.and(page.locator('[aria-invalid=true]')).waitFor()
    await drawer().getByText(en('links.suggestions'), { exact: true }).waitFor()
    await drawer()
      .getByRole('button', { name: en('common.cancel') })
      .click()
  })

  test('a drawer reaches the edge of the window, and nothing moves behind it', async () => {
    for (const language of ['en', 'ar']) {
      await owner.context.addCookies([
        { name: 'slugline_language', value: language, url: `${dashboard.url}/app` },
      ])
      await page.goto('/app/links')
      const title = page.locator('h1')
      const before = await title.boundingBox()
      await page.keyboard.press('c')
      await drawer().waitFor()
      await owner.settled()
      expect(await title.boundingBox()).toEqual(before)
      const box = await drawer().boundingBox()
      const edge = language === 'ar' ? box?.x : (box?.x ?? 0) + (box?.width ?? 0)
      expect(edge).toBe(language === 'ar' ? 0 : 1_280)
      await page.keyboard.press('Escape')
    }
    await owner.context.clearCookies({ name: 'slugline_language' })
  })

  test('a saved style of QR codes is there for every link, in another browser too', async () => {
    await fetch(`${dashboard.url}/one?qr=1`, {
      redirect: 'manual',
      headers: { 'user-agent': AGENT },
    })
    await clicksAre(1)
    await page.goto(`/app/links/${ids.one}`)
    // Scans are counted separately.
    const scans = page.getByRole('dialog').getByRole('link')
    await button('links.qr.title').click()
    await scans.filter({ hasText: /^1 / }).waitFor()
    await owner.context.grantPermissions(['clipboard-read', 'clipboard-write'])
    await button('links.qr.copy').click()
    await page.getByText(en('links.qr.copied')).waitFor()
    const kinds = 'navigator.clipboard.read().then((items) => items.flatMap(({ types }) => types))'
    expect(await page.evaluate<string[]>(kinds)).toEqual(['image/png'])
    const color = page.getByLabel(en('links.qr.dark'), { exact: true })
    await color.fill('#123456')
    await button('links.qr.save').click()
    await page.getByText(en('common.saved'), { exact: true }).waitFor()
    const other = await dashboard.open()
    await other.context.addCookies(await owner.context.cookies())
    await other.page.goto(`/app/links/${ids.two}?qr=true`)
    const shown = other.page.getByRole('dialog')
    expect(await shown.getByLabel(en('links.qr.dark')).inputValue()).toBe('#123456')
    await shown.locator('svg path[fill="#123456"]').waitFor()
    await other.close()
    await page.goto('/app/audit')
    await page
      .getByText(`${en('links.qr.title')}: ${en('links.qr.dark')}`)
      .waitFor({ state: 'attached' })
  })

  test('each of seven days has its label', async () => {
    await fetch(`${dashboard.url}/one`, {
      redirect: 'manual',
      headers: { 'user-agent': AGENT, 'x-forwarded-for': '5.9.0.1' },
    })
    await clicksAre(2)
    await page.goto('/app/statistics?range=7d')
    const labels = page.locator('figure text[data-label]')
    await labels.first().waitFor({ state: 'attached' })
    expect(await labels.count()).toBe(7)
    // Countries have their flags.
    await page.getByRole('listitem').filter({ hasText: 'Germany' }).getByText('🇩🇪').waitFor()
  })

  test('sorting by clicks uses human clicks, as shown in the list', async () => {
    for (let click = 0; click < 3; click++) {
      const headers = { 'user-agent': 'curl/8.5.0' }
      await fetch(`${dashboard.url}/four`, { redirect: 'manual', headers })
    }
    await eventually('the clicks of bots are counted', async () => {
      const { body } = await call('GET', `/links/${ids.four}`)
      return (body as unknown as { clicks: { bot: number } }).clicks.bot === 3 ? true : undefined
    })
    await page.goto('/app/links?sort=clicks')
    await page.locator('[data-row]').first().waitFor()
    expect(await page.locator('[data-row]').first().getAttribute('data-row')).toBe(ids.one ?? '')
  })

  test('the only member of a small workspace is not a warning', async () => {
    await call('PATCH', `/instance/workspaces/${workspace}`, { plan: 'free' })
    await page.goto('/app/usage')
    await page.getByRole('meter', { name: en('usage.members') }).waitFor()
    expect(await page.getByText(en('usage.full'), { exact: true }).count()).toBe(0)
    // An invitation counts towards the limit, both where it is shown and where it is enforced.
    await call('PATCH', `/instance/workspaces/${workspace}`, { plan: 'pro' })
    await call('POST', '/invitations', { email: 'grace@example.com', role: 'viewer' })
    await page.reload()
    const meter = page.getByRole('meter', { name: en('usage.members') })
    await meter.waitFor()
    expect(await meter.getAttribute('aria-valuenow')).toBe('2')
    await call('PATCH', `/instance/workspaces/${workspace}`, { plan: 'unlimited' })
  })

  test('a second invitation opened in the same tab replaces the first', async () => {
    const guest = await dashboard.open()
    for (const email of ['first@example.com', 'second@example.com']) {
      const { body } = await call('POST', '/invitations', { email, role: 'viewer' })
      await guest.page.goto((body as unknown as { url: string }).url)
      await guest.page.getByText(email).waitFor()
    }
    await guest.close()
  })

  test('the entry of a deletion can’t be restored', async () => {
    await call('DELETE', `/links/${ids.two}`)
    await call('POST', `/links/${ids.two}/restore`, {})
    await page.goto(`/app/links/${ids.two}`)
    const entries = page.locator('ol > li')
    await entries.nth(2).waitFor()
    const restorable = await entries.evaluateAll((found) =>
      found.map((entry) => entry.querySelector('button') !== null),
    )
    // Newest first: restored (the current state), deleted, created.
    expect(restorable).toEqual([false, false, true])
  })

  test('the audit log names fields like their pages, and omits empty ones', async () => {
    await call('POST', '/views', { name: 'Spring', shared: true })
    await call('POST', '/domains', { host: 'go.example.com' })
    const { body: folder } = await call('POST', '/folders', { name: 'Press' })
    await call('POST', '/links', { destination_url: TARGET, slug: 'filed', folder_id: folder.id })
    await call('POST', '/tags', { name: 'print' })
    const operations = Array.from({ length: 6 }, () => ({
      op: 'create',
      link: { destination_url: TARGET },
    }))
    await call('POST', '/links/bulk', { operations })
    await page.goto('/app/audit')
    // Under its day; equal actions in quick succession are one entry.
    const day = page.getByRole('region').filter({ has: page.getByRole('heading', { level: 2 }) })
    const entries = day.first().getByRole('listitem')
    await entries.first().getByText(OWNER.name).waitFor()
    const folded = await entries.count()
    await entries.first().locator('button[aria-expanded=false]').click()
    expect(await entries.count()).toBe(folded + 5)
    const fields = async (target: string) => {
      const entry = page.getByRole('main').getByRole('listitem').filter({ hasText: target }).first()
      await entry.locator('summary').click()
      return await entry.locator('tbody th').allInnerTexts()
    }
    const sort = en('links.sortBy')
    expect(await fields('Spring')).toEqual([en('tags.name'), en('links.views.shared'), sort, sort])
    expect(await fields('go.example.com')).toEqual([
      en('domains.host'),
      en('domains.case'),
      en('domains.slugLength'),
      en('domains.slugStyle'),
      en('domains.robots'),
    ])
    await fields('filed')
    await page.getByRole('cell', { name: 'Press', exact: true }).waitFor()
  })

  test('settings are narrow cards, and an instance that sells nothing has no prices', async () => {
    for (const path of ['settings', 'account']) {
      await page.goto(`/app/${path}`)
      const cards = page.locator('main section')
      await cards.nth(2).waitFor()
      for (const card of await cards.all()) {
        expect((await card.boundingBox())?.width).toBeLessThanOrEqual(760)
      }
    }
    await page.goto('/app/usage')
    await page.getByRole('heading', { name: en('usage.plans'), exact: true }).waitFor()
    await page.getByText('Business', { exact: true }).first().waitFor()
    const text = await page.locator('main').innerText()
    expect(text).not.toMatch(/[€$£]/)
    expect(text).not.toContain(en('usage.price.none'))
    const groups = page.getByRole('navigation').locator('> div').filter({ visible: true })
    expect(await groups.count()).toBe(2)
  })

  test('a changed plan can be changed back', async () => {
    const plan = async () => {
      const { body } = await call('GET', '/instance/workspaces')
      const { data } = body as unknown as { data: { name: string; plan: string }[] }
      return data.find(({ name }) => name === 'Acme')?.plan
    }
    const before = await plan()
    await page.goto('/app/instance')
    await page.getByRole('combobox', { name: en('instance.planOf', { name: 'Acme' }) }).click()
    await page.getByRole('option').filter({ hasNotText: 'Free' }).first().click()
    await button('common.undo').waitFor()
    expect(await plan()).not.toBe(before)
    const undone = page.waitForResponse((response) => response.request().method() === 'PATCH')
    await button('common.undo').click()
    await undone
    expect(await plan()).toBe(before)
  })

  test('a phone shows dates, and copies from a row', async () => {
    await page.setViewportSize({ width: 390, height: 844 })
    await page.goto('/app/links')
    const copy = page
      .locator('[data-row]')
      .first()
      .getByRole('button', { name: en('links.copyAddress') })
    await copy.click({ trial: true })
    const bar = page.getByRole('navigation').filter({ visible: true })
    const plus = bar.getByRole('button', { name: en('links.create') })
    const middles = [bar, plus].map(async (part) => {
      const { x = 0, width = 0 } = (await part.boundingBox()) ?? {}
      return Math.round(x + width / 2)
    })
    const [middle, placed] = await Promise.all(middles)
    expect(placed).toBe(middle as number)
    await plus.click()
    await destination().waitFor()
    await page.keyboard.press('Escape')
    await drawer().waitFor({ state: 'detached' })
    await button('links.filters').click()
    const from = page.getByLabel(en('links.createdFrom'))
    await from.fill('2026-12-31')
    expect(await from.evaluate((field) => field.clientWidth)).toBeGreaterThan(200)
    await page.keyboard.press('Escape')
    await page.setViewportSize({ width: 1280, height: 900 })
  })

  test('the language of an account is the language of each browser it signs in on', async () => {
    await call('PATCH', '/account', { language: 'de' })
    const other = await dashboard.open({ locale: 'fr-FR' })
    const fr = wordsOf('fr')
    await other.page.goto('/app/sign-in')
    await other.page.getByLabel(fr('auth.email')).fill(OWNER.email)
    await other.page.getByLabel(fr('auth.password'), { exact: true }).fill(OWNER.password)
    await other.page.getByRole('button', { name: fr('auth.signIn.submit'), exact: true }).click()
    await heading(other.page, wordsOf('de')('shell.links'))
    expect(await other.page.locator('html').getAttribute('lang')).toBe('de')
    await other.close()
  })

  test('an empty required field has a message in the language of the page', async () => {
    const other = await dashboard.open({ locale: 'de-DE' })
    const de = wordsOf('de')
    await other.page.goto('/app/sign-in')
    const email = other.page.getByLabel(de('auth.email'))
    const said = () =>
      email.evaluate((field) => 'validationMessage' in field && field.validationMessage)
    await other.page.getByRole('button', { name: de('auth.signIn.submit'), exact: true }).click()
    expect(await said()).toBe(de('common.invalid.missing'))
    await email.fill('nobody')
    await email.press('Enter')
    expect(await said()).toBe(de('common.invalid.email'))
    await other.close()
  })

  test('Arabic has one kind of digits', async () => {
    await call('PATCH', '/account', { language: null })
    const other = await dashboard.open({ locale: 'ar-EG' })
    await other.page.goto('/app/sign-in')
    await other.page.evaluate("document.cookie = 'slugline_language=ar; Path=/app'")
    const ar = wordsOf('ar')
    await other.page.goto('/app/sign-in')
    await other.page.getByLabel(ar('auth.email')).fill(OWNER.email)
    await other.page.getByLabel(ar('auth.password'), { exact: true }).fill(OWNER.password)
    await other.page.getByRole('button', { name: ar('auth.signIn.submit'), exact: true }).click()
    await heading(other.page, ar('shell.links'))
    // Requests pending at navigation never get a response.
    await other.settled()
    for (const path of ['/app/links', '/app/statistics', '/app/usage', '/app/audit']) {
      await other.page.goto(path)
      await other.page.getByRole('heading', { level: 1 }).waitFor()
      await other.settled()
      expect(await other.page.locator('main').innerText()).not.toMatch(/[٠-٩]/)
    }
    await other.close()
  })

  test('the requests of the last hour survive a restart', async () => {
    const { body } = await call('POST', '/keys', { name: 'k', scopes: ['links:read'] })
    const Authorization = `Bearer ${(body as unknown as { key: string }).key}`
    await fetch(`${dashboard.url}/api/v1/links`, { headers: { Authorization } })
    expect(await dashboard.slugline.stop()).toBe(0)
    await dashboard.slugline.restart()
    await page.goto('/app/usage')
    const chart = page.locator('section').filter({ hasText: en('usage.requests.allowed') })
    await chart.getByRole('img').waitFor()
  })

  test('there were no faults during these tests', () => {
    expect(owner.faults).toEqual([])
  })
})
