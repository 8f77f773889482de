import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { eventually } from '../harness/eventually.ts'
import { CHROMIUM } from './chromium.ts'
import { type Dashboard, OUTPUT, startDashboard, type Visitor } from './harness.ts'
import { ask, claim } from './people.ts'
import { seed } from './seed.ts'
import { en } from './words.ts'

const VARIANTS = ['Old page', 'New page'].map((name, i) => ({
  ...{ id: `v${i}`, name, weight: 50, destination_url: `https://example.com/${i}` },
}))

describe.skipIf(CHROMIUM === null)('a link with variants (needs Chromium)', () => {
  let dashboard: Dashboard
  let owner: Visitor
  let id = ''

  beforeAll(async () => {
    dashboard = await startDashboard()
    owner = await dashboard.open()
    const { context } = owner
    const { workspace } = await seed(dashboard, context, await claim(dashboard, context))
    type Made = { id: string; short_url: string }
    const { body } = await ask<Made>(dashboard, context, 'POST', '/links', {
      workspace,
      body: { destination_url: 'https://example.com/', slug: 'split', variants: VARIANTS },
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
    await page
      .getByRole('heading', { name: en('statistics.group.rules') })
      .waitFor({ timeout: 20_000 })
    for (const { name } of VARIANTS) {
      await page.getByText(name, { exact: true }).waitFor({ timeout: 20_000 })
    }
    await owner.settled()
    expect(owner.failures).toEqual([])
    mkdirSync(OUTPUT, { recursive: true })
    for (const width of [1440, 390]) {
      await page.setViewportSize({ width, height: 900 })
      await page.screenshot({ path: join(OUTPUT, `rules-${width}.png`), fullPage: true })
    }
  }, 60_000)
})
