import type { Click, ClickPosition, StoredClick } from '../types.ts'

/** Paths that the statistics process answers: those of `ClickReports` and its own. */
export type Question =
  | 'totals'
  | 'series'
  | 'top'
  | 'clicks'
  | 'daily'
  | 'export'
  | 'recount'
  | 'lock-writes'

/** A stored click as JSON: its visitor, of 64 bits, as digits. */
export type WireClick = Omit<Click, 'visitor'> & ClickPosition & { visitor: string | null }

/** For JSON. */
export function toWire(click: StoredClick): WireClick {
  return { ...click, visitor: click.visitor === null ? null : String(click.visitor) }
}

/** Back from JSON. */
export function fromWire(click: WireClick): StoredClick {
  return { ...click, visitor: click.visitor === null ? null : BigInt(click.visitor) }
}

/** A link's numbers by its raw clicks and what is left of purged ones. */
export type LinkNumbers = [
  linkSeq: number,
  human: number,
  bot: number,
  unique: number,
  lastClickedAt: number,
]
