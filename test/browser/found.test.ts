import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { eventually } from '../harness/eventually.ts'
import { CHROMIUM } from './chromium.ts'
import { type Dashboard, OUTPUT, startDashboard, type Visitor } from './harness.ts'
import { ask, claim } from './people.ts'
import { en } from './words.ts'

const LINKS = 2_400
/** Texts with numbers: the button, the bar, the confirmation. */
const FOUND = /all 2,400/
const SELECTED = /^2,400 links/
const DELETE = /2,400 links\?/
/** The text of a dry run of the first links, with their number. */
const WORKS = /1,000 links\.$/
const TRIED = /first 1,000 links/
describe.skipIf(CHROMIUM === null)('all matches of a filter (needs Chromium)', () => {
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

  test('all matches of a filter are changed, including those on unopened pages', async () => {
    const { page } = visitor
    await page.goto(`${dashboard.url}/app/links?tag=spring`)
    await page.getByRole('checkbox', { name: en('links.selectAll') }).click()
    await page.screenshot({ path: join(OUTPUT, 'found-1-page.png') })
    await page.getByRole('button', { name: FOUND }).click()
    await page.getByText(SELECTED).waitFor()
    await page.screenshot({ path: join(OUTPUT, 'found-2-all.png') })
    await page.getByRole('button', { name: en('links.disable') }).click()
    // The dry run is shown before anything is written.
    const dialog = page.getByRole('alertdialog')
    await dialog.getByText(WORKS).waitFor()
    await dialog.getByText(TRIED).waitFor()
    await page.screenshot({ path: join(OUTPUT, 'found-3-forecast.png') })
    const jobs = await ask(dashboard, visitor.context, 'GET', '/jobs', { workspace })
    expect(jobs.body).toMatchObject({ data: [] })
    await dialog.getByRole('button', { name: en('links.disable') }).click()
    // The job continues while other pages are shown, and is shown again after a reload.
    const card = page.getByRole('region', { name: en('jobs.kind.links') })
    await card.waitFor()
    await page.screenshot({ path: join(OUTPUT, 'found-4-job.png') })
    await page.goto(`${dashboard.url}/app/statistics`)
    await eventually('all are disabled', async () =>
      (await totalOf('tag=spring&status=disabled')) === LINKS ? true : undefined,
    )
    expect(await totalOf('status=active')).toBe(1)
  })

  test('deleting all matches needs a confirmation', async () => {
    const { page } = visitor
    await page.goto(`${dashboard.url}/app/links?tag=spring`)
    await page.getByRole('checkbox', { name: en('links.selectAll') }).click()
    await page.getByRole('button', { name: FOUND }).click()
    const bar = page.getByRole('region', { name: SELECTED })
    await bar.getByRole('button', { name: en('links.delete') }).click()
    const dialog = page.getByRole('alertdialog')
    await dialog.getByText(DELETE).waitFor()
    await page.screenshot({ path: join(OUTPUT, 'found-5-confirm.png') })
    await dialog.getByRole('button', { name: en('links.delete') }).click()
    await page
      .getByRole('region', { name: en('jobs.kind.links') })
      .getByText(en('jobs.state.succeeded'))
      .waitFor()
    await page.screenshot({ path: join(OUTPUT, 'found-6-done.png') })
    await page.getByRole('link', { name: en('jobs.all') }).click()
    const line = page.getByRole('listitem').filter({ hasText: en('jobs.kind.links') })
    await line.nth(1).waitFor()
    expect(await line.first().innerText()).toContain('Ada')
    expect(await totalOf('archived=any')).toBe(1)
  })

  test('a change of tags shows its dry run first', async () => {
    const { page, context } = visitor
    const body = { tags: Array.from({ length: 20 }, (_, n) => `t${n}`) }
    type Link = { id: string; tags: string[] }
    const read = async <T>(path: string) =>
      (await ask<T>(dashboard, context, 'GET', path, { workspace })).body
    const [other] = (await read<{ data: Link[] }>('/links?search=other')).data
    const path = `/links/${other?.id}`
    await ask(dashboard, context, 'PATCH', path, { workspace, body })
    await page.goto(`${dashboard.url}/app/links`)
    await page.getByRole('checkbox', { name: en('links.selectAll') }).click()
    const bar = page.getByRole('region', { name: /^1 link/ })
    await bar.getByRole('button', { name: en('links.field.tags') }).click()
    const tags = page.getByLabel(en('links.bulk.addTags'))
    await tags.fill('one-more')
    await tags.press('Enter')
    // The API's own reason, with the maximum number of tags.
    await page.getByText(/ 1 link: Tags: .*20/).waitFor()
    await page.screenshot({ path: join(OUTPUT, 'found-7-tags.png') })
    expect((await read<Link>(path)).tags).toHaveLength(20)
  })

  test('jobs are paginated', async () => {
    const { page, context } = visitor
    const body = { filter: { tag: ['none'] }, patch: { enabled: true }, expected: 0 }
    for (let n = 0; n < 50; n++) {
      await ask(dashboard, context, 'POST', '/links/bulk/by-filter', { workspace, body })
    }
    await page.goto(`${dashboard.url}/app/jobs`)
    const lines = page.getByRole('listitem').filter({ hasText: en('jobs.kind.links') })
    await lines.nth(49).waitFor()
    expect(await lines.count()).toBe(50)
    const more = page.getByRole('button', { name: en('audit.more'), exact: true })
    await more.click()
    await lines.nth(51).waitFor()
    // The two earlier ones are the oldest, and come last.
    expect(await lines.nth(51).innerText()).toContain('2,400')
    expect(await lines.count()).toBe(52)
    expect(await more.count()).toBe(0)
  })
})
