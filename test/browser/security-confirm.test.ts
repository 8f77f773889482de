import { Database } from 'bun:sqlite'
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { CHROMIUM } from './chromium.ts'
import { type Dashboard, PICTURES, screenshot, startDashboard, type Visitor } from './harness.ts'
import { ask, claim, joinAs, OWNER } from './people.ts'
import { en } from './words.ts'

/** Screenshots at both widths. */
async function look(page: Page, name: string): Promise<void> {
  if (!PICTURES) return
  const before = page.viewportSize()
  for (const width of [390, 1440]) {
    await page.setViewportSize({ width, height: 900 })
    await screenshot(page, `${name}-${width}`)
  }
  if (before !== null) await page.setViewportSize(before)
}

describe.skipIf(CHROMIUM === null)('actions that need a recent sign-in (needs Chromium)', () => {
  let dashboard: Dashboard
  let owner: Visitor
  let workspace: string

  beforeAll(async () => {
    // Email can't be delivered there, but what requires it is shown.
    dashboard = await startDashboard({ SMTP_URL: 'smtp://127.0.0.1:1', MAIL_FROM: 'a@example.com' })
    owner = await dashboard.open()
    workspace = await claim(dashboard, owner.context)
    // Also builds the dashboard, on a machine that may be busy.
  }, 300_000)
  afterAll(async () => await dashboard?.dispose())

  /** Makes every session look as if it had been opened an hour ago. */
  function age(): void {
    const database = new Database(join(dashboard.slugline.dataDir, 'slugline.db'))
    database.run('UPDATE sessions SET created_at = created_at - 3600000')
    database.close()
  }

  const visit = async (path: string) => {
    await owner.page.goto(`${dashboard.url}/app/${path}`)
    await owner.settled()
  }

  test('ask for the password, and then continue', async () => {
    const { page } = owner
    age()
    await visit(`account?w=${workspace}`)
    await page.getByLabel(en('settings.email.new')).fill('new@example.com')
    await page.getByRole('button', { name: en('settings.email.submit') }).click()
    const dialog = page.getByRole('dialog', { name: en('auth.confirmIdentity.title') })
    await dialog.waitFor()
    await look(page, 'confirm-identity')
    await dialog.getByLabel(en('auth.password'), { exact: true }).fill('not the password')
    await dialog.getByRole('button', { name: en('auth.confirmIdentity.submit') }).click()
    await dialog.getByText('The password is wrong').waitFor()
    await dialog.getByLabel(en('auth.password'), { exact: true }).fill(OWNER.password)
    await dialog.getByRole('button', { name: en('auth.confirmIdentity.submit') }).click()
    await page.getByText(en('settings.email.sent', { email: 'new@example.com' })).waitFor()
    await visit(`account?w=${workspace}`)
    await page.getByText(en('settings.activity.email_change_requested')).waitFor()
    await look(page, 'account-activity')
  })

  test('ask also above an open dialog', async () => {
    const { page } = owner
    age()
    await visit(`account?w=${workspace}`)
    await page.getByRole('button', { name: en('settings.account.delete') }).click()
    const deletion = page.getByRole('dialog', { name: en('settings.account.delete.title') })
    await deletion.getByRole('textbox').fill(OWNER.email)
    await deletion.getByRole('button', { name: en('settings.account.delete') }).click()
    const dialog = page.getByRole('dialog', { name: en('auth.confirmIdentity.title') })
    await dialog.getByLabel(en('auth.password'), { exact: true }).fill(OWNER.password)
    await dialog.getByRole('button', { name: en('common.cancel') }).click()
    // Refused with the reason; nothing is deleted.
    await deletion.getByRole('alert').waitFor()
    expect((await ask(dashboard, owner.context, 'GET', '/session')).status).toBe(200)
  })

  test('a workspace that requires a second factor shows what to do', async () => {
    await visit(`settings?w=${workspace}`)
    await owner.page.getByLabel(en('settings.workspace.twoFactor')).check()
    await look(owner.page, 'workspace-second-factor')
    await owner.page
      .getByRole('button', { name: en('common.save') })
      .first()
      .click()
    await owner.page.getByText(en('common.saved')).waitFor()
    await visit(`links?w=${workspace}`)
    await owner.page.getByRole('heading', { name: en('common.needsTwoFactor') }).waitFor()
    await look(owner.page, 'needs-second-factor')
    await owner.page.getByRole('link', { name: en('common.needsTwoFactor.action') }).click()
    await owner.page
      .getByRole('heading', { name: en('settings.account') })
      .first()
      .waitFor()
  })
})

describe.skipIf(CHROMIUM === null)('removing and demoting (needs Chromium)', () => {
  test('offers to keep the keys, and otherwise revokes them', async () => {
    const dashboard = await startDashboard()
    try {
      const owner = await dashboard.open()
      const workspace = await claim(dashboard, owner.context)
      const cookies = await joinAs(dashboard, owner.context, workspace, 'admin')
      const admin = await dashboard.open({ storageState: cookies })
      const body = { name: 'theirs', scopes: ['links:read'] }
      const made = await ask(dashboard, admin.context, 'POST', '/keys', { workspace, body })
      expect(made.status).toBe(201)
      const { page } = owner
      await page.goto(`${dashboard.url}/app/members?w=${workspace}`)
      await owner.settled()
      await page.getByLabel(en('members.role.of', { name: 'A admin' })).click()
      await page.getByRole('option', { name: new RegExp(`^${en('role.viewer')}`) }).click()
      const dialog = page.getByRole('alertdialog')
      await dialog.getByLabel(en('members.keepKeys')).waitFor()
      await look(page, 'demote')
      await dialog
        .getByRole('button', { name: en('members.demote', { role: en('role.viewer') }) })
        .click()
      await dialog.waitFor({ state: 'detached' })
      const { data } = (
        await ask<{ data: { status: string }[] }>(
          dashboard,
          owner.context,
          'GET',
          '/keys?include_revoked=true',
          {
            workspace,
          },
        )
      ).body
      expect(data.map(({ status }) => status)).toEqual(['revoked'])
    } finally {
      await dashboard.dispose()
    }
  }, 120_000)
})
