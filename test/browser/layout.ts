import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'

const SOURCE = readFileSync(join(import.meta.dir, 'in-page/layout.js'), 'utf8')

/**
 * What is wrong with how a page is laid out at its present width, each with its element: scrolling
 * sideways, words that are cut off, things to press that lie over each other.
 */
export async function layoutFaults(page: Page): Promise<string[]> {
  return (await page.evaluate(`${SOURCE}; layoutFaults()`)) as string[]
}
