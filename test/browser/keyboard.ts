import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Locator, Page } from 'playwright-core'

const SOURCE = readFileSync(join(import.meta.dir, 'in-page/focus.js'), 'utf8')

/** More tab stops than any page has. */
const MOST_STOPS = 90

/** Uses a page by keyboard only, checking every focused element. */
export interface Keyboard {
  press(...keys: string[]): Promise<void>
  type(text: string): Promise<void>
  /** Presses Tab (or Shift+Tab) until an element has the focus. */
  tabTo(target: Locator, direction?: 'forth' | 'back'): Promise<void>
  /** Presses an arrow in a menu or list until an item is the current one. */
  arrowTo(target: Locator, key: 'ArrowDown' | 'ArrowUp'): Promise<void>
  /** The focused element outside of any dialog, or null. */
  outsideOfDialog(): Promise<string | null>
  /** Waits until an element has the focus. */
  focused(target: Locator): Promise<void>
  /** Focused elements without a visible focus, with their page. */
  readonly unseen: readonly string[]
}

export function keyboardOf(page: Page): Keyboard {
  const unseen: string[] = []
  const ask = async (call: string) => (await page.evaluate(`${SOURCE}; ${call}`)) as string | null
  const isFocused = (target: Locator) =>
    target
      .and(page.locator(':focus'))
      .count()
      .then((count) => count > 0)
  const look = async () => {
    const fault = await ask('focusFault()')
    if (fault !== null) unseen.push(`${new URL(page.url()).pathname}: ${fault}`)
  }
  return {
    unseen,
    async press(...keys) {
      for (const key of keys) await page.keyboard.press(key)
    },
    type: (text) => page.keyboard.type(text),
    async tabTo(target, direction = 'forth') {
      await target.first().waitFor()
      const stops: string[] = []
      for (let stop = 0; stop < MOST_STOPS; stop++) {
        if (await isFocused(target)) return
        await page.keyboard.press(direction === 'forth' ? 'Tab' : 'Shift+Tab')
        await look()
        stops.push(`${await ask('told()')}`)
      }
      throw new Error(`Tab doesn't reach ${target}; it went by ${stops.join(' · ')}`)
    },
    async arrowTo(target, key) {
      await target.first().waitFor()
      for (let step = 0; step < MOST_STOPS; step++) {
        if (await isFocused(target)) return
        await page.keyboard.press(key)
      }
      throw new Error(`${key} doesn't reach ${target}`)
    },
    outsideOfDialog: () => ask('outsideOfDialog()'),
    async focused(target) {
      await target.and(page.locator(':focus')).first().waitFor()
    },
  }
}
