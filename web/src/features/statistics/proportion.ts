/** The 97.5 % quantile of the standard normal distribution. */
const Z_95 = 1.959964

/** The interval of a share, both from 0 to 1. */
interface ShareInterval {
  low: number
  high: number
}

/**
 * The 95 % interval of a share by Wilson's score method, without continuity correction: E. B. Wilson,
 * "Probable inference, the law of succession, and statistical inference", JASA 22 (1927), 209–212;
 * method 3 of R. G. Newcombe, "Two-sided confidence intervals for the single proportion", Statistics
 * in Medicine 17 (1998), 857–872. It stays within 0 and 1, and holds for few visitors and for shares
 * near the ends. `total` 0: all is possible.
 */
export function wilson(count: number, total: number): ShareInterval {
  if (total === 0) return { low: 0, high: 1 }
  const share = count / total
  const z2 = Z_95 ** 2
  const middle = share + z2 / (2 * total)
  const reach = Z_95 * Math.sqrt((share * (1 - share) + z2 / (4 * total)) / total)
  const scale = 1 + z2 / total
  return {
    low: count === 0 ? 0 : (middle - reach) / scale,
    high: count === total ? 1 : (middle + reach) / scale,
  }
}

/** With fewer visitors an interval is some 20 points wide and says next to nothing. */
export const VISITORS_MIN = 100

/** A variant of a split: its expected and actual share. */
export interface Compared {
  id: string
  name: string
  visitors: number
  /** Of all visitors of the split, from 0 to 1. */
  share: number
  expected: number
  interval: ShareInterval
}

/**
 * The shares of a split's variants. Visitors are counted instead of clicks: a visitor keeps a
 * variant for the day, so that further clicks are not independent. The shares of a split depend on
 * each other, so each is compared with its own weight.
 */
export function compareVariants(
  variants: readonly { id: string; name?: string | undefined; weight: number }[],
  visitors: ReadonlyMap<string, number>,
): Compared[] {
  const weights = variants.reduce((sum, { weight }) => sum + weight, 0)
  const total = variants.reduce((sum, { id }) => sum + (visitors.get(id) ?? 0), 0)
  return variants.map(({ id, name = id, weight }) => {
    const own = visitors.get(id) ?? 0
    const share = total === 0 ? 0 : own / total
    const interval = wilson(own, total)
    return { id, name, visitors: own, share, expected: weight / weights, interval }
  })
}

/** The conclusion from the shares of a split. */
export type Verdict = { kind: 'few' | 'chance' } | { kind: 'more' | 'fewer'; variant: Compared }

/** Whether a variant's share differs from its weight by more than chance explains. */
export function verdictOf(compared: readonly Compared[]): Verdict {
  const total = compared.reduce((sum, { visitors }) => sum + visitors, 0)
  if (total < VISITORS_MIN) return { kind: 'few' }
  // Rounded: two variants deviate equally, and the first one is named.
  const off = ({ share, expected }: Compared) => Math.round(Math.abs(share - expected) * 1e9)
  const [worst] = compared
    .filter(({ expected, interval }) => expected < interval.low || expected > interval.high)
    .toSorted((a, b) => off(b) - off(a))
  if (worst === undefined) return { kind: 'chance' }
  return { kind: worst.share > worst.expected ? 'more' : 'fewer', variant: worst }
}
