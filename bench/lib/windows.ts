import { seeded } from '../../test/harness/random.ts'
import { median, quantile } from './machine.ts'
import type { Visits } from './open-load.ts'

/** A time window with or without work beside the load. Since the Unix epoch. */
export interface Window {
  isBusy: boolean
  fromMs: number
  toMs: number
}

/** In milliseconds, or as a ratio. */
export interface Quantiles {
  p50: number
  p99: number
}

/** Quantiles of all latencies of each kind of window, and their ratios. */
export interface Comparison {
  requests: number
  alone: Quantiles
  beside: Quantiles
  ratio: Quantiles
  /** For p99: the 95 % bootstrap interval of the ratio. */
  between: [number, number]
  /** The same for the median of each window's p99, which rare stalls don't affect. */
  usual: { alone: number; beside: number; ratio: number; between: [number, number] }
}

const DRAWS = 400

/**
 * Pools the latencies of all windows of a kind. Neighbouring requests correlate, so the bootstrap
 * resamples windows, not single requests.
 */
export function compareWindows(
  visits: Pick<Visits, 'due' | 'latency'>,
  windows: readonly Window[],
): Comparison {
  const { due, latency } = visits
  const order = Uint32Array.from(due.keys()).sort((a, b) => (due[a] ?? 0) - (due[b] ?? 0))
  const parts = windows.map(({ isBusy, fromMs, toMs }) => ({
    isBusy,
    latencies: Float32Array.from(
      order.subarray(firstFrom(due, order, fromMs), firstFrom(due, order, toMs)),
      (i) => latency[i] as number,
    ),
  }))
  const alone = parts.filter(({ isBusy }) => !isBusy).map(({ latencies }) => latencies)
  const beside = parts.filter(({ isBusy }) => isBusy).map(({ latencies }) => latencies)
  const [a, b] = [quantiles(alone), quantiles(beside)]
  const random = seeded(1)
  const draw = <T>(from: T[]) => from.map(() => from[Math.floor(random() * from.length)] as T)
  const between = (ratio: () => number): [number, number] => {
    const ratios = Array.from({ length: DRAWS }, ratio)
    return [quantile(ratios, 0.025), quantile(ratios, 0.975)]
  }
  const [ownA, ownB] = [alone, beside].map((kind) => kind.map((one) => quantiles([one]).p99)) as [
    number[],
    number[],
  ]
  return {
    requests: parts.reduce((sum, { latencies }) => sum + latencies.length, 0),
    alone: a,
    beside: b,
    ratio: { p50: b.p50 / a.p50, p99: b.p99 / a.p99 },
    between: between(() => quantiles(draw(beside)).p99 / quantiles(draw(alone)).p99),
    usual: {
      alone: median(ownA),
      beside: median(ownB),
      ratio: median(ownB) / median(ownA),
      between: between(() => median(draw(ownB)) / median(draw(ownA))),
    },
  }
}

function quantiles(parts: readonly Float32Array[]): Quantiles {
  const all = new Float32Array(parts.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const part of parts) {
    all.set(part, at)
    at += part.length
  }
  all.sort()
  const below = (q: number) => all[Math.ceil(q * all.length) - 1] ?? Number.NaN
  return { p50: below(0.5), p99: below(0.99) }
}

/** The first index in `order` whose visit was due then or later. */
function firstFrom(due: readonly number[], order: Uint32Array, time: number): number {
  let [low, high] = [0, order.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((due[order[middle] as number] as number) < time) low = middle + 1
    else high = middle
  }
  return low
}
