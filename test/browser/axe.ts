import { readFileSync } from 'node:fs'
import type { Page } from 'playwright-core'

const SOURCE = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8')

const TAGS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']
/** What depends on colours: all that another theme can break. */
const COLOURS = ['color-contrast', 'link-in-text-block']

/** What axe-core finds wrong: rule, how often, the first elements and why; WCAG 2.2 AA and best practices. */
export async function violations(page: Page, rules: 'all' | 'colours' = 'all'): Promise<string[]> {
  if (!(await page.evaluate("'axe' in window"))) await page.evaluate(SOURCE)
  const runOnly = rules === 'all' ? TAGS : { type: 'rule', values: COLOURS }
  const found = (await page.evaluate(`
    axe.run(document, {
      runOnly: ${JSON.stringify(runOnly)},
      resultTypes: ['violations'],
      preload: false,
      // A menu lies outside of all landmarks, as a dialog does; of dialogs the rule knows it.
      rules: { region: { enabled: ${rules === 'all'} && document.querySelector('[role=menu]') === null } },
    }).then(({ violations }) => violations.map(({ id, nodes }) =>
      id + ' (' + nodes.length + '): ' + nodes.slice(0, 3).map(({ html, failureSummary }) =>
        html.slice(0, 160) + ' ' + failureSummary).join(' · ')))
  `)) as string[]
  return found
}
