import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { eventually } from '../harness/eventually.ts'
import { violations } from './axe.ts'
import { CHROMIUM } from './chromium.ts'
import { type Dashboard, startDashboard, type Visitor } from './harness.ts'
import { ask, claim } from './people.ts'
import { en } from './words.ts'

describe.skipIf(CHROMIUM === null)('finding links (needs Chromium)', () => {
  let dashboard: Dashboard
  let owner: Visitor

  beforeAll(async () => {
    dashboard = await startDashboard()
    owner = await dashboard.open()
    const workspace = await claim(dashboard, owner.context)
    const links = [
      { slug: 'sale', destination_url: 'https://example.com/1', tags: ['a'] },
      { slug: 'sale-2', destination_url: 'https://example.com/2', tags: ['b'] },
      { slug: 'x1', title: 'The sale', destination_url: 'https://example.com/3', password: 'abcd' },
      { slug: 'x2', destination_url: 'https://example.com/sale' },
    ]
    for (const body of links) {
      const made = await ask(dashboard, owner.context, 'POST', '/links', { workspace, body })
      expect(made.status).toBe(201)
    }
  }, 300_000)
  afterAll(() => dashboard?.dispose())

  const slugs = async () => {
    const rows = owner.page.locator('[data-row-link]')
    return (await rows.allInnerTexts()).map((text) => text.trim().split('/').at(-1))
  }

  test('a search lists the exact slug first, then what begins with it, then titles', async () => {
    const { page } = owner
    await page.goto('/app/links?q=sale')
    await page.locator('[data-row-link]').nth(3).waitFor()
    expect(await slugs()).toEqual(['sale', 'sale-2', 'x1', 'x2'])
    await page.getByText(en('links.sort.relevance')).waitFor()
    await page.keyboard.press('Control+k')
    await page.getByRole('combobox', { name: en('shell.palette') }).fill('sale')
    await page.getByRole('option').nth(3).waitFor()
    expect(await page.getByRole('option').first().innerText()).toMatch(/\/sale\b(?!-)/)
    await page.keyboard.press('Escape')
  })

  test('filters by password, by tags and by one of several tags', async () => {
    const { page } = owner
    const found = async (query: string, count: number) => {
      await page.goto(`/app/links?sort=slug&order=asc&${query}`)
      await eventually('the rows', async () => (await slugs()).length === count || undefined)
      return await slugs()
    }
    expect(await found('password=true', 1)).toEqual(['x1'])
    expect(await found('untagged=true', 2)).toEqual(['x1', 'x2'])
    expect(await found('unclicked=true', 4)).toEqual(['sale', 'sale-2', 'x1', 'x2'])
    expect(await found('tag=a&tag=b&any=true', 2)).toEqual(['sale', 'sale-2'])
    await page.getByRole('button', { name: en('links.filters'), exact: true }).click()
    await page.getByLabel(en('links.filter.anyTag')).waitFor()
    expect(await violations(page)).toEqual([])
    await page.getByLabel(en('links.filter.anyTag')).click()
    await eventually('the rows', async () => (await slugs()).length === 0 || undefined)
  })

  test('the form names the link that a destination already has', async () => {
    const { page } = owner
    await page.goto('/app/links?create=true')
    const form = page.getByRole('dialog')
    await form.getByLabel(en('links.field.destination'), { exact: true }).fill('example.com/1')
    await form.getByText(en('links.existing')).waitFor()
    await form.getByRole('link', { name: /\/sale$/ }).click()
    await page.getByRole('heading', { name: /sale/ }).first().waitFor()
    expect(owner.faults).toEqual([])
  })
})
