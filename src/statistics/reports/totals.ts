import type { BotsMode, Counts } from '../types.ts'

/** All clicks, bots among them, and visitors of those that count: what the queries give. */
export interface Sums {
  all: number
  bots: number
  unique: number
}

/** As reports say it. */
export function countsOf({ all, bots, unique }: Sums, mode: BotsMode): Counts {
  const clicks = mode === 'exclude' ? all - bots : mode === 'only' ? bots : all
  return { clicks, unique, bots }
}
