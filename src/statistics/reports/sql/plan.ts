import { FIRST } from '../../store/schema.ts'
import { STEADY } from '../../store/steady.ts'
import type { Dimension, Filter, Selection } from '../../types.ts'

/**
 * How the different visitors of a question are counted. Telling them apart one by one takes a
 * second for ten million clicks; adding up the clicks that are marked as firsts takes a tenth.
 *
 * A click is *decided* when its visitor's other clicks of the day that the question could take for
 * the same visitor of the same answer (the same value, the same bucket) are decided too, and exactly
 * one of them has the bit `first`, or none if the visitor doesn't count. Decided clicks are added
 * up; among the others visitors are told apart. Both sums together are exact.
 */
export interface UniquePlan {
  /** Bit of `firsts` that a decided click counts by. */
  first: number
  /** Bits of `firsts` that a decided click must have, all of them: `STEADY`'s. */
  steady: number
  /**
   * Also, the question depends on the time of day, and a click is only decided when it gets the
   * same answer as its visitor's first one.
   */
  byTime: boolean
}

/** What may differ between clicks of one visitor on one day; the bit that says when it doesn't. */
const VARYING: Partial<Record<Dimension, number>> = {
  language: STEADY.language,
  referrer: STEADY.referrer,
  referrer_path: STEADY.referrer,
  utm_source: STEADY.utm,
  utm_medium: STEADY.utm,
  utm_campaign: STEADY.utm,
  utm_term: STEADY.utm,
  utm_content: STEADY.utm,
  trigger: STEADY.way,
  kind: STEADY.way,
  domain: STEADY.way,
  link: STEADY.link,
}

/**
 * `group`: the dimension whose values are listed; `rest`: not each of them, but several together.
 * `buckets`: of a series whose buckets don't all begin at midnight UTC.
 */
export function planUnique(
  selection: Selection,
  { group, rest = false, buckets = false }: PlanOptions = {},
): UniquePlan {
  const { filters, linkSeq, linkSeqs } = selection
  const asked = filters.map(({ dimension }) => dimension)
  const dimensions = new Set(group === undefined ? asked : [...asked, group])
  if (linkSeqs !== null) dimensions.add('link')
  const timed = dimensions.has('hour') || dimensions.has('weekday')
  const free = freeDimension()
  let steady = 0
  for (const dimension of dimensions) {
    // A person is a person all day; a program may be a bot now and a preview then.
    if (dimension === 'kind' && selection.bots === 'exclude') continue
    if (dimension !== free) steady |= VARYING[dimension] ?? 0
  }
  // The first click on the link, or with the value, needn't be the first of the day: no telling
  // where in the day it lies. Nor does the listed hour say where the first of the rest lies.
  const slots = timed && (free !== null || rest)
  if (slots) steady |= STEADY.slot
  return {
    first: free === null ? FIRST.workspace : FIRST[free],
    steady,
    byTime: !slots && (timed || buckets),
  }

  /** The one whose first clicks are marked, where each answer is about one of its values. */
  function freeDimension(): (keyof typeof FIRST & Dimension) | null {
    if (linkSeq !== null) return 'link'
    if (timed) return null
    if (group !== undefined && !rest && group in FIRST)
      return group as keyof typeof FIRST & Dimension
    // In a bucket, only the first click of all says whether others were in it.
    if (buckets) return null
    const single = filters.find(isSingle)
    return single === undefined ? null : (single.dimension as keyof typeof FIRST & Dimension)
  }
}

export interface PlanOptions {
  group?: Dimension
  rest?: boolean
  buckets?: boolean
}

/** Keeps one value of a dimension that has marks. */
function isSingle({ dimension, values, exclude }: Filter): boolean {
  return !exclude && values.length === 1 && dimension in FIRST
}
