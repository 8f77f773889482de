import type { Count, WorkspaceFacts } from './count.ts'
import type { LinkFilter } from './filter.ts'

const ENTRIES_MAX = 500
/** Links that are kept with the totals, all together; 8 bytes each. */
const SEQS_MAX = 500_000
/** With more new links it is as well to count all of them. */
const MORE_AT_MOST = 10_000

interface Entry extends WorkspaceFacts {
  count: Count
  epoch: number
  /** When it was counted. */
  at: number
}

/**
 * Totals that were counted, for as long as nothing has changed and no status changes by itself:
 * whoever turns the pages of a search asks for the same total again and again, and counting is what
 * costs most.
 *
 * Creations, deletions and changes show in the workspace's counters, whoever made them; changes of
 * this process are told by the service that makes them, too.
 */
export interface Totals {
  get(filter: LinkFilter, facts: WorkspaceFacts, nowMs: number): Count | undefined
  /** What was counted when there were fewer links, if nothing but creations came between. */
  before(
    filter: LinkFilter,
    facts: WorkspaceFacts,
    nowMs: number,
  ): { count: Count; made: number } | undefined
  /** `count` must have been begun after `begin` gave out its ticket, and be of `nowMs`. */
  begin(filter: LinkFilter, facts: WorkspaceFacts, nowMs: number): (count: Count) => void
  changed(workspaceNo: number): void
}

/** Remembers the totals that were asked for last. */
export function createTotals(): Totals {
  const entries = new Map<string, Entry>()
  const epochs = new Map<number, number>()
  const epochOf = (workspaceNo: number) => epochs.get(workspaceNo) ?? 0
  let kept = 0

  function remove(key: string): void {
    kept -= entries.get(key)?.count.seqs?.length ?? 0
    entries.delete(key)
  }

  /** The clock may have been set back, too. */
  const isOf = ({ at, count: { until } }: Entry, nowMs: number) =>
    until === undefined || (nowMs >= at && nowMs < until)

  return {
    get(filter, { links, made, changes, uses }, nowMs) {
      const key = JSON.stringify(filter)
      const entry = entries.get(key)
      if (entry === undefined) return undefined
      const isValid =
        isOf(entry, nowMs) &&
        entry.epoch === epochOf(filter.workspaceNo) &&
        entry.links === links &&
        entry.made === made &&
        entry.changes === changes &&
        entry.uses === uses
      if (!isValid) return undefined
      entries.delete(key)
      entries.set(key, entry)
      return entry.count
    },
    before(filter, { links, made, changes, uses }, nowMs) {
      const entry = entries.get(JSON.stringify(filter))
      const more = made - (entry?.made ?? made)
      if (entry === undefined || more <= 0 || more > MORE_AT_MOST) return undefined
      if (!isOf(entry, nowMs) || entry.uses !== uses) return undefined
      const onlyMade = links - entry.links === more && changes - entry.changes === more
      return onlyMade ? { count: entry.count, made: entry.made } : undefined
    },
    begin(filter, facts, at) {
      const epoch = epochOf(filter.workspaceNo)
      return (count) => {
        const key = JSON.stringify(filter)
        remove(key)
        entries.set(key, { ...facts, count, epoch, at })
        kept += count.seqs?.length ?? 0
        while (entries.size > ENTRIES_MAX || kept > SEQS_MAX) {
          remove(entries.keys().next().value as string)
        }
      }
    },
    changed(workspaceNo) {
      epochs.set(workspaceNo, epochOf(workspaceNo) + 1)
    },
  }
}
