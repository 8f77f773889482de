import type { Named, Rule, TimeWindow, Variant, When } from '../types.ts'
import { type DescribedVisitor, PLACES } from './world.ts'

/** A link's decision by an independent model. */
interface NaiveChoice {
  rule: string | null
  /** The possible destinations of the visitor; none: the rule responds itself. */
  variants: { id: string | null; url: string }[]
  answer: string | null
}

/** The first matching rule, else the variants, else the link. */
export function naiveChoice(
  rules: readonly Rule[],
  variants: readonly Variant[],
  own: string,
  visitor: DescribedVisitor,
): NaiveChoice {
  const among = (list: readonly Variant[]) =>
    list.map(({ id, destination_url: url }) => ({ id, url: new URL(url).href }))
  for (const { id, when, then } of rules) {
    if (!fits(when, visitor)) continue
    if (then.answer !== undefined) return { rule: id, variants: [], answer: then.answer }
    const single = { id: null, url: new URL(then.destination_url ?? 'https://x').href }
    return { rule: id, variants: then.variants ? among(then.variants) : [single], answer: null }
  }
  if (variants.length > 0) return { rule: null, variants: among(variants), answer: null }
  return { rule: null, variants: [{ id: null, url: own }], answer: null }
}

/** Whether all conditions hold. */
export function fits(when: When, visitor: DescribedVisitor): boolean {
  for (const [name, expected] of Object.entries(when)) {
    const member = name.replace('not_', '')
    if (holds(member, expected, visitor) === name.startsWith('not_')) return false
  }
  return true
}

function holds(member: string, expected: unknown, visitor: DescribedVisitor): boolean {
  const { agent, address, language, parameters, referrer, now } = visitor
  const list = [expected].flat() as string[]
  const network = Object.keys(PLACES).find((each) =>
    address.startsWith(each.replace(/(\.0|:)$/, '')),
  )
  const place = PLACES[network as string] ?? { country: null, region: null }
  switch (member) {
    case 'country':
      return list.some((code) => code === place.country)
    case 'region':
      return list.some((code) => code === place.region)
    case 'language': {
      const also: Record<string, string> = { 'zh-TW': 'zh-Hant', nb: 'no', nn: 'no', no: 'nb' }
      const tag = `${language[1]} ${also[String(language[1])] ?? ''}`.trim()
      return list.some((each) => tag.split(' ').some((one) => `${one}-`.startsWith(`${each}-`)))
    }
    case 'device':
      return list.some((device) => device === agent.device)
    case 'os':
      return isNamed(expected as Named[], agent.os, agent.osVersion)
    case 'browser':
      return isNamed(expected as Named[], agent.browser, agent.browserVersion)
    case 'query':
      return Object.entries(expected as Record<string, string[]>).every(([name, values]) => {
        const given = parameters.filter(([other]) => other === name).map(([, value]) => value)
        if (values.length === 0) return given.length === 0
        return given.some((value) => values[0] === '*' || values.indexOf(value) >= 0)
      })
    case 'referrer_host':
      return list.some((each) => HOSTS[referrer]?.split(' ').includes(each))
    case 'network':
      return list.some((each) => NETWORKS[each]?.(address))
    case 'time':
      return isIn(expected as TimeWindow, now)
    default:
      return list.some((kind) => kind === agent.kind)
  }
}

/** The patterns that each referrer matches. */
const HOSTS: Record<string, string> = {
  'https://www.example.com/x?y': 'example.com *.example.com',
  'https://news.example.com/': '*.example.com',
  'http://example.org': 'example.org',
  'android-app://com.slack/': 'com.slack',
}
const NETWORKS: Record<string, (address: string) => boolean> = {
  '5.1.1.0/24': (address) => address.startsWith('5.1.1.'),
  '5.0.0.0/8': (address) => address.startsWith('5.'),
  '8.1.1.9/32': (address) => address === '8.1.1.9',
  '2a01:4f8::/32': (address) => address.startsWith('2a01:4f8:'),
  '0.0.0.0/0': (address) => !address.includes(':'),
}

/** Versions are numbers here: 17.4 is 17.04. */
function isNamed(expected: Named[], name: string | null, version: number | null): boolean {
  return expected.some((each) => {
    if (typeof each === 'string') return each.toLowerCase() === name?.toLowerCase()
    const [major = 0, minor = 0] = String(each.min ?? 0)
      .split('.')
      .map(Number)
    if (each.name.toLowerCase() !== name?.toLowerCase()) return false
    return each.min === undefined || (version ?? -1) >= major + minor / 100
  })
}

function isIn({ timezone, from, until, days, hours }: TimeWindow, now: number): boolean {
  // The only clock change in these tests.
  const isSummer = now >= Date.parse('2026-03-29T01:00:00Z')
  const shift = timezone === 'UTC' ? 0 : isSummer ? 2 : 1
  const local = new Date(now + shift * 3_600_000).toISOString()
  const [date = '', time = ''] = [local.slice(0, 10), local.slice(11, 16)]
  if (from && from.length > 10 && now < new Date(from).getTime()) return false
  if (until && until.length > 10 && now >= new Date(until).getTime()) return false
  const isOn = (day: string) =>
    !(from?.length === 10 && day < from) &&
    !(until?.length === 10 && day > until) &&
    (!days || days.some((each) => each === weekday(day)))
  const before = new Date(Date.parse(date) - 86_400_000).toISOString().slice(0, 10)
  const allDay: [string, string][] = [['00:00', '24:00']]
  return (hours ?? allDay).some(([a, b]) => {
    if (a < b) return a <= time && time < b && isOn(date)
    return (a <= time && isOn(date)) || (time < b && isOn(before))
  })
}

function weekday(date: string): string | undefined {
  return ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'][new Date(date).getUTCDay()]
}
