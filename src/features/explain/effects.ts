import type { ExcludedNetworks } from '../../clicks/index.ts'
import { type Decision, restOf, searchOf, type Visit } from '../../redirect/index.ts'
import type { Trace } from '../../redirect/rules/index.ts'
import type { DescribedVisitor } from './schemas.ts'
import type { Finding } from './words.ts'

/** An answered visit. */
export interface Answered {
  decision: Decision | undefined
  visit: Visit | undefined
  location: string | null
}

/** The plan's monthly limit of clicks, and how many are counted. */
export interface Quota {
  limit: number
  used: number
}

/** What follows from a decision: forwarded parameters, a closed link's response, counting. */
export function effectsOf(
  answered: Answered,
  { ip }: DescribedVisitor,
  counting: { excluded?: Pick<ExcludedNetworks, 'covers'> | undefined; quota: Quota | null },
): Finding[] {
  const findings: Finding[] = []
  const trace: Trace = (check, passed, expected, actual) =>
    findings.push({ check, passed, expected, actual })
  traceAnswer(answered, trace)
  const { decision } = answered
  const isCounted = decision?.kind === 'open' || decision?.kind === 'social'
  if (isCounted && answered.visit?.preview === false) {
    traceCounting(decision, ip, counting, trace)
  }
  return findings
}

function traceAnswer({ decision, visit, location }: Answered, trace: Trace): void {
  if (decision === undefined || visit === undefined) {
    if (location !== null) trace('domain_url', true, undefined, location)
    return
  }
  if (decision.kind === 'open') tracePassedOn(decision, visit, trace)
  else traceFallback(decision, location, trace)
}

function traceCounting(
  decision: Extract<Decision, { kind: 'open' | 'social' }>,
  ip: string | undefined,
  { excluded, quota }: Parameters<typeof effectsOf>[2],
  trace: Trace,
): void {
  const tracking = decision.link?.tracking ?? 'full'
  trace('tracking', tracking !== 'none', undefined, tracking)
  if (tracking === 'none') return
  if (ip !== undefined && excluded !== undefined) {
    const isExcluded = excluded.covers(decision.seq, ip)
    trace('excluded_networks', !isExcluded, undefined, ip)
    if (isExcluded) return
  }
  if (quota !== null) {
    trace('clicks_per_month', quota.used < quota.limit, quota.limit, quota.used)
  }
}

const PATH_PLACEHOLDER = /(?:\{|%7B)path/
const QUERY_PLACEHOLDER = /(?:\{|%7B)query\./

function tracePassedOn(
  { target, link, rule, variant }: Extract<Decision, { kind: 'open' }>,
  visit: Visit,
  trace: Trace,
): void {
  if (rule === null && variant === null) trace('destination_url', true, undefined, target)
  const rest = restOf(visit)
  const isPathUsed = link?.forward_path === 1 || PATH_PLACEHOLDER.test(target)
  if (rest !== '') trace('path', isPathUsed, undefined, rest)
  // A preview's own query isn't forwarded.
  const search = visit.preview ? '' : searchOf(visit.url)
  const isQueryUsed = link?.forward_query === 1 || QUERY_PLACEHOLDER.test(target)
  if (search.length > 1) trace('forward_query', isQueryUsed, undefined, search.slice(1))
}

function traceFallback(decision: Decision, location: string | null, trace: Trace): void {
  const hasFallback =
    decision.kind === 'closed' || (decision.kind === 'answered' && decision.answer === 'fallback')
  const fallback = hasFallback ? decision.link.fallback_url : null
  if (fallback !== null) {
    trace('fallback_url', location !== null, undefined, location ?? fallback)
    return
  }
  if (hasFallback && location === null) trace('fallback_url', false)
  if (location !== null) trace('domain_url', true, undefined, location)
}
