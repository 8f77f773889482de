import { hasMessage, type Locale, type MessageKey, translate } from '../../lib/i18n/index.ts'
import type { Link } from '../links/schemas.ts'
import { conditionText, valueText } from './values.ts'

/** A check, and its result. */
export interface Finding {
  check: string
  passed: boolean
  expected?: unknown
  actual?: unknown
}

/** The explained link, with the names of its rules and variants. */
export type Named = Pick<Link, 'rules' | 'variants'>

const WHEN = /^rules\[\d+\]\.when\.(not_)?(\w+)$/
const RULE = /^rules\[(\d+)\]$/
const SPLIT = /^(?:rules\[(\d+)\]\.then\.)?variants$/

/** A sentence about what a step checked and why it passed or failed. */
export function messageOf(locale: Locale, finding: Finding, link: Named | null): string {
  const { check, passed, expected, actual } = finding
  const [, not, member] = WHEN.exec(check) ?? []
  if (member !== undefined) return whenText(locale, member, not !== undefined, finding)
  const rule = RULE.exec(check)
  if (rule !== null) return ruleText(locale, Number(rule[1]), link)
  const split = SPLIT.exec(check)
  if (split !== null) return splitText(locale, split[1], finding, link)
  const outcome = check === 'tracking' ? String(actual) : passed ? 'yes' : 'no'
  const key = `explain.${check}.${outcome}`
  if (!hasMessage(key)) return check
  return translate(locale, key, {
    expected: valueText(locale, check, expected),
    actual: valueText(locale, check, actual),
  })
}

function whenText(
  locale: Locale,
  member: string,
  isExcluded: boolean,
  { passed, expected, actual }: Finding,
): string {
  const wanted = conditionText(locale, member, expected)
  return translate(locale, passed ? 'explain.when.yes' : 'explain.when.no', {
    what: translate(locale, `explain.what.${member}` as MessageKey),
    actual: valueText(locale, member, actual),
    expected: isExcluded ? translate(locale, 'explain.except', { expected: wanted }) : wanted,
  })
}

function ruleText(locale: Locale, at: number, link: Named | null): string {
  const { name, then } = link?.rules[at] ?? {}
  const number = String(at + 1)
  const params = { name: name === undefined ? number : `${number} (${name})` }
  const answer = then?.answer
  return translate(locale, answer ? `explain.rule.${answer}` : 'explain.rule.leads', params)
}

function splitText(
  locale: Locale,
  rule: string | undefined,
  { expected, actual }: Finding,
  link: Named | null,
): string {
  const shares = expected as { id: string; weight: number }[]
  const sum = shares.reduce((all, { weight }) => all + weight, 0)
  const own = shares.find(({ id }) => id === actual)
  const variants = rule === undefined ? link?.variants : link?.rules[Number(rule)]?.then.variants
  const name = variants?.find(({ id }) => id === actual)?.name ?? String(actual)
  const format = new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 1 })
  return translate(locale, 'explain.split', {
    name,
    share: format.format((own?.weight ?? 0) / sum),
  })
}
