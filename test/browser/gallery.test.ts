/** The dashboard's controls, alone: in every state, by keyboard, for screen readers. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import type { Browser, BrowserContextOptions, Locator, Page } from 'playwright-core'
import { violations } from './axe.ts'
import { CHROMIUM, launchChromium } from './chromium.ts'
import { OUTPUT, PICTURES } from './harness.ts'
import { layoutFaults } from './layout.ts'

const ROOT = resolve(import.meta.dir, '../..')
const BASE = '/app/dev/ui/'
const CONTROLS = join(ROOT, 'web/src/ui')
/** Nothing scrolls, which would close a tooltip. */
const TALL = { width: 1000, height: 9_000 }
/** Parts of other controls. */
const PARTS = /-parts\.tsx$|^(?:on-demand|listbox)\.tsx$/

test('the gallery has every control', () => {
  const folder = join(ROOT, 'web/gallery')
  const shown = readdirSync(folder).map((name) => readFileSync(join(folder, name), 'utf8'))
  const missing = readdirSync(CONTROLS)
    .filter((name) => name.endsWith('.tsx') && !PARTS.test(name))
    .filter((name) => !shown.some((text) => text.includes(`/ui/${name}'`)))
  expect(missing).toEqual([])
})

describe.skipIf(CHROMIUM === null)('controls (needs Chromium)', () => {
  const directory = mkdtempSync(join(tmpdir(), 'gallery-'))
  let browser: Browser
  let server: ReturnType<typeof Bun.serve>
  let page: Page

  beforeAll(async () => {
    const config = join(ROOT, 'web/vite.gallery.config.ts')
    const build = Bun.spawn(
      [join(ROOT, 'node_modules/.bin/vite'), 'build', '--config', config, '--outDir', directory],
      { stdout: 'ignore', stderr: 'pipe', env: { ...process.env, NODE_ENV: 'production' } },
    )
    const errors = await new Response(build.stderr).text()
    if ((await build.exited) !== 0) throw new Error(errors)
    server = Bun.serve({
      hostname: '127.0.0.1',
      port: 0,
      fetch(request) {
        const { pathname } = new URL(request.url)
        const path = pathname.startsWith(BASE) ? pathname.slice(BASE.length) : ''
        return new Response(Bun.file(join(directory, path || 'index.html')))
      },
    })
    browser = await launchChromium()
  }, 300_000)
  beforeEach(async () => {
    page = await open({})
  })
  afterEach(async () => await page.context().close())
  afterAll(async () => {
    await browser?.close()
    await server?.stop(true)
    rmSync(directory, { recursive: true, force: true })
  })

  async function open(options: BrowserContextOptions): Promise<Page> {
    const context = await browser.newContext({ viewport: TALL, ...options })
    const opened = await context.newPage()
    await opened.goto(`${server.url.origin}${BASE}`)
    await opened.getByRole('heading', { level: 1 }).waitFor()
    return opened
  }
  async function takePictures(opened: Page, name: string): Promise<void> {
    const folder = join(OUTPUT, 'controls', name)
    mkdirSync(folder, { recursive: true })
    await opened.screenshot({ path: join(folder, 'all.png'), fullPage: true })
    for (const section of await opened.locator('[data-control]').all()) {
      const of = await section.getAttribute('data-control')
      await section.screenshot({ path: join(folder, `${of}.png`) })
    }
  }
  const control = (name: string, state?: string): Locator => {
    const section = page.locator(`[data-control="${name}"]`)
    return state === undefined ? section : section.locator(`[data-state="${state}"]`)
  }
  const focused = (opened = page) =>
    opened.evaluate(`document.activeElement.getAttribute('aria-label')
      ?? document.activeElement.textContent`)

  // A theme changes only colors, and a direction none; a phone shows other parts.
  for (const [name, rules, options] of [
    ['light', 'all', { colorScheme: 'light' }],
    ['dark', 'colors', { colorScheme: 'dark' }],
    ['right to left', 'uncolored', { locale: 'ar' }],
    ['phone', 'all', { viewport: { width: 390, height: 844 } }],
    ['forced colors', 'colors', { forcedColors: 'active' }],
  ] as const) {
    test(`have no faults that axe finds, and fit: ${name}`, async () => {
      const opened = await open(options)
      expect(await violations(opened, rules)).toEqual([])
      expect(await layoutFaults(opened)).toEqual([])
      if (PICTURES) await takePictures(opened, name.replaceAll(' ', '-'))
      await opened.context().close()
    }, 120_000)
  }

  test('a dialog keeps the focus, and Escape returns it to its button', async () => {
    for (const [name, label] of [
      ['Dialog', 'Open the dialog'],
      ['Dialog', 'Open the panel'],
      ['FormDialog', 'Rename'],
      ['ConfirmDialog', 'Delete the folder'],
    ] as const) {
      await control(name).getByRole('button', { name: label, exact: true }).press('Enter')
      const dialog = page.locator('[role=dialog], [role=alertdialog]')
      await dialog.waitFor()
      expect(await violations(page)).toEqual([])
      for (let i = 0; i < 6; i++) {
        await page.keyboard.press('Tab')
        // The last one leads over a guard, which passes the focus on.
        await page.waitForFunction(
          `document.activeElement.closest('[role=dialog], [role=alertdialog]') !== null`,
          undefined,
          { timeout: 5_000 },
        )
      }
      await page.keyboard.press('Escape')
      await dialog.waitFor({ state: 'detached' })
      expect(await focused()).toBe(label)
    }
  })

  test('a form in a dialog is sent by Enter, and shows why it failed', async () => {
    await control('FormDialog').getByRole('button', { name: 'Rename, refused' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('alert').waitFor()
    await dialog.getByRole('textbox').and(page.locator(':focus')).first().waitFor()
    await page.keyboard.press('Enter')
    await dialog.waitFor({ state: 'detached' })
  })

  test('a menu is walked by arrows and letters, skips nothing, and closes', async () => {
    const trigger = control('Menu', 'actions').getByRole('button')
    await trigger.press('Enter')
    const menu = page.getByRole('menu')
    await menu.waitFor()
    expect(await violations(page)).toEqual([])
    await page.keyboard.press('End')
    await page.keyboard.press('Home')
    expect(await focused()).toStartWith('Copy')
    await page.keyboard.press('m')
    expect(await focused()).toStartWith('Move to')
    await page.keyboard.press('ArrowRight')
    await page.getByRole('menuitem', { name: 'Posters' }).waitFor()
    await page.keyboard.press('Escape')
    await page.keyboard.press('Escape')
    await menu.first().waitFor({ state: 'detached' })
    expect(await focused()).toBe('Actions')
  })

  test('a choice in a menu is marked, and kept', async () => {
    const trigger = control('Menu', 'choices').getByRole('button')
    await trigger.press('Enter')
    await page.getByRole('menuitemradio', { name: 'Most clicks first' }).click()
    await page.keyboard.press('Escape')
    await trigger.press('Enter')
    const chosen = page.getByRole('menuitemradio', { checked: true })
    expect(await chosen.textContent()).toContain('Most clicks first')
    await page.keyboard.press('Escape')
  })

  test('a select is chosen from by arrows', async () => {
    const trigger = control('Select', 'plain').getByRole('combobox')
    await trigger.press('Enter')
    await page.locator('[role=option][data-highlighted]').waitFor()
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await page.getByRole('listbox').waitFor({ state: 'detached' })
    await control('Select', 'plain').getByText('Summer').waitFor()
    expect(await control('Select', 'disabled').getByRole('combobox').isDisabled()).toBe(true)
  })

  test('a combobox narrows its options by what is typed, and takes another value', async () => {
    await control('Combobox', 'empty').getByRole('combobox').press('Enter')
    await page.getByRole('option').first().waitFor()
    await page.keyboard.type('aut')
    const options = page.getByRole('option').filter({ visible: true })
    expect(await options.allTextContents()).toEqual(['Autumn'])
    await page.keyboard.press('Enter')
    await page.getByRole('listbox').waitFor({ state: 'detached' })
    await control('Combobox', 'empty').getByText('Autumn').waitFor()
  })

  test('words end by Enter and comma, and Backspace removes the last one', async () => {
    const section = control('ChipsInput', 'plain')
    const input = section.getByRole('textbox')
    await input.pressSequentially('one')
    await input.press('Enter')
    await input.pressSequentially('two,')
    const words = () =>
      section.getByRole('button').evaluateAll((all) => all.map((one) => one.ariaLabel))
    expect((await words()).slice(-2)).toEqual(['Remove one', 'Remove two'])
    await input.press('Backspace')
    expect((await words()).at(-1)).toBe('Remove one')
    const invalid = control('ChipsInput', 'invalid').getByRole('textbox')
    expect(await invalid.getAttribute('aria-invalid')).toBe('true')
  })

  test('a field’s hint and error belong to it', async () => {
    const described = async (state: string) => {
      const input = control('TextField', state).getByRole('textbox')
      const ids = ((await input.getAttribute('aria-describedby')) ?? '').split(' ')
      const texts = ids.map((id) => page.locator(`[id="${id}"]`).textContent())
      return [await input.getAttribute('aria-invalid'), ...(await Promise.all(texts))]
    }
    expect(await described('plain')).toEqual([null, 'Shown in lists.'])
    expect(await described('invalid')).toEqual(['true', 'This is no URL.'])
  })

  test('checkboxes and switches turn by Space, and say their state', async () => {
    for (const [name, state, role] of [
      ['Checkbox', 'plain', 'checkbox'],
      ['Switch', 'off', 'switch'],
    ] as const) {
      const one = control(name, state).getByRole(role)
      expect(await one.isChecked()).toBe(false)
      await one.press('Space')
      expect(await one.isChecked()).toBe(true)
    }
    const some = '[data-control=Checkbox] [data-state=some] input'
    expect(await page.evaluate(`document.querySelector('${some}').indeterminate`)).toBe(true)
  })

  test('tabs are changed by arrows, and their panel follows', async () => {
    const tabs = control('Tabs')
    await tabs.getByRole('tab', { name: 'Countries' }).press('ArrowRight')
    await page.keyboard.press('Enter')
    await tabs.getByRole('tabpanel').getByText('Berlin').waitFor()
    expect(await tabs.getByRole('tab', { selected: true }).textContent()).toBe('Cities')
  })

  test('a table’s heading sorts, and says how', async () => {
    const table = control('Table')
    const heading = table.getByRole('columnheader', { name: 'Clicks' })
    expect(await heading.getAttribute('aria-sort')).toBe('descending')
    await heading.getByRole('button').press('Enter')
    expect(await heading.getAttribute('aria-sort')).toBe('ascending')
    expect(await table.getByRole('row').nth(1).innerText()).toContain('/winter')
  })

  test('a tooltip comes with the focus, and goes by Escape', async () => {
    await control('Popover').getByRole('button').focus()
    await page.keyboard.press('Tab')
    expect(await focused()).toBe('Copy the address')
    const tooltip = page.getByRole('tooltip')
    await tooltip.waitFor()
    expect(await tooltip.innerText()).toContain('Copy the address')
    await page.keyboard.press('Escape')
    await tooltip.waitFor({ state: 'hidden' })
  })

  test('a message is announced, has its action, and a failure is urgent', async () => {
    await control('Toasts', 'done').getByRole('button').click()
    await page.getByRole('button', { name: 'Undo' }).waitFor()
    await control('Toasts', 'failed').getByRole('button').click()
    await page.getByRole('alert').getByText('The server does not respond').first().waitFor()
  })

  test('a button that waits can’t be pressed twice, and keeps its name', async () => {
    const button = control('Button', 'loading').getByRole('button', { name: 'Create' })
    expect([await button.isDisabled(), await button.count()]).toEqual([true, 1])
  })
})
