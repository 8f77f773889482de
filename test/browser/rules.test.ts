import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { eventually } from '../harness/eventually.ts'
import { violations } from './axe.ts'
import { CHROMIUM } from './chromium.ts'
import { type Dashboard, OUTPUT, startDashboard, type Visitor } from './harness.ts'
import { ask, claim } from './people.ts'
import { seed } from './seed.ts'
import { en } from './words.ts'

const VARIANTS = ['Old page', 'New page'].map((name, i) => ({
  ...{ id: `v${i}`, name, weight: 50, destination_url: `https://example.com/${i}` },
}))
const RULES = [
  {
    ...{ id: 'near', name: 'Neighbours', when: { country: ['DE', 'AT'] } },
    then: { destination_url: 'https://example.com/near' },
  },
]

describe.skipIf(CHROMIUM === null)('a link with variants (needs Chromium)', () => {
  let dashboard: Dashboard
  let owner: Visitor
  let id = ''
  let workspace = ''

  beforeAll(async () => {
    dashboard = await startDashboard()
    owner = await dashboard.open()
    const { context } = owner
    ;({ workspace } = await seed(dashboard, context, await claim(dashboard, context)))
    type Made = { id: string; short_url: string }
    const { body } = await ask<Made>(dashboard, context, 'POST', '/links', {
      workspace,
      body: {
        ...{ destination_url: 'https://example.com/', slug: 'split' },
        ...{ variants: VARIANTS, rules: RULES },
      },
    })
    id = body.id
    const agent = (n: number) =>
      `Mozilla/5.0 (X11; Linux x86_64; rv:${n}.0) Gecko/20100101 Firefox/${n}.0`
    for (let n = 100; n < 130; n++) {
      const headers = { 'user-agent': agent(n) }
      await fetch(`${dashboard.url}/split`, { headers, redirect: 'manual' })
    }
    await eventually('the clicks are stored', async () => {
      type Answer = { data: { totals: { clicks: number } } }
      const path = `/links/${id}/stats`
      const answer = await ask<Answer>(dashboard, context, 'GET', path, { workspace })
      return answer.body.data?.totals.clicks === 30 ? true : undefined
    })
  }, 300_000)
  afterAll(async () => await dashboard?.dispose())

  test('its statistics name them', async () => {
    const { page } = owner
    await page.goto(`/app/links/${id}/statistics`)
    await page.getByRole('heading', { name: en('statistics.group.rules') }).waitFor()
    for (const { name } of VARIANTS) {
      await page.getByRole('row', { name }).getByText('–').waitFor()
      await page.getByRole('button', { name, exact: false }).first().waitFor()
    }
    // Thirty visitors say nothing about two variants.
    await page.getByText(en('statistics.split.few', { least: '100' })).waitFor()
    await owner.settled()
    expect(owner.failures).toEqual([])
    mkdirSync(OUTPUT, { recursive: true })
    for (const width of [1440, 390]) {
      await page.setViewportSize({ width, height: 900 })
      await page.screenshot({ path: join(OUTPUT, `rules-${width}.png`), fullPage: true })
    }
    await page.setViewportSize({ width: 1280, height: 900 })
    expect(await violations(page)).toEqual([])
  }, 60_000)

  test('it is asked where a described visitor would go, and says why', async () => {
    const { page } = owner
    await page.goto(`/app/links/${id}`)
    await owner.settled()
    await page.keyboard.press('Control+k')
    await page.getByRole('option', { name: en('links.explain.open') }).click()
    const dialog = page.getByRole('dialog')
    const country = dialog.getByLabel(en('statistics.dimension.country'))
    const send = () => dialog.getByRole('button', { name: en('links.explain.ask') }).click()
    await country.fill('Atlantis')
    await send()
    await dialog.locator('[aria-invalid=true]').waitFor()
    await country.fill('DE')
    await send()
    await dialog.getByText('https://example.com/near', { exact: true }).waitFor()
    await dialog.getByText(`${en('statistics.dimension.rule')}: Neighbours`).waitFor()
    expect(await dialog.getByText(en('links.explain.failed')).count()).toBe(0)
    expect(await violations(page)).toEqual([])
    await country.fill('US')
    await send()
    await dialog.getByText(en('links.explain.failed')).waitFor()
    await dialog.getByText(new RegExp(`^${en('statistics.dimension.variant')}: `)).waitFor()
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
    expect(new URL(page.url()).search).toBe('')
    const path = `/links/${id}/stats`
    type Answer = { data: { totals: { clicks: number } } }
    const { body } = await ask<Answer>(dashboard, owner.context, 'GET', path, { workspace })
    expect(body.data.totals.clicks).toBe(30)
    expect(owner.faults).toEqual([])
  }, 60_000)
})
