import type { RuleAnswer } from '@src/redirect/rules/types.ts'
import type { LinkCreate } from '../../queries.ts'
import type { ConditionName, Rule, Variant, When } from '../../rules/text.ts'
import { numberOrNull, withScheme } from '../input-values.ts'

/** A variant in the form. */
export interface VariantDraft {
  /** Its key while it is edited. */
  key: string
  /** Of an existing variant, whose statistics continue. */
  id?: string
  name: string
  destination_url: string
  weight: string
}

/** A parameter of a condition. */
export interface Parameter {
  name: string
  how: 'values' | 'any' | 'absent'
  values: string[]
}

/** Conditions in the API's form, except those by names that are still being typed. */
export type WhenDraft = Omit<When, 'query' | 'not_query'> & {
  query?: Parameter[]
  not_query?: Parameter[]
}

/** The outcome of a rule; inactive choices are kept, so that switching loses nothing. */
export interface ThenDraft {
  kind: 'destination_url' | 'variants' | 'answer'
  destination_url: string
  variants: VariantDraft[]
  answer: RuleAnswer
}

/** A rule in the form. */
export interface RuleDraft {
  key: string
  id?: string
  name: string
  when: WhenDraft
  then: ThenDraft
}

let made = 0

/** A key that can't be an id: ids have no tilde. */
const newKey = () => `new~${++made}`

export function newVariant(destination_url = ''): VariantDraft {
  return { key: newKey(), name: '', destination_url, weight: '50' }
}

/** Half of the visitors keep the previous destination. */
export function newSplit(destination_url = ''): VariantDraft[] {
  return [newVariant(destination_url), newVariant()]
}

export function newRule(name = '', when: WhenDraft = {}): RuleDraft {
  return { key: newKey(), name, when, then: thenDraft({ destination_url: '' }) }
}

export function variantDrafts(variants: readonly Variant[]): VariantDraft[] {
  return variants.map(({ id, name = '', destination_url, weight }) => ({
    key: id,
    id,
    name,
    destination_url,
    weight: String(weight),
  }))
}

export function ruleDrafts(rules: readonly Rule[]): RuleDraft[] {
  return rules.map(({ id, name = '', when, then }) => ({
    key: id,
    id,
    name,
    when: whenDraft(when),
    then: thenDraft(then),
  }))
}

function thenDraft({ destination_url, variants, answer }: Rule['then']): ThenDraft {
  const kind = variants ? 'variants' : answer ? 'answer' : 'destination_url'
  return {
    kind,
    destination_url: destination_url ?? '',
    variants: variantDrafts(variants ?? []),
    answer: answer ?? 'fallback',
  }
}

function whenDraft(when: When): WhenDraft {
  const entries = Object.entries(when).map(([name, value]) => [
    name,
    isQuery(name) ? parametersOf(value as Record<string, string[]>) : value,
  ])
  return Object.fromEntries(entries) as WhenDraft
}

const isQuery = (name: string) => name === 'query' || name === 'not_query'

function parametersOf(query: Record<string, string[]>): Parameter[] {
  return Object.entries(query).map(([name, values]) => {
    if (values.length === 0) return { name, how: 'absent', values: [] }
    const isAny = values.length === 1 && values[0] === '*'
    return isAny ? { name, how: 'any', values: [] } : { name, how: 'values', values }
  })
}

/** Copies with new ids. */
export function withoutIds<T extends VariantDraft | RuleDraft>(items: readonly T[]): T[] {
  return items.map(({ id: _, ...item }) => {
    const copy = { ...item, key: newKey() } as T
    if (!('then' in copy)) return copy
    const then = { ...copy.then, variants: withoutIds(copy.then.variants) }
    return { ...copy, then }
  })
}

type VariantInput = NonNullable<LinkCreate['variants']>[number]
type RuleInput = NonNullable<LinkCreate['rules']>[number]

/** Empty values are omitted: the API then reports them as missing instead of invalid. */
export function variantInputs(variants: readonly VariantDraft[]): VariantInput[] {
  return variants.map(({ id, name, destination_url, weight }) =>
    filled({
      id,
      name: name.trim(),
      destination_url: withScheme(destination_url.trim()),
      weight: numberOrNull(weight) ?? '',
    }),
  )
}

export function ruleInputs(rules: readonly RuleDraft[]): RuleInput[] {
  return rules.map(({ id, name, when, then }) =>
    filled({ id, name: name.trim(), when: whenOf(when), then: thenOf(then) }),
  )
}

function filled<T>(fields: object): T {
  const entries = Object.entries(fields).filter(([, value]) => value !== undefined && value !== '')
  return Object.fromEntries(entries) as T
}

/** An outcome in the API's form. */
export function thenOf({ kind, destination_url, variants, answer }: ThenDraft): RuleInput['then'] {
  if (kind === 'answer') return { answer }
  if (kind === 'variants') return { variants: variantInputs(variants) }
  return filled({ destination_url: withScheme(destination_url.trim()) })
}

/** Conditions in the API's form. */
export function whenOf(when: WhenDraft): When {
  const entries = Object.entries(when).map(([name, value]) => [name, inputOf(name, value)])
  return Object.fromEntries(entries) as When
}

type Named = NonNullable<When['os']>[number]

function inputOf(name: string, value: WhenDraft[ConditionName]): unknown {
  if (isQuery(name)) return queryOf(value as Parameter[])
  // A version that was emptied again.
  if (/os$|browser$/.test(name)) {
    return (value as Named[]).map((one) => (typeof one === 'string' ? one : filled(one)))
  }
  return value
}

/** A duplicate parameter has the values of both. */
function queryOf(parameters: readonly Parameter[]): Record<string, string[] | null> {
  const query: Record<string, string[] | null> = {}
  for (const { name, how, values } of parameters) {
    const own = how === 'any' ? ['*'] : how === 'absent' ? [] : values
    // No values would mean that the parameter is absent: the API reports them as missing instead.
    const isMissing = how === 'values' && values.length === 0
    query[name.trim()] = isMissing ? null : [...(query[name.trim()] ?? []), ...own]
  }
  return query
}
