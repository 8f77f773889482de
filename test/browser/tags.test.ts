import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { CHROMIUM } from './chromium.ts'
import { type Dashboard, startDashboard, type Visitor } from './harness.ts'
import { ask, claim } from './people.ts'
import { en } from './words.ts'

describe.skipIf(CHROMIUM === null)('tags, the archive and deleted links (needs Chromium)', () => {
  let dashboard: Dashboard
  let owner: Visitor
  let workspace: string

  beforeAll(async () => {
    dashboard = await startDashboard()
    owner = await dashboard.open()
    workspace = await claim(dashboard, owner.context)
  }, 300_000)
  afterAll(async () => await dashboard?.dispose())

  interface Link {
    id: string
    slug: string
    tags: string[]
    archived: boolean
  }
  const api = async <T = Link>(method: string, path: string, body?: object): Promise<T> =>
    (await ask<T>(dashboard, owner.context, method, path, { workspace, ...(body && { body }) }))
      .body
  const make = (slug: string, tags: string[] = []) =>
    api('POST', '/links', { destination_url: 'https://example.com/', slug, tags })
  const button = (word: Parameters<typeof en>[0]) =>
    owner.page.getByRole('button', { name: en(word), exact: true })

  test('a tag is renamed on its page, and its links show it', async () => {
    const { page } = owner
    const { id } = await make('tagged', ['before'])
    await page.goto('/app/tags')
    await page.getByRole('button', { name: 'before' }).click()
    await page.getByRole('menuitem', { name: en('tags.edit') }).click()
    await page.getByLabel(en('tags.name'), { exact: true }).fill('after')
    await button('common.save').click()
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await page.getByRole('link', { name: 'after' }).click()
    await page.locator('[data-row]').first().waitFor()
    expect((await api('GET', `/links/${id}`)).tags).toEqual(['after'])
  })

  test('suggested tags include those of links that aren’t loaded', async () => {
    const { page } = owner
    await make('elsewhere', ['only-elsewhere'])
    await page.goto('/app/links?q=nothing&create=true')
    const field = page.getByRole('dialog').getByLabel(en('links.field.tags'), { exact: true })
    await field.fill('only-else')
    const suggested = page.getByRole('option').filter({ hasText: 'only-elsewhere' })
    await field.press('ArrowDown')
    await suggested.waitFor()
    await field.press('Escape')
    await button('common.cancel').click()
    await page.goto('/app/links?q=nothing')
    await button('links.filters').click()
    await field.fill('only-else')
    await field.press('ArrowDown')
    await suggested.click()
    await page.waitForURL(/tag=only-elsewhere/)
  })

  test('a link is archived from its row, and restored by undo', async () => {
    const { page } = owner
    const { id } = await make('put-away')
    await page.goto('/app/links?q=put-away')
    const row = page.locator(`[data-row="${id}"]`)
    await row.getByRole('button', { name: 'put-away' }).last().click()
    await page.getByRole('menuitem', { name: en('links.archive'), exact: true }).click()
    await row.waitFor({ state: 'detached' })
    expect((await api('GET', `/links/${id}`)).archived).toBe(true)
    await button('common.undo').click()
    await row.waitFor()
  })

  test('if all links are archived, the list says so and can show them', async () => {
    const { page } = owner
    await make('in-archive')
    const { data } = await api<{ data: Link[] }>('GET', '/links?limit=100')
    await api('POST', '/links/bulk', {
      operations: data.map(({ id }) => ({ op: 'update', id, link: { archived: true } })),
    })
    await page.goto('/app/links')
    await page.getByRole('heading', { name: en('links.allArchived') }).waitFor()
    expect(await page.getByText(en('links.first.title')).count()).toBe(0)
    await button('links.allArchived.show').click()
    await page
      .getByRole('link', { name: /in-archive/ })
      .first()
      .waitFor()
    expect(new URL(page.url()).searchParams.get('archived')).toBe('true')
  })

  test('a deleted link is found in the list, from its audit entry, and restored', async () => {
    const { page } = owner
    const { id } = await make('gone')
    await api('DELETE', `/links/${id}`)
    // The list is empty, apart from the archive.
    const { data } = await api<{ data: Link[] }>('GET', '/links?archived=any&limit=100')
    await api('POST', '/links/bulk', {
      operations: data.map(({ id }) => ({ op: 'delete', id })),
    })
    await page.goto('/app/links')
    await page.getByRole('link', { name: en('links.trash.title') }).click()
    await page.getByRole('listitem').filter({ hasText: 'gone' }).waitFor()
    await page.goto('/app/audit')
    await page
      .getByRole('listitem')
      .filter({ hasText: 'gone' })
      .getByRole('link', { name: en('audit.openLink') })
      .first()
      .click()
    await page.waitForURL(`**/links/${id}`)
    await page.getByRole('button', { name: en('links.trash.restore') }).click()
    await page.getByRole('heading', { level: 1, name: 'gone' }).waitFor()
    expect((await api('GET', `/links/${id}`)).slug).toBe('gone')
  })
})
