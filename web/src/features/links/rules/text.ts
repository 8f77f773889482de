import {
  isOvernight,
  MEMBERS,
  type Member,
  WEEKDAYS,
  type Weekday,
} from '@src/redirect/rules/types.ts'
import { DAY_MS } from '@src/statistics/intervals.ts'
import type { I18n } from '../../../i18n/index.tsx'
import type { Locale } from '../../../i18n/locales.ts'
import type { MessageKey } from '../../../i18n/messages.ts'
import { valueName } from '../../statistics/words.ts'
import type { Link } from '../queries.ts'
import { readable } from '../text.ts'

export type Rule = Link['rules'][number]
export type Variant = Link['variants'][number]
export type When = Rule['when']

/** A member of `when`: plain or negated. */
export type ConditionName = keyof When

type Named = NonNullable<When['os']>[number]
type Window = NonNullable<When['time']>

const MEMBER_NAMES: Readonly<Record<Member, MessageKey>> = {
  country: 'statistics.dimension.country',
  region: 'statistics.dimension.region',
  language: 'statistics.dimension.language',
  device: 'statistics.dimension.device',
  os: 'statistics.dimension.os',
  browser: 'statistics.dimension.browser',
  query: 'rules.member.query',
  referrer_host: 'rules.member.referrer_host',
  network: 'rules.member.network',
  time: 'rules.member.time',
  agent: 'rules.member.agent',
}

/** A rule's name, or its position. */
export function ruleName(name: string | undefined, at: number, { t }: I18n): string {
  return name || t('rules.untitled', { number: at + 1 })
}

/** The member of a condition, and whether it is negated. */
export function partsOf(name: ConditionName): { member: Member; not: boolean } {
  const not = name.startsWith('not_')
  return { member: (not ? name.slice('not_'.length) : name) as Member, not }
}

/** The name of a member. */
export function memberName(member: Member, { t }: I18n): string {
  return t(MEMBER_NAMES[member])
}

/** A readable name for a code or keyword of a condition. */
export function wordOf(member: Member, value: string, i18n: I18n): string {
  if (member === 'country' || member === 'language' || member === 'device') {
    return valueName(member, value, i18n)
  }
  if (member === 'agent') return i18n.t(`rules.agent.${value as 'human' | 'bot' | 'preview'}`)
  return value
}

/** The short or long name of a weekday. */
export function dayName(day: string, { regional }: I18n, width: 'short' | 'long'): string {
  const format = new Intl.DateTimeFormat(regional, { weekday: width, timeZone: 'UTC' })
  // The 5th of January 1970 was a Monday.
  return format.format((WEEKDAYS.indexOf(day as Weekday) + 4) * DAY_MS)
}

/** A condition in words: "Country: Germany or Austria". */
function conditionText(name: ConditionName, value: unknown, i18n: I18n): string {
  const { member, not } = partsOf(name)
  const what = memberName(member, i18n)
  const values = valuesText(member, value, i18n)
  return not
    ? i18n.t('rules.summary.not', { what, values })
    : i18n.t('common.labelled', { label: what, value: values })
}

function valuesText(member: Member, value: unknown, i18n: I18n): string {
  if (member === 'time') return timeText(value as Window, i18n)
  if (member === 'query') return parametersText(value as Parameters, i18n)
  const named = (one: Named) =>
    typeof one === 'string' ? own(wordOf(member, one, i18n)) : versionText(one, i18n)
  return i18n.format.either(([value].flat() as Named[]).map(named))
}

function versionText({ name, min }: { name: string; min?: string | undefined }, { t }: I18n) {
  return min ? t('rules.summary.version', { name: own(name), version: min }) : own(name)
}

/** Null: no value was typed yet. */
type Parameters = Readonly<Record<string, readonly string[] | null>>

function parametersText(parameters: Parameters, { t, format }: I18n): string {
  const each = Object.entries(parameters).map(([name, values]) => {
    if (values === null) return t('common.labelled', { label: own(name), value: '…' })
    if (values.length === 0) return t('rules.summary.absent', { name: own(name) })
    if (values.includes('*')) return t('rules.summary.any', { name: own(name) })
    const quoted = values.map((text) => own(t('rules.summary.quoted', { text })))
    return t('common.labelled', { label: own(name), value: format.either(quoted) })
  })
  return format.list(each)
}

/** What stands between the parts of a time. */
const COMMAS: Partial<Record<Locale, string>> = {
  ar: '، ',
  ja: '、',
  'zh-Hans': '，',
  'zh-Hant': '，',
}

function timeText({ timezone, from, until, days, hours }: Window, i18n: I18n): string {
  const { t, format } = i18n
  const parts = [
    days && format.list(days.map((day) => dayName(day, i18n, 'short'))),
    hours && format.list(hours.map((span) => hoursText(span, i18n))),
    from && t('rules.summary.from', { time: momentText(from, timezone, i18n) }),
    until && t('rules.summary.until', { time: momentText(until, timezone, i18n) }),
  ]
  const text = parts.filter(Boolean).join(COMMAS[i18n.locale] ?? ', ')
  return t('common.aside', { text, aside: isolated(timezone.replaceAll('_', ' ')) }).trim()
}

/** From a time to another one, which may be on the next day. */
function hoursText(span: readonly string[], { t }: I18n): string {
  const text = span.join('–')
  return isOvernight(span) ? t('common.aside', { text, aside: '+1' }) : text
}

/** A whole day, or a time in the zone. */
function momentText(moment: string, timeZone: string, { regional, format }: I18n): string {
  const isDay = moment.length === 'YYYY-MM-DD'.length
  try {
    const zone = isDay ? { timeZone: 'UTC' } : { timeStyle: 'short' as const, timeZone }
    const options = { dateStyle: 'medium' as const, ...zone }
    return new Intl.DateTimeFormat(regional, options).format(new Date(moment))
  } catch {
    // A zone that this browser doesn't know.
    return format.dateTime(moment)
  }
}

/** Every condition; the word for none if there are none. */
export function whenTexts(when: When, i18n: I18n): string[] {
  const names = MEMBERS.flatMap((member) => [member, `not_${member}` as const])
  const texts = names
    .filter((name) => when[name] !== undefined)
    .map((name) => conditionText(name, when[name], i18n))
  return texts.length === 0 ? [i18n.t('rules.always')] : texts
}

/** All conditions in one line. */
export const whenText = (when: When, i18n: I18n) => whenTexts(when, i18n).join('\u00a0· ')

/** Isolates a URL, which runs from left to right, from the surrounding text's direction. */
const isolated = (url: string) => `\u2066${url}\u2069`
const own = (text: string) => `\u2068${text}\u2069`

/** Each variant's share of visitors. */
export function sharesOf(weights: readonly number[]): number[] {
  const sum = weights.reduce((all, weight) => all + weight, 0)
  return weights.map((weight) => (sum > 0 ? weight / sum : 0))
}

/** A rule's outcome; `url` formats URLs. */
export function thenText(
  { destination_url, variants = [], answer }: Rule['then'],
  { t, format }: I18n,
  url: (url: string) => string = readable,
): string {
  if (answer !== undefined) return t(`rules.answer.${answer}`)
  if (destination_url !== undefined) return isolated(url(destination_url))
  const shares = sharesOf(variants.map(({ weight }) => weight))
  return format.list(
    variants.map((variant, i) =>
      own(`${format.percent(shares[i] ?? 0)} ${variantName(variant, url)}`),
    ),
  )
}

/** The name of a variant, else its destination. */
function variantName({ name, destination_url }: Variant, url: (url: string) => string) {
  return name ? own(name) : isolated(url(destination_url))
}

/** An item of a list in a history; rules and variants completely, as any part may have changed. */
export function itemText(item: unknown, i18n: I18n): string {
  if (typeof item !== 'object' || item === null) return String(item)
  const whole = (url: string) => url
  if ('when' in item) {
    const { name, when, then } = item as Rule
    const variants = then.variants?.map((one) => itemText(one, i18n))
    const outcome = variants ? i18n.format.list(variants) : thenText(then, i18n, whole)
    const arrow = i18n.dir === 'rtl' ? '←' : '→'
    return titled(name, `${whenText(when, i18n)} ${arrow} ${outcome}`, i18n)
  }
  if ('weight' in item) {
    const { name, destination_url, weight } = item as Variant
    const share = `${i18n.t('rules.variant.weight')}\u00a0${i18n.format.number(weight)}`
    const text = isolated(destination_url)
    return titled(name, i18n.t('common.aside', { text, aside: share }), i18n)
  }
  return JSON.stringify(item)
}

const titled = (name: string | undefined, text: string, { t }: I18n) =>
  name ? t('common.labelled', { label: own(name), value: text }) : text
