import type { Compilable, CompiledQuery, Kysely, RawBuilder } from 'kysely'
import type { Schema } from './schema.ts'

/** The SQL dialect. */
export type Dialect = 'sqlite' | 'postgres'

/**
 * What a store works with: a connection, or a transaction. Queries whose text depends on the
 * request are built with `db`; frequent ones are compiled once with {@link prepare} and executed by
 * `run` or `change`.
 */
export interface Sql {
  /** For statements that can't be the same for both, and where {@link bySql} isn't enough. */
  readonly dialect: Dialect
  readonly db: Kysely<Schema>
  /** Rows of a precompiled statement. */
  run<P extends object, R>(statement: Prepared<P, R>, parameters: P): Promise<R[]>
  /** How many rows such a statement has changed. */
  change<P extends object>(statement: Prepared<P, never>, parameters: P): Promise<number>
}

/** A change relevant for redirects: of a short URL, or of all those of a link with conditions. */
export type LinkChange = { domainNo: number; slugKey: string } | { linkSeq: number }

/** A transaction. Throwing inside rolls it back, without affecting others. */
export interface Transaction extends Sql {
  /**
   * Defers writes until the end of all transactions that share the commit: for those that are much
   * cheaper in sequence, like those of the search index. They must not fail, and nothing in the
   * transaction may read what they write.
   */
  beforeCommit(write: () => Promise<unknown>): void
  /** Runs `effect` after the commit, before {@link Storage.write} resolves. */
  afterCommit(effect: () => void): void
  /** How many bytes the audit entries have that it has recorded, with those rolled back since. */
  readonly recorded: { bytes: number }
  /**
   * Takes a lock, across all processes, until the end of the transaction: for checks before a write
   * that no unique index or condition can replace.
   */
  lock(name: string): Promise<void>
  /**
   * The same for a workspace with all of its data. {@link WriteOptions.workspaceNo} takes it
   * automatically. Of two locks take this one first.
   */
  lockWorkspace(workspaceNo: number): Promise<void>
  /**
   * Called by stores for each change relevant for redirects after the commit. Absent if redirects
   * read the database directly; see `platform/cluster/link-invalidation.ts`.
   */
  linkChanged?: ((change: LinkChange) => void) | undefined
  /** Called for each event of a workspace's feed, which others can read after the commit. */
  eventRecorded?: ((workspaceNo: number) => void) | undefined
}

/** Options of {@link Storage.write}. */
export interface WriteOptions {
  /**
   * What the transaction survives when it resolves: `power` (default): a power cut; `process`: the
   * process's death.
   */
  survives?: 'power' | 'process'
  /**
   * The workspace of the transaction. Those of one workspace run one after another, on all nodes,
   * and share commits; see {@link Transaction.lockWorkspace}.
   */
  workspaceNo?: number
  /**
   * It checks nothing before it writes, except in the writing statement itself: others of this kind
   * may run between its statements, in the same commit.
   */
  together?: boolean
  /** Transactions of the same queue may share commits, if they have no workspace. */
  queue?: string
}

/** The database of all stores. Only `storage/` knows which one it is. */
export interface Storage {
  /** Committed state, for point reads of less than a millisecond. */
  readonly read: Sql
  /** Committed state, for longer reads: off the serving thread. */
  readonly reports: Sql
  /**
   * Runs `work` in a transaction. Concurrent transactions may share a commit, but succeed or fail
   * individually. `work` may be run more than once; only its last run counts.
   * @throws StorageUnavailable when the database can't be written (disk full, read-only,
   *   unreachable).
   */
  write<T>(work: (tx: Transaction) => Promise<T>, options?: WriteOptions): Promise<T>
  /** Throws {@link StorageUnavailable} if a write would fail now. */
  probe(): Promise<void>
  close(): Promise<void>
}

/** The database can't be reached or written. The cause is internal; the API responds with 503. */
export class StorageUnavailable extends Error {
  override name = 'StorageUnavailable'
}

/** A placeholder in a statement, replaced at each execution. */
class Parameter {
  constructor(
    readonly name: string,
    /** The row, if the statement has several. */
    readonly row?: number,
  ) {}
}

function placeholders<P>(row?: number): P {
  return new Proxy({}, { get: (_, name) => new Parameter(String(name), row) }) as P
}

/** A statement whose text is built once; see {@link prepare}. */
export interface Prepared<P extends object, R> {
  /** Text and placeholders for one database, compiled at the first use. */
  compile(sql: Pick<Sql, 'dialect' | 'db'>): CompiledQuery<R>
  /** Never set: only carries the type of the parameters. */
  readonly parameters?: P
}

/**
 * Builds a statement once. Kysely's builder costs more than SQLite's execution of a point write
 * (14 µs against 5), so frequent paths pay for it only once. `build` gets a placeholder for each
 * parameter, typed as the value that replaces it.
 *
 * @example
 * const byId = prepare<{ id: string }, { seq: number }>((db, p) =>
 *   db.selectFrom('links').select('seq').where('id', '=', p.id))
 */
export function prepare<P extends object, R>(
  build: (db: Kysely<Schema>, parameters: P) => Compilable<R>,
): Prepared<P, R> {
  const compiled: Partial<Record<Dialect, CompiledQuery<R>>> = {}
  return {
    compile({ dialect, db }) {
      compiled[dialect] ??= build(db, placeholders<P>()).compile()
      return compiled[dialect]
    },
  }
}

/** The same for a statement written in SQL. */
export function prepareSql<P extends object, R>(
  write: (parameters: P) => RawBuilder<R>,
): Prepared<P, R> {
  return prepare((db, parameters) => ({ compile: () => write(parameters).compile(db) }))
}

/**
 * The same for a statement with several rows, built once for each number of rows. Callers that may
 * have thousands must write them in parts.
 */
export function prepareRows<P extends object, R>(
  build: (db: Kysely<Schema>, rows: P[]) => Compilable<R>,
): (count: number) => Prepared<readonly P[], R> {
  const prepared: Prepared<readonly P[], R>[] = []
  return (count) => {
    prepared[count] ??= prepare((db) =>
      build(
        db,
        Array.from({ length: count }, (_, row) => placeholders<P>(row)),
      ),
    )
    return prepared[count]
  }
}

/** The values for one execution, in the order of the statement's placeholders. */
export function bind<P extends object>(query: CompiledQuery, parameters: P): unknown[] {
  return query.parameters.map((value) => {
    if (!(value instanceof Parameter)) return value
    const { name, row } = value
    const of = row === undefined ? parameters : (parameters as readonly object[])[row]
    return of?.[name as keyof typeof of]
  })
}

/** A requested transaction, and what its last run has deferred. */
export interface Job {
  work: (tx: Transaction) => Promise<unknown>
  resolve: (value: unknown) => void
  reject: (reason: unknown) => void
  /** Writes deferred until the commit. */
  deferred: (() => Promise<unknown>)[]
  /** Effects to run after the commit. */
  effects: (() => void)[]
  outcome: { value: unknown } | { reason: unknown } | undefined
}

/** A job, and the promise of its result. */
export function createJob<T>(work: (tx: Transaction) => Promise<T>): {
  job: Job
  result: Promise<T>
} {
  const { promise, resolve, reject } = Promise.withResolvers<T>()
  const job: Job = {
    work,
    resolve: resolve as (value: unknown) => void,
    reject,
    deferred: [],
    effects: [],
    outcome: undefined,
  }
  return { job, result: promise }
}

/** Begins a run, and returns the part of the transaction that collects what is deferred. */
export function hooksOf(job: Job): Pick<Transaction, 'beforeCommit' | 'afterCommit' | 'recorded'> {
  job.deferred = []
  job.effects = []
  return {
    beforeCommit: (write) => void job.deferred.push(write),
    afterCommit: (effect) => void job.effects.push(effect),
    recorded: { bytes: 0 },
  }
}

/** After this many deferred writes, visits are served in between. */
const DEFERRED_PER_TURN = 100

/** Runs deferred writes, job by job. */
export async function runDeferred(jobs: readonly Job[]): Promise<void> {
  let written = 0
  for (const { deferred } of jobs) {
    for (const write of deferred) {
      await write()
      if (++written % DEFERRED_PER_TURN === 0) await new Promise<void>((turn) => setImmediate(turn))
    }
  }
}

/**
 * Runs jobs each under its own savepoint, so that only failing ones are rolled back.
 * @param attempt false: it failed, and its writes are yet to be rolled back
 */
export async function runWithSavepoints<J extends Job>(
  jobs: readonly J[],
  attempt: (job: J) => Promise<boolean>,
  command: (text: string) => unknown,
): Promise<void> {
  for (const job of jobs) {
    await command('SAVEPOINT job')
    const succeeded = await attempt(job)
    if (!succeeded) job.deferred = []
    await command(succeeded ? 'RELEASE job' : 'ROLLBACK TO job; RELEASE job')
  }
  await runDeferred(jobs)
}

/** Settles the promise of a committed job; a success after `durable`. */
export function settle(
  { outcome, effects, resolve, reject }: Job,
  durable?: () => Promise<void>,
): void {
  if (outcome === undefined) reject(new StorageUnavailable('The transaction did not run'))
  else if ('reason' in outcome) reject(outcome.reason)
  else {
    for (const effect of effects) effect()
    if (durable === undefined) resolve(outcome.value)
    else durable().then(() => resolve(outcome.value), reject)
  }
}
