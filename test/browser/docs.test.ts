import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { violations } from './axe.ts'
import { type Dashboard, OUTPUT, startDashboard, type Visitor } from './harness.ts'

let dashboard: Dashboard
beforeAll(async () => {
  dashboard = await startDashboard()
  mkdirSync(OUTPUT, { recursive: true })
})
afterAll(() => dashboard.dispose())

async function opened(
  work: (visitor: Visitor) => Promise<void>,
  options?: Parameters<Dashboard['open']>[0],
) {
  const visitor = await dashboard.open(options)
  try {
    await visitor.page.goto('/docs')
    await work(visitor)
    expect(visitor.faults).toEqual([])
    expect(visitor.failures).toEqual([])
  } finally {
    await visitor.close()
  }
}

const WIDTHS = [390, 1440]

/** Leaves some of each kind of section: axe takes minutes for all of them. */
const FEWER = `
for (const group of document.querySelectorAll('.group')) {
  const items = [...group.querySelectorAll('[data-item]')]
  for (const item of items.slice(group.contains(document.querySelector('#Link')) ? 3 : 1)) item.remove()
}
const links = [...document.querySelectorAll('nav a[href^="#"]')]
for (const link of links) if (!document.querySelector(link.hash)) link.parentElement.remove()
`

test.each(WIDTHS)('the reference has no accessibility faults at %i px, light and dark', (width) =>
  opened(
    async ({ page }) => {
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme })
        await page.evaluate('scrollTo(0, 0)')
        await page.screenshot({ path: join(OUTPUT, `docs-${width}-${colorScheme}.png`) })
        await page.evaluate(FEWER)
        expect(await violations(page, colorScheme === 'light' ? 'all' : 'colors')).toEqual([])
      }
      const overflow = await page.evaluate(
        'document.documentElement.scrollWidth - document.documentElement.clientWidth',
      )
      expect(overflow).toBe(0)
    },
    { viewport: { width, height: 900 } },
  ),
)

test('headings have no gaps', () =>
  opened(async ({ page }) => {
    const levels = (await page.evaluate(
      `[...document.querySelectorAll('h1,h2,h3,h4,h5')].map(({ tagName }) => Number(tagName[1]))`,
    )) as number[]
    expect(levels[0]).toBe(1)
    levels.reduce((previous, level) => {
      expect(level).toBeLessThanOrEqual(previous + 1)
      return level
    })
  }))

test('the search finds titles, paths and fields, and Escape shows everything again', () =>
  opened(async ({ page }) => {
    const shown = () => page.locator('[data-item]:not([hidden])')
    const all = await shown().count()
    await page.keyboard.press('/')
    const field = page.getByRole('searchbox')
    for (const [text, id] of [
      ['list links', 'listLinks'],
      ['/links/lookup', 'lookUpLink'],
      ['createlink', 'createLink'],
      ['destination_not_reachable_field', undefined],
      ['cdn_or_favicon', undefined],
      ['fallback_url', 'createLink'],
    ] as const) {
      await field.fill(text)
      if (id === undefined) expect(await shown().count()).toBe(0)
      else await page.locator(`#${id}:not([hidden])`).waitFor()
      expect(await shown().count()).toBeLessThan(20)
      const count = await shown().count()
      expect(await page.locator('#found').textContent()).toStartWith(String(count))
    }
    await page.screenshot({ path: join(OUTPUT, 'docs-search.png') })
    await field.press('Escape')
    expect(await shown().count()).toBe(all)
    // A link from a found endpoint to what is hidden shows it.
    await field.fill('create a link')
    await page
      .locator('#createLink')
      .getByRole('link', { name: 'Link', exact: true })
      .first()
      .click()
    await page.locator('#Link:not([hidden])').waitFor()
    expect(await field.inputValue()).toBe('')
  }))

test('one choice shows every sample in its language', () =>
  opened(async ({ page }) => {
    for (const name of ['curl', 'TypeScript', 'Python']) {
      await page.getByRole('radio', { name }).check()
      const visible = page.locator('#createLink .sample').filter({ visible: true })
      expect(await visible.count()).toBe(1)
      expect(await visible.getAttribute('aria-label')).toBe(name)
      await page.evaluate(`document.querySelector('#createLink').scrollIntoView()`)
      await page.screenshot({ path: join(OUTPUT, `docs-${name}.png`) })
    }
  }))

test('all of it can be read without scripts', () =>
  opened(
    async ({ page }) => {
      expect(await page.locator('[data-item][hidden]').count()).toBe(0)
      expect(await page.getByRole('searchbox').count()).toBe(0)
      await page.getByRole('radio', { name: 'Python' }).check()
      await page.locator('#createLink .in-python').filter({ visible: true }).waitFor()
    },
    { javaScriptEnabled: false },
  ))
