import type { createRecorder, Journal } from '../clicks/index.ts'
import type { Cursors } from '../http/cursor.ts'
import type { Limiter } from '../limits/index.ts'
import type { HealthCheck } from '../operations/health.ts'
import type { Metrics } from '../operations/metrics.ts'
import type { ServingInput } from '../operations/serving.ts'
import type { RedirectCounts, Resolver } from '../redirect/index.ts'
import type { AskableReports } from '../statistics/types.ts'
import type { Storage } from '../storage/index.ts'
import type { WorkerState } from '../workers/index.ts'

/** What a backend is made from. */
export interface BackendInput extends ServingInput {
  cursors: Cursors
}

/** Counts requests: in this process's memory, or for all nodes together. */
export type Limiters = ReturnType<typeof createLimiters>

/** Makes every limiter. `areAddresses`: what is counted are people's addresses, or made from them. */
export function createLimiters(create: (name: string, areAddresses?: boolean) => Limiter) {
  return {
    /** Of workspaces, by keys. */
    api: create('api'),
    /** Of people, on the dashboard's API. */
    people: create('people'),
    /** Of addresses without a key, on the public API. */
    anonymous: create('anonymous', true),
    /** Of addresses, on the dashboard's API. */
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
 * All that differs between one machine and several. Everything above it is one code, and knows
 * nothing of SQLite, PostgreSQL, Redis, DuckDB or ClickHouse.
 */
export interface Backend {
  readonly storage: Storage
  /** Which of several nodes this is; absent: the only one. */
  readonly nodeId?: string
  readonly resolver: Resolver
  readonly limiters: Limiters
  readonly journal: Pick<Journal, 'healthy' | 'lost'>
  readonly recorder: ReturnType<typeof createRecorder>
  /** Counts what the journal holds. */
  readonly counting: {
    /** There may be something to count. */
    wake(): void
    /** A link was deleted for good, so its counters are to be deleted. */
    linkDeleted(seq: number): void
    state(): WorkerState
  }
  /** People who followed a link up to now; see `LinkContext.peopleSoFar`. */
  peopleSoFar(linkSeq: number): number | Promise<number>
  /** Deletes a link's clicks before a time; false: it has to be tried again. */
  forgetClicks(linkSeq: number, before: number): Promise<boolean>
  readonly statistics: {
    readonly client: AskableReports
    state(): WorkerState & { store: string; stored: number; fileBytes: number }
    /** What plans keep may have changed, or time has passed: called every six hours. */
    retentionChanged(): void
  }
  /** What readiness asks, in this order; `disk` and `secret` come after them. */
  readonly checks: readonly HealthCheck[]
  /** Puts its numbers among the metrics. */
  watch(metrics: Metrics, redirect: { readonly counts: Readonly<RedirectCounts> }): void
  /**
   * Once the journal's writer has closed: lets the readers of the journal reach its end, at most
   * `withinMs` milliseconds.
   */
  finish(withinMs: number): Promise<void>
  /** Nothing is appended to the journal any more. */
  closeJournal(): void | Promise<void>
  /** Last of all: connections, files. */
  close(): Promise<void>
}
