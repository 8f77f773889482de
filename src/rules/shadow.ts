import { isWithinTag } from './conditions.ts'
import type { Named, Rule, When } from './types.ts'
import { compareVersions, minOf, nameKey } from './values.ts'

/** Whether one value of a member is another, or part of it. */
const WITHIN: Readonly<Record<string, (value: never, other: never) => boolean>> = {
  language: isWithinTag,
  os: isNamedWithin,
  browser: isNamedWithin,
}

/** Each rule that can never decide, by its place, with the place of the one before it that covers it. */
export function shadowedRules(rules: readonly Rule[]): [at: number, by: number][] {
  return rules.flatMap(({ when }, at): [number, number][] => {
    const by = rules.slice(0, at).findIndex((before) => covers(before.when, when))
    return by < 0 ? [] : [[at, by]]
  })
}

/** True: who fits the second fits the first. False also where that can't be told by their values. */
export function covers(first: When, second: When): boolean {
  return Object.entries(first).every(([name, wide]) => {
    const narrow = second[name as keyof When]
    if (narrow === undefined || wide === undefined) return wide === undefined
    if (!isList(wide) || !isList(narrow)) return JSON.stringify(wide) === JSON.stringify(narrow)
    // What is excluded there must be excluded here too.
    return name.startsWith('not_')
      ? areWithin([wide].flat(), [narrow].flat(), name.slice('not_'.length))
      : areWithin([narrow].flat(), [wide].flat(), name)
  })
}

function isList(value: unknown): boolean {
  return Array.isArray(value) || typeof value === 'string'
}

function areWithin(values: readonly unknown[], others: readonly unknown[], member: string) {
  const isWithin = WITHIN[member] ?? ((value: unknown, other: unknown) => value === other)
  return values.every((value) => others.some((other) => isWithin(value as never, other as never)))
}

function isNamedWithin(value: Named, other: Named): boolean {
  const [own, min] = [minOf(value), minOf(other)]
  if (nameKey(value) !== nameKey(other)) return false
  return min === undefined || (own !== undefined && compareVersions(own, min) >= 0)
}
