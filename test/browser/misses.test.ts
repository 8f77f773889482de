import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { startDns } from '../harness/dns.ts'
import { violations } from './axe.ts'
import { CHROMIUM } from './chromium.ts'
import { type Dashboard, startDashboard, type Visitor } from './harness.ts'
import { ask, claim } from './people.ts'
import { en } from './words.ts'

const HOST = 'links.example'

describe.skipIf(CHROMIUM === null)('missed visits (needs Chromium)', () => {
  let dns: Awaited<ReturnType<typeof startDns>>
  let dashboard: Dashboard
  let owner: Visitor

  beforeAll(async () => {
    dns = await startDns()
    dashboard = await startDashboard({ DNS_SERVERS: dns.server })
    owner = await dashboard.open()
    const workspace = await claim(dashboard, owner.context)
    const send = (path: string, body?: unknown) =>
      ask<{ id: string; verification: { name: string; value: string } }>(
        ...([dashboard, owner.context, 'POST', path, { workspace, body }] as const),
      )
    const { id, verification } = (await send('/domains', { host: HOST })).body
    dns.records.set(verification.name, [verification.value])
    expect((await send(`/domains/${id}/verify`)).status).toBe(200)
    const agent = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0'
    const headers = { 'user-agent': agent, host: HOST }
    const paths = ['summer-sale', 'summer-sale', 'wp-login.php', '%3Cb%3E%E2%80%AEx', '.env']
    for (const path of paths) {
      expect((await fetch(`${dashboard.url}/${path}`, { headers })).status).toBe(404)
    }
    await fetch(`${dashboard.url}/of-the-instance`, { headers: { 'user-agent': agent } })
  }, 300_000)
  afterAll(async () => {
    await dashboard?.dispose()
    dns?.close()
  })

  test('are listed under their domain without noise, and become a link by a click', async () => {
    const { page } = owner
    await page.goto('/app/domains')
    await page.getByText(en('domains.misses'), { exact: true }).click()
    const row = (path: string) => page.getByRole('row').filter({ hasText: path })
    await row('/summer-sale').waitFor()
    expect(await row('/summer-sale').getByRole('cell').nth(1).innerText()).toBe('2')
    // The character that would turn the text around is shown in its encoding.
    expect(await row('/<b>%E2%80%AEx').count()).toBe(1)
    expect(await row('/.env').isVisible()).toBe(false)
    await page.getByText(en('domains.misses.noise', { count: '2' })).click()
    await row('/.env').waitFor()
    await row('/wp-login.php').waitFor()
    expect(await violations(page)).toEqual([])
    const create = `${en('links.create')}: /summer-sale`
    await page.getByRole('button', { name: create }).click()
    const form = page.getByRole('dialog')
    await form
      .getByLabel(en('links.field.destination'), { exact: true })
      .fill('https://example.com/sale')
    expect(await form.getByLabel(en('links.field.slug'), { exact: true }).inputValue()).toBe(
      'summer-sale',
    )
    await form.getByRole('button', { name: en('links.create') }).click()
    await form.waitFor({ state: 'detached' })
    await page.goto('/app/domains')
    await page.getByText(en('domains.misses'), { exact: true }).click()
    await row('/<b>%E2%80%AEx').waitFor()
    expect(await row('/summer-sale').count()).toBe(0)
    expect(owner.faults).toEqual([])
  })

  test('of the instance’s hosts are listed on its page', async () => {
    const { page } = owner
    await page.goto('/app/instance')
    await page.locator('summary').filter({ hasText: 'localhost' }).click()
    await page.getByRole('row').filter({ hasText: '/of-the-instance' }).waitFor()
    expect(await violations(page)).toEqual([])
    expect(owner.faults).toEqual([])
  })
})
