import type { BotsMode, Dimension, Filter, StoredClick } from './types.ts'
import { zoned } from './zones.ts'

/** Which clicks of a workspace a stream is about. */
export interface LiveFilter {
  filters: readonly Filter[]
  bots: BotsMode
  /** For hours and weekdays. */
  zone: string
}

/** Whether a click is one of them; by the rules that reports have. */
export function matches(click: StoredClick, { filters, bots, zone }: LiveFilter): boolean {
  if (bots !== 'include' && (click.kind === 'person') !== (bots === 'exclude')) return false
  return filters.every(
    ({ dimension, values, exclude }) =>
      values.includes(dimensionOf(click, dimension, zone)) !== exclude,
  )
}

function dimensionOf(
  click: StoredClick,
  dimension: Dimension,
  zone: string,
): string | number | null {
  switch (dimension) {
    case 'link':
      return click.linkSeq
    case 'domain':
      return click.domainNo
    case 'hour':
      return zoned(click.time, zone).hour
    case 'weekday':
      return zoned(click.time, zone).dayOfWeek
    default:
      return click[dimension]
  }
}
