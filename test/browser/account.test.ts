import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { DOT } from '../../src/features/accounts/testing/picture.ts'
import { CHROMIUM } from './chromium.ts'
import { type Dashboard, startDashboard, type Visitor } from './harness.ts'
import { claim, heading, joinAs, OWNER, signIn } from './people.ts'
import { en } from './words.ts'

describe.skipIf(CHROMIUM === null)('one’s own account (needs Chromium)', () => {
  let dashboard: Dashboard
  let owner: Visitor
  let member: Visitor

  beforeAll(async () => {
    dashboard = await startDashboard()
    owner = await dashboard.open()
    const workspace = await claim(dashboard, owner.context)
    const storageState = await joinAs(dashboard, owner.context, workspace, 'viewer')
    member = await dashboard.open({ storageState })
    // Also builds the dashboard, on a machine that may be busy.
  }, 300_000)
  afterAll(async () => await dashboard?.dispose())

  /** Starts deleting the account on its page. */
  async function askToDelete({ page }: Visitor, email: string) {
    await page.goto('/app/account')
    await heading(page, en('settings.account'))
    await page.getByRole('button', { name: en('settings.account.delete') }).click()
    const dialog = page.getByRole('dialog')
    const submit = dialog.getByRole('button', { name: en('settings.account.delete') })
    expect(await submit.isDisabled()).toBe(true)
    await dialog.getByRole('textbox').first().fill(email)
    await submit.click()
    return dialog
  }

  test('stays on the page for a new sign-in when the session has expired', async () => {
    const { page, context } = owner
    await page.goto('/app/keys')
    await heading(page, en('keys.title'))
    await context.clearCookies()
    // By the element itself: a request of the sidebar may already have opened the dialog above it.
    await page.getByRole('link', { name: en('shell.members') }).evaluate((link) => link.click())
    await page.getByText(en('auth.again.text')).waitFor()
    await page.getByLabel(en('auth.password'), { exact: true }).fill(OWNER.password)
    await page.keyboard.press('Enter')
    await heading(page, en('members.title'))
  }, 300_000)

  test('has a picture wherever people are shown', async () => {
    const { page } = owner
    await page.goto('/app/account')
    const file = { name: 'me.png', mimeType: 'image/png', buffer: Buffer.from(DOT, 'base64') }
    await page.getByLabel(en('settings.picture.file')).setInputFiles(file)
    await page.getByText(en('common.saved')).waitFor()
    for (const path of ['account', 'members', 'audit']) {
      await page.goto(`/app/${path}`)
      await page.locator('main img[src*="/picture?v="]').first().waitFor()
      await page.locator('aside img[src*="/picture?v="]').waitFor()
    }
    // Who joined is named once in the log.
    const joined = page.getByRole('listitem').filter({ hasText: en('audit.action.member.joined') })
    expect(await joined.first().getByRole('button').count()).toBe(1)
    expect(owner.faults).toEqual([])
  }, 300_000)

  test('keeps its page when the server can’t be reached', async () => {
    const storageState = await member.context.storageState()
    const { page, context, close } = await dashboard.open({ storageState })
    await page.goto('/app/usage')
    await heading(page, en('usage.title'))
    await context.setOffline(true)
    await page.getByRole('link', { name: en('shell.members') }).click()
    await page.getByRole('heading', { name: en('common.offline') }).waitFor()
    await context.setOffline(false)
    await page.getByRole('button', { name: en('common.retry') }).click()
    await heading(page, en('members.title'))
    await close()
  }, 300_000)

  test('can’t be deleted while it is the only owner of a workspace, which is shown', async () => {
    const dialog = await askToDelete(owner, OWNER.email)
    await dialog.getByRole('alert').filter({ hasText: 'Acme' }).waitFor()
    expect(owner.faults).toEqual([])
  }, 300_000)

  test('is deleted by typing its address', async () => {
    const { page } = member
    const { email } = (await (await member.context.request.get('/app/api/v1/session')).json()).user
    await askToDelete(member, email)
    await page.waitForURL(/\/app\/sign-in/)
    await signIn(page, { name: '', email, password: OWNER.password })
    await page.getByRole('alert').waitFor()
    expect(member.faults).toEqual([])
  }, 300_000)
})
