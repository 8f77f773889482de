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
  | 'check'

/** A link's numbers by its raw clicks and what is left of purged ones. */
export type LinkNumbers = [
  linkSeq: number,
  human: number,
  bot: number,
  unique: number,
  lastClickedAt: number,
]
