import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'

const SOURCE = readFileSync(join(import.meta.dir, 'in-page/layout.js'), 'utf8')

/**
 * Layout faults of a page at its current width, with their elements: horizontal scrolling,
 * truncated words, overlapping controls. Measured in the system's font, which a page keeps if Inter
 * arrives late; Debian's is wider.
 */
export async function layoutFaults(page: Page): Promise<string[]> {
  return (await page.evaluate(`${SOURCE}; layoutFaults()`)) as string[]
}
