import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'

const sourceOf = (name: string) => readFileSync(join(import.meta.dir, `in-page/${name}.js`), 'utf8')
const LAYOUT = sourceOf('layout')
const PAPER = sourceOf('paper')

/**
 * Layout faults of a page at its current width, with their elements: horizontal scrolling,
 * truncated words, overlapping controls, dialogs and lists beyond the window. Measured in the system's font, which a page keeps if Inter
 * arrives late; Debian's is wider.
 */
export async function layoutFaults(page: Page): Promise<string[]> {
  return (await page.evaluate(`${LAYOUT}; layoutFaults()`)) as string[]
}

/** A4 without margins, at 96 pixels an inch. */
const PAPER_SIZE = { width: 794, height: 1123 }

/**
 * What is wrong with a page on paper: navigation, the page behind a dialog, room beside it, parts that
 * are cut off. Afterwards it is on the screen again, in another size.
 */
export async function paperFaults(page: Page): Promise<string[]> {
  await page.setViewportSize(PAPER_SIZE)
  await page.emulateMedia({ media: 'print' })
  const faults = (await page.evaluate(`${PAPER}; paperFaults()`)) as string[]
  await page.emulateMedia({ media: null })
  return faults
}
