import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { CHROMIUM } from './chromium.ts'
import { type Dashboard, startDashboard, type Visitor } from './harness.ts'
import { ask, claim, heading, joinAs, OWNER } from './people.ts'
import { en, type Word, wordsOf } from './words.ts'

/** An error of the server. */
const refusal = (status: number) => ({
  status,
  json: { error: { code: 'INTERNAL_ERROR', message: 'No.', request_id: 'req_x' } },
})

describe.skipIf(CHROMIUM === null)('what happened is said (needs Chromium)', () => {
  let dashboard: Dashboard
  let visitor: Visitor
  let workspace: string
  let viewer: Awaited<ReturnType<typeof joinAs>>

  beforeAll(async () => {
    dashboard = await startDashboard()
    visitor = await dashboard.open()
    workspace = await claim(dashboard, visitor.context)
    viewer = await joinAs(dashboard, visitor.context, workspace, 'viewer')
    for (const slug of ['alpha', 'beta']) {
      await api('POST', '/links', { destination_url: `https://example.com/${slug}`, slug })
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
  const button = (name: Word) => visitor.page.getByRole('button', { name: en(name), exact: true })
  const dialog = () => visitor.page.getByRole('dialog')
  const toList = async () => {
    await visitor.page.goto('/app/links')
    await visitor.page.locator('[data-row]').nth(1).waitFor()
  }

  test('that the browser doesn’t allow copying', async () => {
    const { page } = visitor
    await toList()
    await page.evaluate(`
      navigator.clipboard.writeText = () => Promise.reject(new Error('no'))
      document.execCommand = () => false
    `)
    await page.keyboard.press('j')
    await page.keyboard.press('y')
    await page.getByText(en('common.notCopied')).first().waitFor()
  }, 60_000)

  test('that a tag has changed since, when its change is to be undone', async () => {
    const { page } = visitor
    const { id } = await api('POST', '/tags', { name: 'first' })
    await page.goto('/app/tags')
    await page.getByRole('button', { name: en('tags.actions', { name: 'first' }) }).click()
    await page.getByRole('menuitem', { name: en('tags.edit') }).click()
    await page.getByLabel(en('tags.name'), { exact: true }).fill('second')
    await button('common.save').click()
    await page.getByRole('link', { name: 'second' }).waitFor()
    await api('PATCH', `/tags/${id}`, { name: 'third' })
    await button('common.undo').click()
    await page
      .locator('[data-toast]')
      .filter({ has: page.locator('svg.text-bad') })
      .waitFor()
    await page.getByRole('link', { name: 'third' }).waitFor()
    expect(visitor.faults).toEqual([])
  }, 60_000)

  test('where a search led: Back shows it again', async () => {
    const { page } = visitor
    await api('POST', '/tags', { name: 'sought' })
    await page.goto('/app/tags')
    const search = page.getByRole('searchbox', { name: en('tags.search'), exact: true })
    await search.fill('soug')
    await page.waitForURL(/search=soug/)
    await page.getByRole('link', { name: 'sought' }).click()
    await page.waitForURL(/\/links\?tag=sought/)
    await page.goBack()
    await page.getByRole('link', { name: 'sought' }).waitFor()
    expect(await search.inputValue()).toBe('soug')
  }, 60_000)

  test('that folders couldn’t be found, which can be retried', async () => {
    const { page } = visitor
    await toList()
    const failing = '**/app/api/v1/folders?*'
    await page.route(failing, (route) => route.fulfill(refusal(500)))
    await page.keyboard.press('j')
    await page.keyboard.press('m')
    await page.getByRole('searchbox', { name: en('folders.search') }).fill('nothing')
    await dialog().getByRole('alert').waitFor()
    await page.unroute(failing)
    await button('common.retry').click()
    await dialog().getByText(en('tags.none'), { exact: true }).waitFor()
  }, 60_000)

  test('that a folder of the URL was deleted', async () => {
    const { page } = visitor
    const { id } = await api('POST', '/folders', { name: 'Gone' })
    await api('DELETE', `/folders/${id}?move_to=none`)
    await page.goto(`/app/links?folder=${id}`)
    await page.getByText(en('keys.restrictions.deletedFolder'), { exact: true }).waitFor()
    expect(await page.locator('main').innerText()).not.toContain(id)
  }, 60_000)

  test('nothing while a date is typed: an unfinished year isn’t asked for', async () => {
    const { page } = visitor
    await toList()
    await button('links.filters').click()
    const from = page.getByLabel(en('links.createdFrom'), { exact: true })
    await from.fill('0202-01-01')
    expect(new URL(page.url()).searchParams.get('after')).toBeNull()
    await from.fill('2026-01-01')
    await page.waitForURL(/after=2026-01-01/)
  }, 60_000)

  test('the link of an invitation that was made before an address was refused', async () => {
    const { page } = visitor
    await page.goto('/app/members?create=true')
    const emails = page.getByLabel(en('members.emails'), { exact: true })
    await emails.fill(`linus@example.com, ${OWNER.email}`)
    await emails.press('Enter')
    await dialog().getByRole('alert').waitFor()
    expect(await emails.inputValue()).toBe(OWNER.email)
    await button('common.cancel').click()
    await dialog().locator('pre').getByText('/app/invitation#token=').waitFor()
    const first = await dialog().locator('pre').innerText()
    await button('members.done').click()
    await dialog().waitFor({ state: 'detached' })
    // It can be had again, as another one.
    const again = { label: en('members.invitation.newLink'), value: 'linus@example.com' }
    await page.getByRole('button', { name: en('common.labelled', again) }).click()
    const link = dialog().locator('pre')
    await link.getByText('/app/invitation#token=').waitFor()
    expect(await link.innerText()).not.toBe(first)
    await button('members.done').click()
    await dialog().waitFor({ state: 'detached' })
  }, 60_000)

  test('a changed role, with an undo', async () => {
    const { page } = visitor
    await page.goto('/app/members')
    const role = page.getByRole('combobox', { name: en('members.role.of', { name: 'A viewer' }) })
    await role.click()
    await page.getByRole('option', { name: new RegExp(`^${en('role.member')}`) }).click()
    await role.filter({ hasText: en('role.member') }).waitFor()
    await button('common.undo').click()
    await role.filter({ hasText: en('role.viewer') }).waitFor()
  }, 60_000)

  test('to a viewer only the keys and pages that they have, and why a form doesn’t open', async () => {
    const { page, close } = await dashboard.open({ storageState: viewer })
    await page.goto('/app/links')
    await page.locator('[data-row]').nth(1).waitFor()
    await page.keyboard.press('?')
    const keys = page.getByRole('dialog', { name: en('shortcuts.title') })
    await keys.getByText(en('shortcuts.copy'), { exact: true }).waitFor()
    expect(await keys.getByText(en('shortcuts.edit'), { exact: true }).count()).toBe(0)
    const found = await api<{ data: { id: string }[] }>('GET', '/links?search=alpha')
    await page.goto(`/app/links?edit=${found.data[0]?.id}`)
    await page.getByRole('dialog', { name: en('common.refused') }).waitFor()
    await page.keyboard.press('Escape')
    await page.waitForURL((url) => !url.searchParams.has('edit'))
    const { data } = await api<{ data: { user_id: string; name: string }[] }>('GET', '/members')
    const own = data.find(({ name }) => name === 'A viewer')?.user_id
    await api('PATCH', `/members/${own}`, { role: 'owner' })
    await page.goto('/app/members')
    const ofKeys = page.getByRole('link', { name: en('shell.keys'), exact: true })
    await ofKeys.first().waitFor()
    const role = page.getByRole('combobox', { name: en('members.role.of', { name: 'A viewer' }) })
    await role.click()
    await page.getByRole('option', { name: new RegExp(`^${en('role.viewer')}`) }).click()
    const demote = { name: en('members.demote', { role: en('role.viewer') }) }
    await page.getByRole('alertdialog').getByRole('button', demote).click()
    await ofKeys.first().waitFor({ state: 'detached' })
    await close()
  }, 60_000)

  test('that a menu couldn’t be loaded', async () => {
    // With an empty cache.
    const storageState = await visitor.context.storageState()
    const fresh = await dashboard.open({ storageState })
    const { page, context } = fresh
    await page.goto('/app/links')
    await page.locator('[data-row]').nth(1).waitFor()
    // The first press loads what shows messages.
    await page.keyboard.press('Escape')
    await fresh.settled()
    await context.setOffline(true)
    const sort = page.getByRole('button', { name: new RegExp(`^${en('links.sortBy')}`) })
    await sort.click()
    await page.getByText(en('common.offline')).first().waitFor()
    await context.setOffline(false)
    await sort.click()
    await page.getByRole('menuitemradio').first().waitFor()
    await fresh.close()
  }, 60_000)

  test('what is in progress by a button that keeps the focus', async () => {
    const { page } = visitor
    await page.goto('/app/account')
    await heading(page, en('settings.account'))
    const answer = Promise.withResolvers<void>()
    await page.route('**/account/data.ndjson', async (route) => {
      await answer.promise
      await route.fulfill({ status: 200, body: '' })
    })
    const asked = page.waitForRequest('**/account/data.ndjson')
    await button('settings.data.download').press('Enter')
    await asked
    await page.locator('button[aria-busy=true]').and(page.locator(':focus')).waitFor()
    answer.resolve()
    await page.locator('button[aria-busy=true]').waitFor({ state: 'detached' })
  }, 60_000)

  test('that a page is the last one, without taking the focus from its button', async () => {
    const { page } = visitor
    const operations = Array.from({ length: 60 }, (_, i) => ({
      op: 'create',
      link: { destination_url: 'https://example.com/', slug: `many-${i}` },
    }))
    await api('POST', '/links/bulk', { operations })
    await toList()
    await button('links.next').press('Enter')
    await page.waitForURL(/cursor=/)
    await button('links.next').and(page.locator('[aria-disabled=true]:focus')).waitFor()
  }, 60_000)

  test('why an invitation can’t be read, unless it is invalid', async () => {
    const { page, close } = await dashboard.open()
    const failing = '**/app/api/v1/invitations/lookup'
    await page.route(failing, (route) => route.fulfill(refusal(503)))
    await page.goto('/app/invitation#token=unknown')
    const retry = page.getByRole('button', { name: en('common.retry') })
    await retry.waitFor()
    await page.unroute(failing)
    await retry.click()
    await heading(page, en('auth.invitation.invalid'))
    await close()
  }, 60_000)

  test('the language and the theme alike in the menu and on the account’s page', async () => {
    const storageState = await visitor.context.storageState()
    const { page, close } = await dashboard.open({ storageState })
    const choose = async (language: string, submenu: Word, item: string) => {
      const t = wordsOf(language)
      await page
        .locator('aside')
        .getByRole('button', { name: t('shell.account') })
        .click()
      await page.getByRole('menuitem', { name: t(submenu) }).hover()
      await page.getByRole('menuitemradio', { name: item, exact: true }).press('Enter')
      await page.keyboard.press('Escape')
      await page.getByRole('menu').first().waitFor({ state: 'hidden' })
    }
    await page.goto('/app/account')
    await heading(page, en('settings.account'))
    await choose('en', 'shell.theme', en('shell.themeDark'))
    const themes = page.getByRole('group', { name: en('settings.account.theme') })
    const dark = { name: en('settings.theme.dark'), pressed: true }
    await themes.getByRole('button', dark).waitFor()
    const failing = '**/app/api/v1/account'
    await page.route(failing, (route) => route.fulfill(refusal(500)))
    await choose('en', 'shell.language', 'Español')
    await page.getByText('No.', { exact: true }).first().waitFor()
    await page.unroute(failing)
    await choose('es', 'shell.language', 'Deutsch')
    const language = wordsOf('de')('settings.account.language')
    await page.getByRole('combobox', { name: language }).filter({ hasText: 'Deutsch' }).waitFor()
    await close()
  }, 60_000)
})

describe.skipIf(CHROMIUM === null)('before the sign-in (needs Chromium)', () => {
  let dashboard: Dashboard
  let guest: Visitor

  beforeAll(async () => {
    dashboard = await startDashboard({
      SIGN_UP: 'open',
      // Nothing listens there: the message itself doesn't matter.
      SMTP_URL: 'smtp://127.0.0.1:9',
      MAIL_FROM: 'links@example.com',
    })
    const owner = await dashboard.open()
    await claim(dashboard, owner.context)
    await owner.close()
    guest = await dashboard.open()
  }, 300_000)
  afterAll(async () => await dashboard?.dispose())

  test('a new account is told where its confirmation went, and the page is kept', async () => {
    const { page } = guest
    await page.goto('/app/sign-in?next=%2Faudit')
    await page.getByRole('link', { name: en('auth.signIn.signUp') }).click()
    await page.waitForURL(/\/sign-up\?next=%2Faudit/)
    await page.getByLabel(en('auth.name'), { exact: true }).fill('Grace Hopper')
    await page.getByLabel(en('auth.email'), { exact: true }).fill('grace@example.com')
    await page.getByLabel(en('auth.password'), { exact: true }).fill(OWNER.password)
    await page.getByRole('button', { name: en('auth.signUp.submit') }).click()
    await heading(page, en('auth.forgot.sent'))
    await page.getByText('grace@example.com').waitFor()
    await page.getByRole('link', { name: en('auth.signIn.submit') }).click()
    await page.waitForURL(/\/sign-in\?next=%2Faudit/)
    await page.goto('/app/two-factor?next=%2Faudit')
    await page.getByRole('link', { name: en('auth.back') }).click()
    await page.waitForURL(/\/sign-in\?next=%2Faudit/)
  }, 60_000)
})
