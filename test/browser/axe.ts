import { readFileSync } from 'node:fs'
import type { Page } from 'playwright-core'

const SOURCE = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8')

/** A dialog; messages at the foot of the page are such too, with `aria-modal=false`. */
export const OPENED = '[role=dialog]:not([aria-modal=false]), [role=alertdialog]'

const TAGS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']
/** What depends on colours: all that another theme can break. */
const COLOURS = ['color-contrast', 'link-in-text-block']

/**
 * What axe-core finds wrong: rule, how often, the first elements and why; WCAG 2.2 AA and best practices.
 * `uncoloured`: all but what depends on colours, which takes half of the time. Of a page
 * below a dialog only the dialog is looked at: the page has its turn without it.
 */
export async function violations(
  page: Page,
  rules: 'all' | 'colours' | 'uncoloured' = 'all',
): Promise<string[]> {
  if (!(await page.evaluate("'axe' in window"))) await page.evaluate(SOURCE)
  const runOnly = rules === 'colours' ? { type: 'rule', values: COLOURS } : TAGS
  const off = rules === 'uncoloured' ? COLOURS : []
  const withRegions = rules !== 'colours'
  const found = (await page.evaluate(`
    axe.run(document.querySelector('${OPENED}') === null ? document : '${OPENED}', {
      runOnly: ${JSON.stringify(runOnly)},
      resultTypes: ['violations'],
      preload: false,
      // A menu lies outside of all landmarks, as a dialog does; of dialogs the rule knows it.
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
