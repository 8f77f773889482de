import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Locator, Page } from 'playwright-core'
import { CHROMIUM } from './chromium.ts'
import { type Dashboard, screenshot, startDashboard, type Visitor } from './harness.ts'
import { type Keyboard, keyboardOf } from './keyboard.ts'
import { claim, heading, OWNER } from './people.ts'
import { en, type Word, wordsOf } from './words.ts'

describe.skipIf(CHROMIUM === null)('by keyboard only (needs Chromium)', () => {
  let dashboard: Dashboard
  let visitor: Visitor
  let page: Page
  let keys: Keyboard
  let broken: string | null = null

  beforeAll(async () => {
    dashboard = await startDashboard()
    const first = await dashboard.open()
    await claim(dashboard, first.context)
    await first.close()
    visitor = await dashboard.open()
    await visitor.context.grantPermissions(['clipboard-read', 'clipboard-write'])
    page = visitor.page
    keys = keyboardOf(page)
    // Also builds the dashboard, on a machine that may be busy.
  }, 300_000)
  afterAll(async () => await dashboard?.dispose())

  const button = (word: Word, within: Page | Locator = page) =>
    within.getByRole('button', { name: en(word), exact: true })
  // A toast is a non-modal dialog.
  const dialog = () => page.locator('[role=dialog]:not([aria-modal=false])')
  const row = (slug: string) => page.locator('[data-row]').filter({ hasText: slug })
  const rowLink = (slug: string) => row(slug).locator('[data-row-link]')

  /** Checks that the focus cycles in a dialog, in both directions, and never leaves it. */
  async function isTrapped(): Promise<void> {
    for (const key of [...Array(30).fill('Tab'), ...Array(30).fill('Shift+Tab')]) {
      await keys.press(key)
      const outside = await keys.outsideOfDialog()
      if (outside !== null) throw new Error(`${key} leaves the dialog: ${outside}`)
    }
  }

  async function create(destination: string, slug: string): Promise<void> {
    await keys.press('c')
    await keys.focused(dialog().getByLabel(en('links.field.destination'), { exact: true }))
    await keys.type(destination)
    await keys.tabTo(dialog().locator('summary'))
    await keys.press('Enter')
    await keys.tabTo(dialog().getByLabel(en('links.field.slug'), { exact: true }))
    await keys.type(slug)
    await keys.press('Enter')
    await keys.focused(rowLink(slug))
  }

  /** A part of the journey; if it fails, a screenshot is saved. */
  const step = (name: string, does: () => Promise<void>) =>
    test(name, async () => {
      // Each step begins where the previous one ended.
      expect(broken).toBeNull()
      try {
        await does()
      } catch (cause) {
        broken = name
        await screenshot(page, `keyboard-broken-${name.replaceAll(/\W+/g, '-')}`)
        throw cause
      }
      expect(visitor.faults).toEqual([])
      expect(keys.unseen).toEqual([])
    }, 300_000)

  step('signs in', async () => {
    await page.goto('/app/')
    await keys.focused(page.getByLabel(en('auth.email')))
    await keys.type(OWNER.email)
    await keys.tabTo(page.getByLabel(en('auth.password'), { exact: true }))
    await keys.type(OWNER.password)
    await keys.press('Enter')
    await heading(page, en('shell.links'))
  })

  step('skips to the content', async () => {
    await page.goto('/app/links')
    await heading(page, en('shell.links'))
    await keys.press('Tab')
    const skip = page.getByRole('link', { name: en('shell.skip') })
    await keys.focused(skip)
    const box = await skip.boundingBox()
    expect(box?.height ?? 0).toBeGreaterThan(20)
    await keys.press('Enter')
    await keys.focused(page.locator('#content'))
  })

  step('creates links, in a dialog that keeps the focus', async () => {
    await keys.press('c')
    await keys.focused(dialog().getByLabel(en('links.field.destination'), { exact: true }))
    await isTrapped()
    await keys.press('Escape')
    await dialog().waitFor({ state: 'hidden' })
    await create('https://example.com/summer', 'summer')
    await create('https://example.com/autumn', 'autumn')
    await create('https://example.com/winter', 'winter')
  })

  step('copies the address of a row', async () => {
    await keys.press('j')
    await keys.focused(rowLink('autumn'))
    await keys.press('y')
    await page
      .getByText(en('links.copiedName', { name: 'autumn' }))
      .or(toast('autumn'))
      .first()
      .waitFor()
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(`${dashboard.url}/autumn`)
  })
  const toast = (text: string) =>
    page.locator('[role=dialog][aria-modal=false]').filter({ hasText: text })

  step('edits a row, and comes back to it', async () => {
    await keys.focused(rowLink('autumn'))
    await keys.press('e')
    const destination = dialog().getByLabel(en('links.field.destination'), { exact: true })
    await keys.focused(destination)
    await keys.press('Escape')
    await keys.focused(rowLink('autumn'))
    await keys.press('e')
    await keys.focused(destination)
    await keys.press('ControlOrMeta+a')
    await keys.type('https://example.com/leaves')
    await keys.press('Enter')
    await destination.waitFor({ state: 'hidden' })
    await row('autumn').getByText('example.com/leaves').waitFor()
    await keys.focused(rowLink('autumn'))
  })

  step('takes a QR code away', async () => {
    await keys.press('Enter')
    await page.waitForURL(/\/links\/lnk_/)
    await keys.tabTo(page.getByRole('button', { name: en('links.qr.title'), exact: true }))
    await keys.press('Enter')
    await keys.tabTo(page.getByLabel(en('links.qr.size')))
    await keys.press('Enter')
    await keys.arrowTo(page.getByRole('option', { name: /1,?024/ }), 'ArrowDown')
    await keys.press('Enter')
    await keys.focused(page.getByLabel(en('links.qr.size')))
    const svg = page.getByRole('button', { name: en('links.qr.download', { format: 'SVG' }) })
    await keys.tabTo(svg, 'back')
    const download = page.waitForEvent('download')
    await keys.press('Enter')
    expect((await download).suggestedFilename()).toBe('autumn.svg')
    await keys.press('Escape')
    await keys.focused(page.getByRole('button', { name: en('links.qr.title'), exact: true }))
    await keys.press('Escape')
    await heading(page, en('shell.links'))
  })

  step('searches and filters', async () => {
    await row('summer').waitFor()
    await keys.press('/')
    const search = page.getByRole('searchbox')
    await keys.focused(search)
    await keys.type('summ')
    await row('winter').waitFor({ state: 'hidden' })
    await keys.press('Escape')
    await row('winter').waitFor()
    await keys.tabTo(button('links.filters'))
    await keys.press('Enter')
    const status = dialog().getByLabel(en('links.field.status'))
    await keys.tabTo(status)
    await keys.press('Enter')
    await keys.arrowTo(page.getByRole('option', { name: en('links.status.disabled') }), 'ArrowDown')
    await keys.press('Enter')
    await row('winter').waitFor({ state: 'hidden' })
    await keys.focused(status)
    await keys.press('Escape')
    await keys.focused(button('links.filters'))
    const filter = page.getByRole('listitem').getByRole('button')
    await keys.tabTo(filter)
    await keys.press('Enter')
    await row('winter').waitFor()
  })

  step('selects rows, deletes them, and takes it back', async () => {
    await keys.press('j')
    await keys.focused(rowLink('winter'))
    await keys.press('x', 'j', 'x')
    await keys.tabTo(button('links.delete'), 'back')
    await keys.press('Enter')
    await row('winter').waitFor({ state: 'hidden' })
    await keys.tabTo(button('common.undo'))
    await keys.press('Enter')
    await row('winter').waitFor()
  })

  step('deletes a row, and takes it back', async () => {
    await keys.tabTo(rowLink('summer'))
    await keys.press('#')
    await row('summer').waitFor({ state: 'hidden' })
    // To the toasts, wherever the focus is.
    await keys.press('F6')
    await keys.tabTo(toast('summer').getByRole('button', { name: en('common.undo') }))
    await keys.press('Enter')
    await row('summer').waitFor()
  })

  step('makes a key', async () => {
    await keys.tabTo(page.getByRole('link', { name: en('shell.keys') }), 'back')
    await keys.press('Enter')
    await heading(page, en('keys.title'))
    await keys.tabTo(button('keys.create'))
    await keys.press('Enter')
    await keys.focused(dialog().getByLabel(en('keys.name')))
    await isTrapped()
    await keys.tabTo(dialog().getByLabel(en('keys.name')))
    await keys.type('website')
    await keys.tabTo(dialog().getByRole('checkbox').first())
    await keys.press('Space', 'Enter')
    const kept = dialog().getByRole('checkbox', { name: en('keys.made.kept') })
    await kept.waitFor()
    await keys.press('Escape')
    await kept.waitFor()
    await keys.tabTo(kept)
    await keys.press('Space')
    await keys.tabTo(button('keys.made.close', dialog()))
    await keys.press('Enter')
    await dialog().waitFor({ state: 'hidden' })
    await keys.focused(button('keys.create'))
  })

  step('lists the keys', async () => {
    await keys.press('?')
    await dialog()
      .getByRole('heading', { name: en('shortcuts.title') })
      .waitFor()
    await isTrapped()
    await keys.press('Escape')
    await dialog().waitFor({ state: 'hidden' })
  })

  step('switches the language and signs out', async () => {
    const account = page.getByRole('button', { name: en('shell.account') })
    await keys.tabTo(account, 'back')
    await keys.press('Enter')
    await keys.arrowTo(page.getByRole('menuitem', { name: en('shell.language') }), 'ArrowDown')
    await keys.press('ArrowRight')
    await keys.arrowTo(page.getByRole('menuitemradio', { name: 'Deutsch' }), 'ArrowDown')
    await keys.press('Enter')
    await page.locator('html[lang=de]').waitFor()
    const de = wordsOf('de')
    await heading(page, de('keys.title'))
    await keys.press('Escape', 'Escape')
    await page.getByRole('menu').first().waitFor({ state: 'hidden' })
    await keys.tabTo(page.getByRole('button', { name: de('shell.account') }), 'back')
    await keys.press('Enter')
    await keys.arrowTo(page.getByRole('menuitem', { name: de('shell.signOut') }), 'ArrowUp')
    await keys.press('Enter')
    await heading(page, de('auth.signIn.title'))
  })
})
