import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { violations } from './axe.ts'
import { CHROMIUM } from './chromium.ts'
import { type Dashboard, OUTPUT, startDashboard, type Visitor } from './harness.ts'
import { ask, claim, heading } from './people.ts'
import { en } from './words.ts'

const FIXTURES = resolve(import.meta.dir, '../../src/features/imports/testing')

describe.skipIf(CHROMIUM === null)('imports in the dashboard (needs Chromium)', () => {
  let dashboard: Dashboard
  let owner: Visitor
  let workspace: string

  beforeAll(async () => {
    dashboard = await startDashboard({ OUTGOING_ALLOWED_NETWORKS: '127.0.0.0/8' })
    owner = await dashboard.open()
    workspace = await claim(dashboard, owner.context)
  })
  afterAll(() => dashboard.dispose())

  const look = async (name: string) => {
    mkdirSync(OUTPUT, { recursive: true })
    await owner.settled()
    if (process.env.SCREENSHOTS) {
      await owner.page.screenshot({ path: join(OUTPUT, `import-${name}.png`), fullPage: true })
    }
    expect(await violations(owner.page)).toEqual([])
  }
  const press = (name: string) => owner.page.getByRole('button', { name, exact: true }).click()
  const shows = (name: string, count: string) =>
    owner.page.locator('dl > div', { hasText: name }).getByText(count, { exact: true }).waitFor()

  test('a file is previewed, checked, imported, left, reopened, and undone', async () => {
    const { page } = owner
    const made = { workspace, body: { name: 'Campaigns' } }
    const { id: folder } = (
      await ask<{ id: string }>(dashboard, owner.context, 'POST', '/folders', made)
    ).body
    await page.goto('/app/links')
    await page.getByRole('link', { name: en('imports.link'), exact: true }).click()
    await heading(page, en('imports.title'))
    await look('choose')
    await page.getByLabel(en('imports.choose')).setInputFiles(join(FIXTURES, 'dub.csv'))
    await page.getByText('dub.csv').waitFor()
    await page.getByRole('main').getByLabel(en('links.field.folder')).click()
    await page.getByRole('button', { name: 'Campaigns' }).click()
    await look('plan')

    await press(en('imports.check'))
    await shows(en('imports.number.created'), '1')
    await shows(en('imports.number.refused'), '2')
    await look('checked')

    // The server has kept the file.
    const checked = page.url()
    await page.reload()
    await shows(en('imports.number.created'), '1')
    await page.getByRole('status').filter({ hasText: 'dub.csv' }).waitFor()
    await press(en('imports.start'))
    await page.getByRole('button', { name: en('imports.undo') }).waitFor()
    await page.getByRole('status').filter({ hasText: 'dub.csv' }).waitFor()
    const { body: links } = await ask<{ data: { folder_id: string }[] }>(
      ...([dashboard, owner.context, 'GET', '/links', { workspace }] as const),
    )
    expect(links.data.map(({ folder_id }) => folder_id)).toEqual([folder])
    await look('imported')
    const address = page.url()

    await page.goto(checked)
    await page.getByRole('link', { name: en('imports.view') }).click()
    await page.getByRole('button', { name: en('imports.undo') }).waitFor()
    expect(page.url()).toBe(address)
    await page.goto('/app/import')
    await page.getByRole('heading', { name: en('imports.recent') }).waitFor()
    expect(await page.getByRole('link').filter({ hasText: 'dub.csv' }).count()).toBe(2)
    await look('recent')
    await page.goto('/app/jobs')
    const line = page
      .getByRole('listitem')
      .filter({ hasText: `${en('imports.number.created')}: 1` })
    await line.getByRole('button', { name: en('common.undo'), exact: true }).click()
    const question = page.getByRole('alertdialog')
    await question.getByRole('button', { name: en('imports.undo') }).click()
    await page.getByText(`${en('imports.number.deleted')}: 1`).waitFor()
    await page.getByText(en('jobs.undone')).waitFor()
    expect(await page.getByRole('button', { name: en('common.undo'), exact: true }).count()).toBe(0)
    await look('undone')
    await page.goto(address)
    await page.getByRole('button', { name: en('imports.undo') }).waitFor()
    // It asks as the list of jobs does.
    await press(en('imports.undo'))
    await question.getByRole('button', { name: en('common.cancel') }).click()
    await question.waitFor({ state: 'detached' })
    expect(owner.faults).toEqual([])
  }, 120_000)

  test('an unknown table is mapped by hand', async () => {
    const { page } = owner
    await page.goto('/app/import')
    await page.getByLabel(en('imports.choose')).setInputFiles(join(FIXTURES, 'mapped.csv'))
    await page.getByText(en('imports.unknownFormat')).waitFor()
    const check = page.getByRole('button', { name: en('imports.check'), exact: true })
    expect(await check.isDisabled()).toBe(true)
    await page.getByRole('combobox', { name: en('links.field.destination') }).click()
    await page.getByRole('option', { name: 'Adresse' }).click()
    await page.getByRole('combobox', { name: en('links.field.slug'), exact: true }).click()
    await page.getByRole('option', { name: 'Kürzel' }).click()
    await look('mapping')
    await check.click()
    await shows(en('imports.number.created'), '2')
    await shows(en('imports.number.refused'), '1')
  }, 120_000)

  test('a running job is left, reopened, and cancelled', async () => {
    const { page } = owner
    // A service that never responds, so that the job runs until it is cancelled.
    const service = Bun.serve({
      ...{ port: 0, hostname: '127.0.0.1', idleTimeout: 0 },
      fetch: () => new Promise<Response>(() => {}),
    })
    const body = { source: 'shlink', base_url: String(service.url), token: 'a token' }
    const path = '/imports/remote'
    const asked = { workspace, body }
    const { body: job } = await ask<{ id: string }>(dashboard, owner.context, 'POST', path, asked)
    await page.goto('/app/jobs')
    const cancel = page.getByRole('button', { name: en('common.cancel'), exact: true })
    await cancel.waitFor()
    await look('running')
    // The number of links is still unknown.
    const bar = page.getByRole('progressbar')
    expect(await bar.first().getAttribute('aria-valuenow')).toBeNull()

    await page
      .getByRole('link', { name: en('shell.links'), exact: true })
      .first()
      .click()
    await heading(page, en('shell.links'))
    const card = page.getByRole('region', { name: en('jobs.kind.import') })
    await card.getByRole('progressbar').waitFor()
    await look('elsewhere')
    // On a phone, toasts take its place while they are shown.
    await page.setViewportSize({ width: 390, height: 844 })
    await page.keyboard.press('c')
    const form = page.getByRole('dialog')
    await form
      .getByLabel(en('links.field.destination'), { exact: true })
      .fill('https://example.com/')
    await page.keyboard.press('Enter')
    const toast = page.locator('[data-toast]')
    await toast.waitFor()
    // Nothing that can be focused is hidden from screen readers.
    expect(await toast.locator('button[aria-hidden=true], [aria-hidden=true] button').count()).toBe(
      0,
    )
    await card.waitFor({ state: 'hidden' })
    await toast.getByLabel(en('common.close')).click()
    await card.waitFor()
    await page.setViewportSize({ width: 1280, height: 900 })
    await card.getByRole('link', { name: en('jobs.all') }).click()
    await heading(page, en('jobs.title'))

    await cancel.click()
    const line = page.getByRole('listitem').filter({ hasText: en('jobs.state.cancelled') })
    await line.getByText(en('jobs.kind.import')).waitFor()
    await cancel.waitFor({ state: 'detached' })
    const now = await ask(dashboard, owner.context, 'GET', `/jobs/${job.id}`, { workspace })
    expect(now.body).toMatchObject({ type: 'imports.remote', status: 'cancelled' })
    await service.stop(true)
  }, 120_000)
})
