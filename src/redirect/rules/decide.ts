import { type Random, systemRandom } from '../../lib/base/random.ts'
import { targetOf } from '../../model/links/values.ts'
import { type Condition, conditionsOf } from './conditions.ts'
import type { Rule, RuleAnswer, Variant } from './types.ts'
import type { Visitor } from './visitor.ts'

/** A variant: `target` is the start of `Location`. */
interface Share {
  id: string
  weight: number
  target: string
}

interface PlannedRule {
  id: string
  conditions: readonly Condition[]
  then: { target: string } | { shares: readonly Share[] } | { answer: RuleAnswer }
}

/** The rules and variants of a link, parsed for decisions. */
export interface Plan {
  rules: readonly PlannedRule[]
  variants: readonly Share[] | null
}

/** The decision of a link's rules and variants for a visitor; ids are null if there are none. */
export type Choice =
  | { answer: null; target: string; rule: string | null; variant: string | null }
  | { answer: RuleAnswer; rule: string }

/** Records a step of a decision, for explanations. */
export type Trace = (check: string, passed: boolean, expected?: unknown, actual?: unknown) => void

/** @param rules the stored JSON, or null if there are none; `variants` likewise */
export function planOf(rules: string | null, variants: string | null): Plan {
  return {
    rules: rules === null ? [] : (JSON.parse(rules) as Rule[]).map(plannedRule),
    variants: variants === null ? null : (JSON.parse(variants) as Variant[]).map(shareOf),
  }
}

function plannedRule({ id, when, then }: Rule): PlannedRule {
  const conditions = conditionsOf(when)
  if (then.answer !== undefined) return { id, conditions, then: { answer: then.answer } }
  if (then.variants !== undefined) {
    return { id, conditions, then: { shares: then.variants.map(shareOf) } }
  }
  return { id, conditions, then: { target: targetOf(then.destination_url as string) } }
}

function shareOf({ id, weight, destination_url }: Variant): Share {
  return { id, weight, target: targetOf(destination_url) }
}

/** Decides: the first matching rule, else the variants, else the link's own `target`. */
export function choose(
  { rules, variants }: Plan,
  { seq, target }: { seq: number; target: string },
  visitor: Visitor,
  { random = systemRandom, trace }: { random?: Random | undefined; trace?: Trace | undefined } = {},
): Choice {
  const split = (shares: readonly Share[], rule: string | null, check: string): Choice => {
    const share = pick(shares, seq, visitor.hash, random)
    trace?.(
      check,
      true,
      shares.map(({ id, weight }) => ({ id, weight })),
      share.id,
    )
    return { answer: null, target: share.target, rule, variant: share.id }
  }
  for (let i = 0; i < rules.length; i++) {
    const { id, conditions, then } = rules[i] as PlannedRule
    if (!allHold(conditions, visitor, i, trace)) continue
    trace?.(`rules[${i}]`, true, undefined, id)
    if ('answer' in then) return { answer: then.answer, rule: id }
    if ('shares' in then) return split(then.shares, id, `rules[${i}].then.variants`)
    return { answer: null, target: then.target, rule: id, variant: null }
  }
  if (variants !== null) return split(variants, null, 'variants')
  return { answer: null, target, rule: null, variant: null }
}

function allHold(
  conditions: readonly Condition[],
  visitor: Visitor,
  i: number,
  trace: Trace | undefined,
): boolean {
  for (const { name, expected, holds, actual } of conditions) {
    const passed = holds(visitor)
    if (trace !== undefined) {
      trace(`rules[${i}].when.${name}`, passed, expected, actual(visitor))
    }
    if (!passed) return false
  }
  return true
}

/** For a visitor without a hash, random bytes replace it. */
const CHANCE_BYTES = 12

/**
 * Weighted rendezvous hashing: each variant's score depends only on the visitor and its own id, so
 * that a changed weight moves visitors only to or from that variant. The link is part of the hash,
 * so that the variants of different links are independent.
 */
function pick(shares: readonly Share[], seq: number, hash: string, random: Random): Share {
  const visitor = hash === '' ? Buffer.from(random.bytes(CHANCE_BYTES)).toString('base64url') : hash
  let best = shares[0] as Share
  let bestScore = 0
  for (const share of shares) {
    const drawn = (Bun.hash.xxHash32(`${visitor} ${seq} ${share.id}`) + 0.5) / 2 ** 32
    const score = share.weight / -Math.log(drawn)
    if (score <= bestScore) continue
    best = share
    bestScore = score
  }
  return best
}
