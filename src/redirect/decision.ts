import type { Random } from '../lib/base/random.ts'
import { formatTimestamp } from '../lib/validation/timestamp.ts'
import type { BlockList } from '../model/blocks/list.ts'
import type { ClosedReason, Condition, LinkRow, LinkTarget, SlugRow } from './resolver.ts'
import {
  choose,
  type Plan,
  planOf,
  type RuleAnswer,
  type Trace,
  type Visitor,
} from './rules/index.ts'

/** How to answer a visit, before anything is counted. */
export type Decision =
  | { kind: 'not_found' }
  | { kind: 'blocked' }
  | { kind: 'closed'; seq: number; link: LinkRow; condition: ClosedReason }
  /** A password is required. */
  | { kind: 'locked'; seq: number; link: LinkRow; hash: string }
  | SocialDecision
  | AnsweredDecision
  | OpenDecision

/** A link preview for a service that shows it in messages, if the link has its own. */
export interface SocialDecision {
  kind: 'social'
  seq: number
  link: LinkRow & { social: string }
}

/** A rule of the link answers the visit itself. */
export interface AnsweredDecision {
  kind: 'answered'
  seq: number
  link: LinkTarget
  answer: RuleAnswer
  rule: string
}

/** The link redirects. */
export interface OpenDecision {
  kind: 'open'
  seq: number
  /** Null: a link without conditions. */
  link: (LinkTarget & { max_clicks?: number | null }) | null
  /** The destination, before values of the visit are added. */
  target: string
  status: number
  rule: string | null
  variant: string | null
}

/** The visitor and the request, as far as a decision needs them. */
interface DecisionInput {
  readonly domainNo: number
  /** The key of the slug that matches. */
  readonly slugKey: string
  /** The hash that matches the given password. */
  readonly unlocked: string | null
  /** `/{slug}+` was requested: the preview of the destination. */
  readonly preview: boolean
  /** Called only if the link has rules, variants or its own link preview. */
  visitor(now: number): Visitor
}

/** Dependencies of decisions. */
interface DecisionDeps {
  blocks: Pick<BlockList, 'covers' | 'hasTarget'>
  random: Random
}

/**
 * Decides a visit, for the redirect and for `explain`. Pure: nothing is counted, and no use of a
 * limited link is taken. `trace` receives each step.
 */
export function decide(
  slug: SlugRow | null,
  input: DecisionInput,
  now: number,
  deps: DecisionDeps,
  trace?: Trace,
): Decision {
  const isFound = slug !== null && slug.link_seq !== null && slug.target_url !== null
  if (slug?.block_id == null) trace?.('slug', isFound)
  if (slug === null) return NOT_FOUND
  const { link_seq, target_url } = slug
  const isBlocked =
    slug.block_id !== null ||
    (isFound &&
      deps.blocks.covers(input.domainNo, link_seq as number, target_url as string, input.slugKey))
  if (isFound || isBlocked) trace?.('block', !isBlocked)
  if (isBlocked) return BLOCKED
  if (link_seq === null || target_url === null) return NOT_FOUND
  const { link } = slug
  if (slug.special === 0) {
    trace?.('enabled', true)
    return openTo(link_seq, null, target_url, slug.redirect_status)
  }
  if (link === null) return NOT_FOUND
  const condition = conditionOf(link, now, trace)
  if (condition !== 'open') return { kind: 'closed', seq: link_seq, link, condition }
  const { password_hash: hash } = link
  const isLocked = hash !== null && input.unlocked !== hash
  if (hash !== null) trace?.('password', !isLocked)
  if (isLocked) return { kind: 'locked', seq: link_seq, link, hash }
  if (link.social !== null && !input.preview) {
    const { isUnfurler } = input.visitor(now)
    trace?.('social', !isUnfurler)
    if (isUnfurler) return { kind: 'social', seq: link_seq, link: { ...link, social: link.social } }
  }
  return decideDestination(link_seq, link, input, now, deps, trace)
}

const NOT_FOUND: Decision = { kind: 'not_found' }
const BLOCKED = { kind: 'blocked' } as const

function openTo(
  seq: number,
  link: LinkTarget | null,
  target: string,
  status: number,
): OpenDecision {
  return { kind: 'open', seq, link, target, status, rule: null, variant: null }
}

/** Rows are cached, and with them their parsed rules. */
const plans = new WeakMap<LinkTarget, Plan>()

function planFor(link: LinkTarget): Plan {
  let plan = plans.get(link)
  if (plan === undefined) {
    plan = planOf(link.rules, link.variants)
    plans.set(link, plan)
  }
  return plan
}

/** The destination of an open link for a visitor: by its rules and variants, if any. */
export function decideDestination(
  seq: number,
  link: LinkTarget,
  input: DecisionInput,
  now: number,
  { blocks, random }: DecisionDeps,
  trace?: Trace,
): OpenDecision | AnsweredDecision | { kind: 'blocked' } {
  const { target_url, redirect_status, rules, variants } = link
  if (rules === null && variants === null) return openTo(seq, link, target_url, redirect_status)
  const own = { seq, target: target_url }
  const choice = choose(planFor(link), own, input.visitor(now), { random, trace })
  const { rule } = choice
  if (choice.answer !== null) {
    return { kind: 'answered', seq, link, answer: choice.answer, rule: choice.rule }
  }
  const { target, variant } = choice
  if (target !== target_url) {
    const isBlocked = blocks.hasTarget(target)
    trace?.('destination', !isBlocked, undefined, target)
    if (isBlocked) return BLOCKED
  }
  return { kind: 'open', seq, link, target, status: redirect_status, rule, variant }
}

/**
 * Whether a link redirects, and if not, why: the first that applies, in the order of a link's
 * `status`. A link is open from its start until its end.
 * @param now in milliseconds since the Unix epoch
 */
function conditionOf(link: LinkRow, now: number, trace?: Trace): Condition {
  const { starts_at, expires_at, max_clicks, uses } = link
  if (!passes('enabled', link.enabled !== 0, trace)) return 'disabled'
  if (expires_at !== null) {
    const isAhead = expires_at > now
    if (!passes('expires_at', isAhead, trace, () => [expires_at, now])) return 'expired'
  }
  if (max_clicks !== null) {
    const isLeft = uses < max_clicks
    trace?.('max_clicks', isLeft, max_clicks, uses)
    if (!isLeft) return 'exhausted'
  }
  if (starts_at !== null) {
    const isPast = starts_at <= now
    if (!passes('starts_at', isPast, trace, () => [starts_at, now])) return 'scheduled'
  }
  return 'open'
}

function passes(
  check: string,
  passed: boolean,
  trace: Trace | undefined,
  times?: () => [expected: number, actual: number],
): boolean {
  if (trace !== undefined) {
    const [expected, actual] = times?.().map(formatTimestamp) ?? []
    trace(check, passed, expected, actual)
  }
  return passed
}
