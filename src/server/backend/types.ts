import type { createRecorder, Journal } from '../../clicks/index.ts'
import type { WorkerState } from '../../clicks/workers/index.ts'
import type { Cursors } from '../../http/cursor.ts'
import type { Limiter } from '../../platform/limits/index.ts'
import type { EventSignal, Storage } from '../../platform/storage/index.ts'
import type { RedirectCounts, Resolver } from '../../redirect/index.ts'
import type { AskableReports } from '../../statistics/types.ts'
import type { HealthCheck } from '../operations/health.ts'
import type { Metrics } from '../operations/metrics.ts'
import type { ServingInput } from '../operations/serving.ts'

/** The input of a backend. */
export interface BackendInput extends ServingInput {
  cursors: Cursors
}

/** The rate limiters, in this process's memory or shared by all nodes. */
export type Limiters = ReturnType<typeof createLimiters>

/** Creates all limiters. `areAddresses`: the keys are people's addresses, or derived from them. */
export function createLimiters(create: (name: string, areAddresses?: boolean) => Limiter) {
  return {
    /** Of workspaces, by API keys. */
    api: create('api'),
    /** Of people, in the dashboard's API. */
    people: create('people'),
    /** Of addresses without a key, in the public API. */
    anonymous: create('anonymous', true),
    /** Of addresses, in the dashboard's API. */
    visitors: create('visitors', true),
    /** Guesses at links' passwords. */
    guesses: create('guesses', true),
    /** Reports of visitors. */
    reports: create('reports', true),
    /** Invitations that a workspace sends. */
    invitations: create('invitations'),
  }
}

/**
 * All that differs between one machine and several. The code above it is the same, and doesn't use
 * SQLite, PostgreSQL, Redis, DuckDB or ClickHouse directly.
 */
export interface Backend {
  readonly storage: Storage
  /** The id of this node; absent: a single machine. */
  readonly nodeId?: string
  readonly resolver: Resolver
  /**
   * Resolves when redirects of this node obey everything committed before this call, by any node.
   * Absent: they always do. @throws StorageUnavailable
   */
  readonly caughtUp?: () => Promise<unknown>
  /** Tells of workspaces with new events, also of other nodes. */
  readonly eventSignal: EventSignal
  readonly limiters: Limiters
  readonly journal: Pick<Journal, 'healthy' | 'lost'>
  readonly recorder: ReturnType<typeof createRecorder>
  /** Counts the clicks of the journal. */
  readonly counting: {
    /** Notifies it of new clicks. */
    wake(): void
    /** A link was purged, or its imported clicks changed, so its counters are to follow. */
    linkChanged(seq: number): void
    state(): WorkerState
  }
  /** See `LinkServiceDeps.assertCountersComplete`. */
  assertCountersComplete(): void
  /** Deletes a link's clicks before a time; false: it has to be retried. */
  forgetClicks(linkSeq: number, before: number): Promise<boolean>
  readonly statistics: {
    readonly client: AskableReports
    state(): WorkerState & { store: string; stored: number; fileBytes: number }
    /** The retention of clicks may have changed, or six hours have passed. */
    retentionChanged(): void
  }
  /** The checks of readiness, in order; `disk` and `secret` follow them. */
  readonly checks: readonly HealthCheck[]
  /** Adds its metrics. */
  watch(metrics: Metrics, redirect: { readonly counts: Readonly<RedirectCounts> }): void
  /**
   * Once the journal's writer is closed: lets the journal's readers reach its end, within
   * `withinMs` milliseconds.
   */
  finish(withinMs: number): Promise<void>
  /** Nothing is appended to the journal any more. */
  closeJournal(): void | Promise<void>
  /** Closes connections and files, last of all. */
  close(): Promise<void>
}
