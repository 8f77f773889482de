import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdirSync } from 'node:fs'
import { violations } from './axe.ts'
import { CHROMIUM } from './chromium.ts'
import { type Dashboard, startDashboard, type Visitor } from './harness.ts'
import { layoutFaults } from './layout.ts'
import { ask, claim, joinAs } from './people.ts'
import { en, type Word, wordsOf } from './words.ts'

const LANGUAGES = ['en', 'de', 'ar'] as const
/** A folder for screenshots of every state; absent: none are taken. */
const SHOTS = process.env.WEBHOOK_SHOTS

describe.skipIf(CHROMIUM === null)('webhooks (needs Chromium)', () => {
  let dashboard: Dashboard
  let owner: Visitor
  let workspace: string
  let receiver: ReturnType<typeof Bun.serve>
  let status = 200
  let secret = ''

  beforeAll(async () => {
    receiver = Bun.serve({
      hostname: '127.0.0.1',
      port: 0,
      fetch: () => new Response('{"thanks":true}', { status }),
    })
    dashboard = await startDashboard({ OUTGOING_ALLOWED_NETWORKS: '127.0.0.0/8' })
    owner = await dashboard.open({ viewport: { width: 1440, height: 900 } })
    workspace = await claim(dashboard, owner.context)
    await ask(dashboard, owner.context, 'POST', '/tags', { workspace, body: { name: 'spring' } })
  }, 300_000)
  afterAll(async () => {
    await receiver?.stop(true)
    await dashboard?.dispose()
  })

  const url = () => `http://127.0.0.1:${receiver.port}/hook`
  const button = (word: Word) => owner.page.getByRole('button', { name: en(word), exact: true })
  const dialog = () => owner.page.getByRole('dialog')
  const menu = async (word: Word) => {
    await button('common.more').first().click()
    await owner.page.getByRole('menuitem', { name: en(word) }).click()
  }
  const webhooks = async () =>
    (
      await ask<{ data: { id: string; enabled: boolean; types: string[]; filter: unknown }[] }>(
        ...([dashboard, owner.context, 'GET', '/webhooks', { workspace }] as const),
      )
    ).body.data

  test('are created with events in words; the secret is shown once', async () => {
    const { page } = owner
    await page.goto('/app/webhooks')
    await page.getByText(en('webhooks.empty.title')).waitFor()
    await button('webhooks.create').first().click()
    await dialog().getByLabel(en('webhooks.url'), { exact: true }).fill(url())
    await dialog()
      .getByRole('button', { name: en('webhooks.create') })
      .click()
    await dialog().getByText(en('webhooks.types.needed')).waitFor()
    await dialog()
      .getByRole('checkbox', { name: en('shell.links'), exact: true })
      .check()
    await dialog()
      .getByRole('checkbox', { name: en('tags.title'), exact: true })
      .check()
    expect(await violations(page)).toEqual([])
    await dialog()
      .getByRole('button', { name: en('webhooks.create') })
      .click()
    const shown = dialog().getByRole('region', { name: en('webhooks.secret') })
    secret = (await shown.locator('code').innerText()).trim()
    expect(secret).toMatch(/^whsec_/)
    expect(await violations(page)).toEqual([])
    // Leaving asks first.
    await button('keys.made.close').click()
    await button('webhooks.secret.stay').click()
    await page.getByRole('checkbox', { name: en('webhooks.secret.kept') }).check()
    await button('keys.made.close').click()
    await dialog().waitFor({ state: 'detached' })
    const [made] = await webhooks()
    expect(made?.types).toContain('link.created')
    expect(made?.types).not.toContain('key.created')
    expect(made?.filter).toBeNull()
  }, 120_000)

  test('show requests beside responses, which can be sent again', async () => {
    const { page } = owner
    await page.getByRole('link', { name: url() }).click()
    await page.getByText(en('webhooks.deliveries.none')).waitFor()
    await button('webhooks.test').click()
    const row = page.getByRole('listitem').filter({ hasText: en('webhooks.delivery.succeeded') })
    await row.first().waitFor()
    await row.first().locator('summary').click()
    const request = row.first().getByRole('region', { name: en('webhooks.request') })
    await request.getByText('"sequence"').waitFor()
    const response = row.first().getByRole('region', { name: en('webhooks.response') })
    await response.getByText('{"thanks":true}').waitFor()
    await response.getByText(/^200/).waitFor()
    expect(await violations(page)).toEqual([])
    const [webhook] = await webhooks()
    const deliveries = async () =>
      (
        await ask<{ data: unknown[] }>(
          ...([
            dashboard,
            owner.context,
            'GET',
            `/webhooks/${webhook?.id}/deliveries?limit=100`,
            { workspace },
          ] as const),
        )
      ).body.data.length
    const before = await deliveries()
    await row
      .first()
      .getByRole('button', { name: en('members.invitation.resend') })
      .click()
    await page.getByText(en('webhooks.resent')).first().waitFor()
    expect(await deliveries()).toBeGreaterThanOrEqual(before)
  }, 120_000)

  test('show failures, by a filter in the URL too', async () => {
    const { page } = owner
    status = 500
    await ask(dashboard, owner.context, 'POST', '/links', {
      workspace,
      body: { destination_url: 'https://example.com/', slug: 'fails' },
    })
    const failing = page.getByText(/^500/).first()
    await page.reload()
    await failing.waitFor()
    await page.getByText(en('webhooks.status.failing'), { exact: true }).first().waitFor()
    await page.getByRole('combobox', { name: en('links.field.status') }).click()
    await page.getByRole('option', { name: en('webhooks.delivery.pending') }).click()
    await failing.waitFor()
    expect(new URL(page.url()).search).toBe('?status=pending')
    status = 200
  }, 120_000)

  test('are changed, disabled, replayed, and get a new secret', async () => {
    const { page } = owner
    await button('links.edit').click()
    await dialog().locator('summary').click()
    const tags = dialog().getByRole('combobox', { name: en('tags.title'), exact: true })
    await tags.click()
    await page.getByRole('option').filter({ hasText: 'spring' }).click()
    await tags.press('Escape')
    await button('common.save').click()
    await dialog().waitFor({ state: 'detached' })
    await page.getByText('spring').first().waitFor()
    expect((await webhooks())[0]?.filter).toEqual({ tags: ['spring'] })

    await menu('webhooks.rotate')
    await page
      .getByRole('alertdialog')
      .getByRole('button', { name: en('webhooks.rotate') })
      .click()
    const shown = dialog().getByRole('region', { name: en('webhooks.secret') })
    expect((await shown.locator('code').innerText()).trim()).not.toBe(secret)
    await page.getByRole('checkbox', { name: en('webhooks.secret.kept') }).check()
    await button('keys.made.close').click()

    await menu('webhooks.replay')
    await dialog().getByLabel(en('webhooks.replay.time'), { exact: true }).fill('2026-01-31T09:30')
    await dialog()
      .getByRole('button', { name: en('webhooks.replay.byEvent') })
      .click()
    await dialog().getByLabel(en('webhooks.replay.after'), { exact: true }).fill('nonsense')
    await dialog()
      .getByRole('button', { name: en('webhooks.replay') })
      .click()
    await dialog().locator('[aria-invalid=true]').waitFor()
    // The time is still there.
    await dialog()
      .getByRole('button', { name: en('webhooks.replay.byTime') })
      .click()
    await dialog()
      .getByRole('button', { name: en('webhooks.replay') })
      .click()
    await dialog().waitFor({ state: 'detached' })

    const disabled = page.getByText(en('links.status.disabled'), { exact: true })
    await menu('links.disable')
    await disabled.first().waitFor()
    expect((await webhooks())[0]?.enabled).toBe(false)
    await button('common.undo').click()
    await disabled.waitFor({ state: 'detached' })
    expect((await webhooks())[0]?.enabled).toBe(true)
    await menu('links.disable')
    await disabled.first().waitFor()
    await menu('links.enable')
    await disabled.waitFor({ state: 'detached' })
    expect((await webhooks())[0]?.enabled).toBe(true)
  }, 120_000)

  test('fit and pass axe', async () => {
    const [webhook] = await webhooks()
    const state = await owner.context.storageState()
    if (SHOTS) mkdirSync(SHOTS, { recursive: true })
    for (const language of LANGUAGES) {
      const t = wordsOf(language)
      const visitor = await dashboard.open({ locale: language, storageState: state })
      const { page } = visitor
      const look = async (name: string) => {
        const found: string[] = []
        for (const [width, theme] of [
          [1440, 'light'],
          [390, 'dark'],
        ] as const) {
          await page.setViewportSize({ width, height: 900 })
          await page.evaluate(`document.documentElement.dataset.theme = '${theme}'`)
          await visitor.settled()
          if (SHOTS) {
            await page.screenshot({ path: `${SHOTS}/${name}-${language}-${width}-${theme}.png` })
          }
          const faults = await layoutFaults(page)
          // As in pages.test.ts: what axe finds hardly depends on the language, but on the direction.
          if (language !== 'de') faults.push(...(await violations(page)))
          found.push(...faults.map((fault) => `${width} ${theme}: ${fault}`))
        }
        expect([language, name, found]).toEqual([language, name, []])
      }
      await page.goto('/app/webhooks')
      await page.getByRole('link', { name: url() }).waitFor()
      await look('list')
      await page.goto('/app/webhooks?create=true')
      await page.getByRole('checkbox', { name: t('shell.links'), exact: true }).waitFor()
      await look('create')
      await page.goto(`/app/webhooks/${webhook?.id}`)
      await page.locator('main summary').first().click()
      await page
        .getByRole('region', { name: t('webhooks.request') })
        .first()
        .waitFor()
      await look('page')
      await visitor.close()
    }
  }, 240_000)

  test('are deleted, and not for members', async () => {
    const { page } = owner
    await menu('links.delete')
    await page
      .getByRole('alertdialog')
      .getByRole('button', { name: en('links.delete') })
      .click()
    await page.getByText(en('webhooks.empty.title')).waitFor()
    expect(await webhooks()).toEqual([])
    expect(owner.faults).toEqual([])
    const storageState = await joinAs(dashboard, owner.context, workspace, 'member')
    const member = await dashboard.open({ storageState })
    await member.page.goto('/app/webhooks')
    await member.page.getByText(en('webhooks.forbidden')).waitFor()
    await member.close()
  }, 120_000)
})
