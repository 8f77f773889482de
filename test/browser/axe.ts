import { readFileSync } from 'node:fs'
import type { Page } from 'playwright-core'

const SOURCE = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8')

/** A dialog; toasts are dialogs too, with `aria-modal=false`. */
export const OPENED = '[role=dialog]:not([aria-modal=false]), [role=alertdialog]'

const TAGS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']
/** Rules that depend on colors, which another theme can break. */
const COLORS = ['color-contrast', 'link-in-text-block']

/**
 * The violations found by axe-core: rule, count, the first elements and why; WCAG 2.2 AA and best
 * practices. `uncolored`: all rules except those about colors, which takes half of the time.
 * Below a dialog the page itself is skipped: it is checked without the dialog.
 */
export async function violations(
  page: Page,
  rules: 'all' | 'colors' | 'uncolored' = 'all',
): Promise<string[]> {
  if (!(await page.evaluate("'axe' in window"))) await page.evaluate(SOURCE)
  const runOnly = rules === 'colors' ? { type: 'rule', values: COLORS } : TAGS
  const off = rules === 'uncolored' ? COLORS : []
  const withRegions = rules !== 'colors'
  const found = (await page.evaluate(`
    axe.run(document.querySelector('${OPENED}') === null ? document : '${OPENED}', {
      runOnly: ${JSON.stringify(runOnly)},
      resultTypes: ['violations'],
      preload: false,
      // A menu is outside of all landmarks, like a dialog; the rule excepts only dialogs.
      rules: {
        ...${JSON.stringify(Object.fromEntries(off.map((rule) => [rule, { enabled: false }])))},
        region: { enabled: ${withRegions} && document.querySelector('[role=menu]') === null },
      },
    }).then(({ violations }) => violations.map(({ id, nodes }) =>
      id + ' (' + nodes.length + '): ' + nodes.slice(0, 3).map(({ html, failureSummary }) =>
        html.slice(0, 160) + ' ' + failureSummary).join(' · ')))
  `)) as string[]
  return found
}
