import type { Clock } from '../../lib/base/clock.ts'
import type { Sql, Storage, Transaction } from '../../platform/storage/index.ts'
import { recordChange, SYSTEM } from '../audit/index.ts'
import {
  eventObjectOf,
  type LinkRow,
  type RenderLink,
  selectLinks,
  targetOfEntry,
} from '../links/index.ts'
import {
  type Due,
  dropUsedUp,
  dueAfter,
  existingOf,
  markOf,
  setMark,
  usedUp,
} from './timed-store.ts'

/** Dependencies of recording what time and visits do to links. */
export interface TimedEventsDeps {
  storage: Pick<Storage, 'read' | 'write'>
  clock: Clock
  render: RenderLink
}

/**
 * Moments are recorded this much later: a transaction that sets one is committed by then, also by a
 * node whose clock is behind.
 */
const LAG_MS = 15_000
/** Of one transaction: other writes of its workspaces wait for it. */
const STEP = 100
const STEPS = 50

/** Something that happens to links by itself. */
interface Kind {
  action: 'link.started' | 'link.expired' | 'link.exhausted'
  /** The next ones, in order. */
  due(sql: Sql, now: number): Promise<Due[]>
  /** Whether it has happened to a link as it is now. */
  holds(row: LinkRow, due: Due): boolean
  /** In the transaction that records them: none is due again. */
  done(tx: Transaction, due: readonly Due[]): Promise<void>
}

/**
 * Records that links started, expired or were used up: each once, on any number of nodes. What is
 * done is noted in the transaction that records it, and one transaction at a time does so.
 */
export function createTimedEvents(deps: TimedEventsDeps) {
  const kinds = [moment('link.started', 'starts_at'), moment('link.expired', 'expires_at'), USED_UP]
  return {
    async run(): Promise<void> {
      for (const kind of kinds) {
        for (let steps = 0; steps < STEPS && (await step(deps, kind)) === STEP; ) steps++
      }
    },
  }
}

/** Returns how many were due. */
async function step({ storage, clock, render }: TimedEventsDeps, kind: Kind): Promise<number> {
  // Usually there are none, and this read is cheaper than a transaction.
  if ((await kind.due(storage.read, clock.now())).length === 0) return 0
  return storage.write(async (tx) => {
    await tx.lock('timed events')
    const due = await kind.due(tx, clock.now())
    const numbers = [...new Set(due.map(({ workspace_no }) => workspace_no))].sort((a, b) => a - b)
    // In the same order everywhere, to avoid deadlocks.
    for (const no of numbers) await tx.lockWorkspace(no)
    const existing = await existingOf(tx, numbers)
    const seqs = due.map(({ seq }) => seq)
    const rows = seqs.length === 0 ? [] : await selectLinks(tx).where('seq', 'in', seqs).execute()
    const links = new Map(rows.map((row) => [row.seq, row]))
    for (const each of due) {
      const row = links.get(each.seq)
      if (row === undefined || !existing.has(row.workspace_no) || !kind.holds(row, each)) continue
      await recordChange(tx, SYSTEM, {
        workspaceNo: row.workspace_no,
        at: each.at,
        action: kind.action,
        target: targetOfEntry(row),
        object: eventObjectOf(render(row, undefined, each.at)),
      })
    }
    await kind.done(tx, due)
    return due.length
  })
}

/** The moment that a column has. Before the first run none is recorded. */
function moment(action: 'link.started' | 'link.expired', column: 'starts_at' | 'expires_at'): Kind {
  const name = `events.${column}`
  return {
    action,
    async due(sql, now) {
      const upTo = now - LAG_MS
      const mark = await markOf(sql, name)
      // The first run only notes where to begin.
      if (mark === null) return [{ seq: 0, workspace_no: 0, at: upTo }]
      return dueAfter(sql, column, mark, upTo, STEP)
    },
    // One that was past already when the link was created is in the link's own event.
    holds: (row, { at }) => row[column] === at && row.created_at < at,
    async done(tx, due) {
      const last = due.at(-1)
      if (last !== undefined) await setMark(tx, name, last)
    },
  }
}

const USED_UP: Kind = {
  action: 'link.exhausted',
  due: (sql, now) => usedUp(sql, now, STEP),
  holds: ({ uses, max_clicks }) => max_clicks !== null && uses >= max_clicks,
  done: (tx, due) =>
    dropUsedUp(
      tx,
      due.map(({ seq }) => seq),
    ),
}
