import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { eventually } from '../harness/eventually.ts'
import { CHROMIUM } from './chromium.ts'
import { type Dashboard, OUTPUT, startDashboard, type Visitor } from './harness.ts'
import { ask, claim } from './people.ts'
import { en } from './words.ts'

const LINKS = 2_400
/** Texts with numbers: the button, the bar, the question. */
const FOUND = /all 2,400/
const SELECTED = /^2,400 links/
const DELETE = /2,400 links\?/
describe.skipIf(CHROMIUM === null)('all that a filter finds (needs Chromium)', () => {
  let dashboard: Dashboard
  let visitor: Visitor
  let workspace: string

  beforeAll(async () => {
    dashboard = await startDashboard()
    visitor = await dashboard.open({ viewport: { width: 1440, height: 900 } })
    workspace = await claim(dashboard, visitor.context)
    await dashboard.slugline.cli('workspaces', 'set-plan', 'Acme', 'pro')
    for (let made = 0; made < LINKS; made += 600) {
      const operations = Array.from({ length: 600 }, (_, n) => ({
        op: 'create',
        link: { destination_url: `https://example.com/${made + n}`, tags: ['spring'] },
      }))
      await ask(dashboard, visitor.context, 'POST', '/links/bulk', {
        workspace,
        body: { operations },
      })
    }
    await ask(dashboard, visitor.context, 'POST', '/links', {
      workspace,
      body: { destination_url: 'https://example.com/', slug: 'other' },
    })
    // Also builds the dashboard, on a machine that may be busy.
  }, 300_000)
  afterAll(async () => {
    await visitor?.close()
    await dashboard?.dispose()
  })

  const totalOf = async (query: string) => {
    const path = `/links?limit=1&${query}`
    const answer = await ask<{ pagination: { total: number } }>(
      dashboard,
      visitor.context,
      'GET',
      path,
      { workspace },
    )
    return answer.body.pagination.total
  }

  test('all that a filter finds are changed, on pages that were never opened too', async () => {
    const { page } = visitor
    await page.goto(`${dashboard.url}/app/links?tag=spring`)
    await page.getByRole('checkbox', { name: en('links.selectAll') }).click()
    await page.screenshot({ path: join(OUTPUT, 'found-1-page.png') })
    await page.getByRole('button', { name: FOUND }).click()
    await page.getByText(SELECTED).waitFor()
    await page.screenshot({ path: join(OUTPUT, 'found-2-all.png') })
    await page.getByRole('button', { name: en('links.disable') }).click()
    // The job goes on while other pages are looked at, and is found again after a reload.
    const card = page.getByRole('region', { name: en('jobs.kind.links') })
    await card.waitFor()
    await page.screenshot({ path: join(OUTPUT, 'found-3-job.png') })
    await page.goto(`${dashboard.url}/app/statistics`)
    await eventually('all are disabled', async () =>
      (await totalOf('tag=spring&status=disabled')) === LINKS ? true : undefined,
    )
    expect(await totalOf('status=active')).toBe(1)
  })

  test('deleting all that a filter finds asks first', async () => {
    const { page } = visitor
    await page.goto(`${dashboard.url}/app/links?tag=spring`)
    await page.getByRole('checkbox', { name: en('links.selectAll') }).click()
    await page.getByRole('button', { name: FOUND }).click()
    const bar = page.getByRole('region', { name: SELECTED })
    await bar.getByRole('button', { name: en('links.delete') }).click()
    const dialog = page.getByRole('alertdialog')
    await dialog.getByText(DELETE).waitFor()
    await page.screenshot({ path: join(OUTPUT, 'found-4-confirm.png') })
    await dialog.getByRole('button', { name: en('links.delete') }).click()
    await page
      .getByRole('region', { name: en('jobs.kind.links') })
      .getByText(en('jobs.state.succeeded'))
      .waitFor()
    await page.screenshot({ path: join(OUTPUT, 'found-5-done.png') })
    await page.getByRole('link', { name: en('jobs.all') }).click()
    const line = page.getByRole('listitem').filter({ hasText: en('jobs.kind.links') })
    await line.nth(1).waitFor()
    expect(await line.first().innerText()).toContain('Ada')
    expect(await totalOf('archived=any')).toBe(1)
  })
})
