import type { Position } from '../../../clicks/segments.ts'
import { createSyncedEnd } from '../../../clicks/synced-end.ts'
import { type GatherOptions, gather, isSame } from '../../ingest/gather.ts'
import { numberClicks } from '../../ingest/numbering.ts'
import type { StoredClick } from '../../types.ts'
import type { Pass } from '../types.ts'

/** How far a node's journal is stored. */
export interface ShippingState {
  /** Everything before it is stored. */
  at: Position
  /** The end of a batch that was begun: parts of it may be stored. Null: none was begun. */
  pending: Position | null
  /** Batches stored so far. */
  batches: number
  /** Time of the newest stored click, in milliseconds; 0: none. */
  newest: number
  /** Time from which all clicks are stored, in milliseconds; 0: from the beginning. */
  since: number
}

/** The state of a node that has stored nothing. */
export const NOTHING_SHIPPED: ShippingState = {
  at: { segment: 0, offset: 0 },
  pending: null,
  batches: 0,
  newest: 0,
  since: 0,
}

/** Stores a node's journal, each click once. */
export type Shipping = Awaited<ReturnType<typeof openShipping>>
export interface ShippingOptions
  extends Pick<GatherOptions, 'directory' | 'enrich' | 'counted' | 'limit'> {
  nodeNo: number
  /** Reads the stored state. */
  load(): Promise<ShippingState>
  /**
   * Stores a batch and the state after it. False: another process has stored it, or more.
   */
  store(clicks: readonly StoredClick[], from: ShippingState, to: ShippingState): Promise<boolean>
  close?(): void
}

/** Ships a journal from where its stored state says. @throws what `load` throws */
export async function openShipping(options: ShippingOptions) {
  const { directory, nodeNo, enrich, counted, limit, load, store, close = () => {} } = options
  const syncedEnd = createSyncedEnd(directory)
  let state: ShippingState | null = await load()
  let known = state
  return {
    /** The journal is stored up to here. */
    get watermark() {
      return known.at
    },
    /** See {@link ShippingState}. */
    get since() {
      return known.since
    },
    /** Stores one batch. After an error the next pass continues from the stored state. */
    async pass(): Promise<Pass> {
      state ??= await load()
      const from = state
      known = from
      const { clicks, end, skipped, complete, since } = await gather({
        directory,
        enrich,
        syncedEnd,
        counted,
        from: from.at,
        until: from.pending,
        limit,
      })
      if (isSame(end, from.at)) return { records: 0, skipped, complete, upTo: 0 }
      numberClicks(clicks, { nodeNo, ...from })
      const upTo = clicks.reduce((newest, { time }) => Math.max(newest, time), 0)
      const to = {
        at: end,
        pending: null,
        batches: from.batches + 1,
        newest: Math.max(from.newest, upTo),
        since: since ?? from.since,
      }
      // After an error only the stored state says whether the batch is stored.
      state = null
      if (!(await store(clicks, from, to))) {
        return { records: 0, skipped: 0, complete: false, upTo: 0 }
      }
      state = known = to
      return { records: clicks.length, skipped, complete: complete && from.pending === null, upTo }
    },
    /** Lets another process ship the journal. */
    close,
  }
}
