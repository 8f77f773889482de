import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { startDns } from '../harness/dns.ts'
import { eventually } from '../harness/eventually.ts'
import { violations } from './axe.ts'
import { CHROMIUM } from './chromium.ts'
import { type Dashboard, startDashboard, type Visitor } from './harness.ts'
import { ask, claim } from './people.ts'
import { en } from './words.ts'

describe.skipIf(CHROMIUM === null)('domains, and deleting clicks (needs Chromium)', () => {
  let dns: Awaited<ReturnType<typeof startDns>>
  let dashboard: Dashboard
  let owner: Visitor
  let workspace = ''

  beforeAll(async () => {
    dns = await startDns()
    dashboard = await startDashboard({ DNS_SERVERS: dns.server })
    owner = await dashboard.open()
    workspace = await claim(dashboard, owner.context)
  }, 300_000)
  afterAll(async () => {
    await dashboard?.dispose()
    dns?.close()
  })

  test('a domain is added, verified, branded, and kept while it has links', async () => {
    const { page, context } = owner
    const send = (method: string, path: string, body?: unknown) =>
      ask<{ id: string; verification: { name: string; value: string } }>(
        ...([dashboard, context, method, path, { workspace, body }] as const),
      )
    await page.goto('/app/domains')
    await page
      .getByRole('button', { name: en('domains.add') })
      .first()
      .click()
    await page.getByLabel(en('domains.host')).fill('Links.Example')
    await page
      .getByRole('dialog')
      .getByRole('button', { name: en('domains.add') })
      .click()
    const title = page.getByRole('heading', { level: 2, name: 'links.example' })
    const card = page.locator('main li').filter({ has: title })
    await card.getByText(en('domains.status.pending')).waitFor()
    const name = await card.getByText('_slugline').first().innerText()
    const found = 'slugline-verification=of-somebody-else "v=1"'
    dns.records.set(name.trim(), [found])
    const look = card.getByRole('button', { name: en('domains.check') })
    await look.click()
    // The resolver's answer, verbatim.
    await card.getByText(found, { exact: true }).waitFor()
    expect(await violations(page)).toEqual([])
    dns.records.set(name.trim(), [
      found,
      await card
        .getByText(/^slugline/)
        .first()
        .innerText(),
    ])
    await look.click()
    // It is verified, but nothing points to it.
    await card.getByText(en('domains.status.setup')).waitFor()
    const steps = card.getByRole('list').getByRole('listitem')
    await steps.nth(0).getByText(en('domains.state.done')).waitFor()
    await steps.nth(1).getByText(en('domains.found.none')).waitFor()
    expect(await violations(page)).toEqual([])
    dns.hosts.set('links.example', [{ type: 'A', value: '127.0.0.2' }])
    // Without a click: it is checked again by itself.
    await steps.nth(1).getByText('A 127.0.0.2').waitFor()
    await steps.nth(3).getByText(en('domains.error.UNREACHABLE')).waitFor()
    expect(await violations(page)).toEqual([])
    const ready = { status: 'done', error: null }
    await page.route('**/domains/*/setup', async (route) => {
      const answer = await route.fetch()
      const setup = await answer.json()
      const dns = { ...setup.dns, ...ready }
      await route.fulfill({ response: answer, json: { ...setup, ready: true, dns } })
    })
    await card.getByText(en('links.status.active')).waitFor()
    expect(await steps.count()).toBe(0)
    await card.getByRole('button', { name: new RegExp(`^${en('shell.settings')}`) }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel(en('domains.brand.name')).fill('Acme & Sons')
    await dialog.getByLabel(en('domains.brand.color')).fill('#ffffff')
    expect(await violations(page)).toEqual([])
    await dialog.getByRole('button', { name: en('common.save') }).click()
    await dialog.waitFor({ state: 'detached' })
    const visit = async (path: string) => {
      const headers = { host: 'links.example', accept: 'text/html' }
      return await (await fetch(`${dashboard.url}/${path}`, { headers })).text()
    }
    const dressed = await visit('')
    expect(dressed).toContain('Acme &amp; Sons')
    // No logo: its initial.
    expect(dressed).toMatch(/class="mark"[^>]*>A</)
    const on = { destination_url: 'https://example.com/', domain: 'links.example' }
    const made = await send('POST', '/links', { ...on, slug: 'locked', password: 'over the hills' })
    expect(made.status).toBe(201)
    // With several hosts, rows name theirs.
    const list = await context.newPage()
    await list.goto('/app/links')
    await list.locator('[data-row-link]').filter({ hasText: 'links.example/' }).waitFor()
    await list.close()
    // A color like the page's: the focus and the button can be seen nevertheless.
    const { page: visitor, close } = await dashboard.open({ colorScheme: 'light' })
    await visitor.setContent(await visit('locked'))
    await visitor.locator('input').focus()
    const colors = await visitor.evaluate(`[
      getComputedStyle(document.querySelector('input')).outlineColor,
      getComputedStyle(document.querySelector('.button')).boxShadow,
    ]`)
    await close()
    const [focus, edge] = colors as [string, string]
    expect(focus).not.toBe('rgb(255, 255, 255)')
    expect(edge).not.toBe('none')
    const remove = async () => {
      await card.getByRole('button', { name: new RegExp(`^${en('domains.delete')}`) }).click()
      const confirm = page.getByRole('alertdialog')
      await confirm.getByRole('button', { name: en('domains.delete') }).click()
      return confirm
    }
    const refused = await remove()
    await refused.getByRole('alert').waitFor()
    await refused.getByRole('button', { name: en('common.cancel') }).click()
    await send('DELETE', `/links/${made.body.id}`)
    await (await remove()).waitFor({ state: 'detached' })
    await page.getByText(en('domains.empty.title')).waitFor()
    expect(owner.faults).toEqual([])
  })

  test('clicks before a day are deleted permanently, after their number was shown', async () => {
    const { page, context } = owner
    const link = { destination_url: 'https://example.com/', slug: 'seen' }
    type Made = { id: string; clicks: { total: number } }
    const made = await ask<Made>(dashboard, context, 'POST', '/links', { workspace, body: link })
    const { id } = made.body
    for (const n of [1, 2, 3]) {
      const headers = {
        'user-agent': `Mozilla/5.0 (X11; Linux x86_64; rv:14${n}.0) Firefox/14${n}.0`,
      }
      await fetch(`${dashboard.url}/seen`, { headers, redirect: 'manual' })
    }
    await eventually('the clicks are stored', async () => {
      type Answer = { totals: { clicks: number } }
      const path = `/links/${id}/stats?bots=include`
      const { body } = await ask<Answer>(dashboard, context, 'GET', path, { workspace })
      return body.totals.clicks === 3 ? true : undefined
    })
    await page.goto(`/app/links/${id}`)
    await page.locator('main [aria-haspopup=menu]').first().click()
    await page.getByRole('menuitem', { name: en('links.clicks.delete.open') }).click()
    const dialog = page.getByRole('alertdialog')
    const remove = dialog.getByRole('button', { name: en('links.clicks.delete'), exact: true })
    await remove.click()
    await dialog.locator('[aria-invalid=true]').waitFor()
    await dialog.getByLabel(en('links.clicks.delete.before')).fill('2999-01-01')
    await dialog.getByText(/\b3\b/).waitFor()
    expect(await violations(page)).toEqual([])
    await remove.click()
    await dialog.waitFor({ state: 'detached' })
    const { body } = await ask<{ clicks: object }>(
      dashboard,
      owner.context,
      'GET',
      `/links/${id}`,
      {
        workspace,
      },
    )
    expect(body.clicks).toMatchObject({ total: 0, human: 0 })
    await page.getByText(en('statistics.overview.none')).waitFor()
  })
})
