import type { Checkpoint } from '../jobs/index.ts'
import type { ReadOptions } from './check.ts'
import type { DateOrders } from './formats/index.ts'
import type { ReadRecord } from './records.ts'
import type { OnConflict, Outcome } from './write.ts'

/** The input of every import. */
export interface ImportInput extends ReadOptions {
  on_conflict: OnConflict
  /** Absent: makes another link. */
  if_exists?: 'return' | undefined
  /** Of the file or service, for people. */
  name: string | null
  dry_run: boolean
}

/** Records in order, and the position after a number of them. */
export interface Batch {
  records: ReadRecord[]
  positionAfter?: (count: number) => Position
  total?: number | null
  orders?: DateOrders | undefined
}

/** The job's result. */
export interface ImportResult {
  created: number
  updated: number
  skipped: number
  refused: number
  /** Clicks that came along. Absent: none. */
  imported_clicks?: number
  /** OperatorError, skipped and unchanged records without a row, because there are too many. Absent: none. */
  rows_omitted?: number
}

/** The job's state. */
export interface ImportState extends ImportResult {
  /** `check`: searches for conflicts first, because one ends the import. */
  phase: 'check' | 'write'
  /** How many records are processed. */
  n: number
  total: number | null
  /** Addresses of the created links. */
  addresses: number
  conflicts: number
  /** Records without an effect on the link that they are about. Absent: none. */
  unchanged?: number
  /** What a file's columns show about the order of their dates. */
  orders?: DateOrders | undefined
  /** What is to be read next of another service. */
  position?: Position
}

/** What is to be read next of a service. */
export interface Position {
  /** The page, in the service's terms. Null: the first one. */
  cursor: string | null
  /** How many of its records are imported. */
  done: number
  isEnded: boolean
  /** Pages that are imported. */
  pages: number
  /** The digest of an earlier page, to notice repetition. */
  digest: string | null
  /** Failed requests since the last page. */
  tries: number
  /** Failed requests in total. */
  waits: number
}

/** The source has to be read later. */
export class ReadLater extends Error {
  constructor(
    readonly ms: number,
    readonly position: Position,
  ) {
    super()
  }
}

/** Nothing is done. */
export const NONE: ImportResult = { created: 0, updated: 0, skipped: 0, refused: 0 }

/** The initial state of an import. */
export function startState(input: ImportInput): ImportState {
  const phase = input.on_conflict === 'fail' && !input.dry_run ? 'check' : 'write'
  return { ...NONE, phase, n: 0, total: null, addresses: 0, conflicts: 0 }
}

export function advanced(
  state: ImportState,
  { positionAfter, total = state.total, orders = state.orders }: Batch,
  outcomes: readonly Outcome[],
  /** How many of the batch were processed before these. */
  done: number,
): ImportState {
  const next = { ...state, n: state.n + outcomes.length, total, orders }
  if (positionAfter !== undefined) next.position = positionAfter(done + outcomes.length)
  for (const outcome of outcomes) {
    const { status, record } = outcome
    next[status === 'renamed' ? 'created' : status]++
    if (status === 'created' || status === 'renamed') {
      next.addresses += 1 + (record.fields?.aliases?.length ?? 0)
    }
    const clicks = hasChanged(status) ? record.fields?.imported_clicks : 0
    if (clicks) next.imported_clicks = (next.imported_clicks ?? 0) + clicks
    if (isConflict(outcome)) next.conflicts++
    if (isUnchanged(outcome)) next.unchanged = (next.unchanged ?? 0) + 1
  }
  return next
}

/** The outcomes that get a row: all that changed a link, and the first of the others. */
export function firstOf(
  outcomes: readonly Outcome[],
  state: ImportState,
  rowsMax: number,
): Outcome[] {
  const refused = state.phase === 'check' ? state.conflicts : state.refused
  const { skipped, unchanged = 0 } = state
  const rows: Record<string, number> = { refused, skipped, unchanged }
  return outcomes.filter((outcome) => {
    const kind = isUnchanged(outcome) ? 'unchanged' : outcome.status
    const before = rows[kind]
    if (before === undefined) return true
    rows[kind] = before + 1
    return before < rowsMax
  })
}

export function checkpointOf(state: ImportState, rowsMax: number): Checkpoint<ImportState> {
  if (state.phase === 'check') return { state, progress: { total: state.total } }
  const { n: done, total, refused: failed } = state
  return { state, progress: { done, total, failed }, result: resultOf(state, rowsMax) }
}

export function resultOf(state: ImportState, rowsMax: number): ImportResult {
  const { created, updated, skipped, refused, imported_clicks } = state
  const clicks = imported_clicks && { imported_clicks }
  return { created, updated, skipped, refused, ...clicks, ...omittedOf(state, rowsMax) }
}

/** Whether a record made a link, or changed one. */
export function hasChanged(status: Outcome['status']): boolean {
  return status === 'created' || status === 'renamed' || status === 'updated'
}

export function omittedOf(
  { refused, skipped, unchanged = 0 }: ImportResult & Pick<Partial<ImportState>, 'unchanged'>,
  rowsMax: number,
) {
  const omitted = [refused, skipped, unchanged].reduce(
    (sum, count) => sum + Math.max(0, count - rowsMax),
    0,
  )
  return omitted > 0 && { rows_omitted: omitted }
}

/** Whether an accepted record changed nothing: in a dry run, one whose slug came before. */
function isUnchanged({ status, link, versionBefore }: Outcome): boolean {
  const isAbout = status === 'updated' || status === 'renamed'
  return isAbout && (link === null || link.version === versionBefore)
}

export function isConflict({ status, reasons }: Outcome): boolean {
  const isTaken = reasons.some(
    ({ field, code }) =>
      (field === 'slug' && code === 'SLUG_TAKEN') || code === 'EXTERNAL_ID_TAKEN',
  )
  return status === 'refused' && isTaken
}
