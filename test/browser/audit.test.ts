import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { eventually } from '../harness/eventually.ts'
import { violations } from './axe.ts'
import { CHROMIUM } from './chromium.ts'
import { type Dashboard, PICTURES, screenshot, startDashboard, type Visitor } from './harness.ts'
import { ask, claim, OWNER } from './people.ts'
import { en } from './words.ts'

const RECORDS = 120

describe.skipIf(CHROMIUM === null)('the audit log (needs Chromium)', () => {
  let dashboard: Dashboard
  let owner: Visitor
  let workspace: string

  const call = async <T>(method: string, path: string, body?: object) =>
    (await ask<T>(dashboard, owner.context, method, path, { workspace, ...(body && { body }) }))
      .body

  beforeAll(async () => {
    dashboard = await startDashboard()
    owner = await dashboard.open()
    workspace = await claim(dashboard, owner.context)
    const link = { destination_url: 'https://example.com/', slug: 'single' }
    await call('POST', '/links', link)
    const rows = Array.from({ length: RECORDS }, (_, i) => `https://example.com/${i},slug-${i}`)
    const file = ['Long URL,Slug', ...rows, ''].join('\n')
    const started = await owner.context.request.fetch(
      `${dashboard.url}/app/api/v1/imports?file_name=spring.csv`,
      {
        method: 'POST',
        headers: {
          Origin: dashboard.url,
          'Slugline-Workspace': workspace,
          'Content-Type': 'text/csv',
        },
        data: file,
      },
    )
    const { id } = await started.json()
    await eventually('the import has ended', async () => {
      const job = await call<{ status: string }>('GET', `/jobs/${id}`)
      return job.status === 'succeeded' ? true : undefined
    })
    await call('POST', '/keys', { name: 'partner', scopes: ['links:read'] })
  }, 300_000)
  afterAll(async () => await dashboard?.dispose())

  const entries = () => owner.page.locator('main section ol > li')
  const choose = async (list: string, option: string) => {
    const { page } = owner
    await page.getByRole('combobox', { name: list, exact: true }).click()
    await page.getByRole('option', { name: option, exact: true }).click()
  }

  test('has one entry of an import, which opens', async () => {
    const { page } = owner
    await page.goto('/app/audit')
    const job = entries().filter({ hasText: 'spring.csv' })
    await job.waitFor()
    expect(await entries().count()).toBeLessThan(10)
    await job.locator('button[aria-expanded=false]').click()
    await entries().filter({ hasText: 'slug-119' }).first().waitFor()
    if (PICTURES) await screenshot(page, 'audit-open')
    expect(await violations(page)).toEqual([])
    const older = page.getByRole('button', { name: en('audit.more') })
    await older.click()
    await entries().filter({ hasText: 'slug-30' }).first().waitFor()
    await older.click()
    await entries().filter({ hasText: 'slug-0' }).first().waitFor()
    await older.waitFor({ state: 'detached' })
    await job.locator('button[aria-expanded=true]').first().click()
    await entries().filter({ hasText: 'slug-119' }).first().waitFor({ state: 'detached' })
  })

  test('is filtered by person, by kind and action, and searched', async () => {
    const { page } = owner
    await page.goto('/app/audit')
    await choose(en('audit.filter.action'), en('shell.keys'))
    await page.waitForURL(/kind=keys/)
    await entries().filter({ hasText: 'single' }).waitFor({ state: 'detached' })
    expect(await entries().count()).toBe(1)
    expect(await entries().innerText()).toContain('partner')

    await choose(en('audit.filter.action'), en('shell.links'))
    await entries().filter({ hasText: 'spring.csv' }).waitFor()
    expect(await entries().count()).toBe(2)
    await choose(en('audit.filter.who'), en('audit.by.command'))
    await page.getByText(en('audit.none.title')).waitFor()
    await choose(en('audit.filter.who'), OWNER.name)
    await page.waitForURL(/actor=usr_/)
    await entries().filter({ hasText: 'single' }).waitFor()
    expect(await violations(page)).toEqual([])

    await page.getByRole('button', { name: en('audit.filter.clear') }).click()
    await page.getByRole('searchbox').fill('SLUG-77')
    await page.waitForURL(/search=SLUG-77/)
    await entries().filter({ hasText: 'slug-77' }).waitFor()
    expect(await entries().count()).toBe(1)
    await page.goBack()
    await entries().filter({ hasText: 'spring.csv' }).waitFor()
    expect(await page.getByRole('searchbox').inputValue()).toBe('')
    expect(owner.faults).toEqual([])
  })
})
