import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { eventually } from '../harness/eventually.ts'
import { CHROMIUM } from './chromium.ts'
import { type Dashboard, PICTURES, screenshot, startDashboard, type Visitor } from './harness.ts'
import { ask, claim } from './people.ts'
import { en } from './words.ts'

const LINKS = 1_200
/** Texts with numbers: the button, the bar, the confirmation. */
const FOUND = /all 1,200/
const SELECTED = /^1,200 links/
const DELETE = /1,200 links\?/
/** The text of a dry run of the first links, with their number. */
const WORKS = /^1,000 links/
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
    if (PICTURES) await screenshot(page, 'found-1-page')
    await page.getByRole('button', { name: FOUND }).click()
    await page.getByText(SELECTED).waitFor()
    if (PICTURES) await screenshot(page, 'found-2-all')
    await page.getByRole('button', { name: en('links.disable') }).click()
    // The dry run is shown before anything is written.
    const dialog = page.getByRole('alertdialog')
    await dialog.getByText(WORKS).waitFor()
    await dialog.getByText(TRIED).waitFor()
    if (PICTURES) await screenshot(page, 'found-3-forecast')
    const jobs = await ask(dashboard, visitor.context, 'GET', '/jobs', { workspace })
    expect(jobs.body).toMatchObject({ data: [] })
    await dialog.getByRole('button', { name: en('links.disable') }).click()
    // The job continues while other pages are shown, and is shown again after a reload.
    const card = page.getByRole('region', { name: en('jobs.kind.links') })
    await card.waitFor()
    if (PICTURES) await screenshot(page, 'found-4-job')
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
    if (PICTURES) await screenshot(page, 'found-5-confirm')
    await dialog.getByRole('button', { name: en('links.delete') }).click()
    await page
      .getByRole('region', { name: en('jobs.kind.links') })
      .getByText(en('jobs.state.succeeded'))
      .waitFor()
    if (PICTURES) await screenshot(page, 'found-6-done')
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
    await page.getByText(/1 link [^:]*: Tags: .*20/).waitFor()
    if (PICTURES) await screenshot(page, 'found-7-tags')
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
    expect(await lines.nth(51).innerText()).toContain('1,200')
    expect(await lines.count()).toBe(52)
    expect(await more.count()).toBe(0)
  })
})
