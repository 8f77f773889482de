import type { Compilable, CompiledQuery, Kysely, RawBuilder } from 'kysely'
import type { Schema } from './schema.ts'

/** Which SQL is spoken. */
export type Dialect = 'sqlite' | 'postgres'

/**
 * What a store gets to work with: a connection, or a transaction.
 *
 * Queries whose text depends on the request are built with `db`; those on a frequent path are
 * compiled once with {@link prepare} and executed by `run`.
 */
export interface Sql {
  /** Only where a statement can't be said for both, and {@link bySql} doesn't do. */
  readonly dialect: Dialect
  readonly db: Kysely<Schema>
  /** Rows of a statement that was compiled once. */
  run<P extends object, R>(statement: Prepared<P, R>, parameters: P): Promise<R[]>
}

/** What a redirect finds changed: a short address, or all those of a link with conditions. */
export type LinkChange = { domainNo: number; slugKey: string } | { linkSeq: number }

/** A transaction. Throwing inside undoes all that it did, and nothing of others'. */
export interface Transaction extends Sql {
  /**
   * Puts writes off until the end of all transactions that share the commit: for those that are
   * much cheaper one after another, as the search index's are. They must not fail, and nothing in
   * the transaction may read what they write.
   */
  beforeCommit(write: () => Promise<unknown>): void
  /** Runs `effect` after the commit, before {@link Storage.write} resolves. */
  afterCommit(effect: () => void): void
  /**
   * Waits until no other transaction, of whichever process, holds this lock, and holds it until the
   * end: for what looks first and writes then, where no unique index or condition can decide.
   */
  lock(name: string): Promise<void>
  /**
   * The same for a workspace and all that belongs to it. It is taken by itself for
   * {@link WriteOptions.workspaceNo}. Of two locks take this one first.
   */
  lockWorkspace(workspaceNo: number): Promise<void>
  /**
   * Told by the stores of each change that redirects will find after the commit. Absent where
   * redirects read the database itself; see `cluster/link-invalidation.ts`.
   */
  linkChanged?: ((change: LinkChange) => void) | undefined
}

/** How {@link Storage.write} acknowledges. */
export interface WriteOptions {
  /** `power` (default): would survive a power cut. `process`: survives the process's death. */
  survives?: 'power' | 'process'
  /**
   * The workspace that the transaction is about. Those of one workspace run one after another, on
   * all nodes, and share commits; see {@link Transaction.lockWorkspace}.
   */
  workspaceNo?: number
  /**
   * It looks at nothing before it writes, but in the statement that writes: others of this kind may
   * run between its statements, in the same commit.
   */
  together?: boolean
  /** Transactions of the same queue may share commits, where they have no workspace. */
  queue?: string
}

/** The database behind every store. Only `storage/` knows which one it is. */
export interface Storage {
  /** Committed state, for point reads of less than a millisecond. */
  readonly read: Sql
  /** Committed state, for what may take more than a millisecond: off the serving thread. */
  readonly reports: Sql
  /**
   * Runs `work` in a transaction. Transactions that arrive together may share a commit; each
   * still succeeds or fails alone. `work` may be run more than once; only its last run counts.
   * @throws StorageUnavailable when the database can't be written (disk full, read-only, lost).
   */
  write<T>(work: (tx: Transaction) => Promise<T>, options?: WriteOptions): Promise<T>
  /** Throws {@link StorageUnavailable} when a write would fail now. */
  probe(): Promise<void>
  close(): Promise<void>
}

/** The database can't be reached or written. Its cause stays inside; the caller answers 503. */
export class StorageUnavailable extends Error {
  override name = 'StorageUnavailable'
}

/** Stands in a statement for a value that is given at each execution. */
class Parameter {
  constructor(
    readonly name: string,
    /** In which of several rows. */
    readonly row?: number,
  ) {}
}

function placeholders<P>(row?: number): P {
  return new Proxy({}, { get: (_, name) => new Parameter(String(name), row) }) as P
}

/** A statement whose text is built once; see {@link prepare}. */
export interface Prepared<P extends object, R> {
  /** Text and placeholders for one database, made at the first use. */
  compile(sql: Pick<Sql, 'dialect' | 'db'>): CompiledQuery<R>
  /** Never set: carries the type of the parameters. */
  readonly parameters?: P
}

/**
 * Builds a statement once. Kysely's builder costs more than SQLite's execution of a point write
 * (14 µs against 5), so paths that run thousands of times a second pay for it only at the start.
 * `build` gets a placeholder for each parameter, typed as the value that replaces it.
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

/** The same for a statement that is written in SQL. */
export function prepareSql<P extends object, R>(
  write: (parameters: P) => RawBuilder<R>,
): Prepared<P, R> {
  return prepare((db, parameters) => ({ compile: () => write(parameters).compile(db) }))
}

/**
 * The same for a statement about several rows, which is built once for each number of them. Callers
 * that may have thousands write some at a time.
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

/** A transaction that was asked for, and what its last run has left to do. */
export interface Job {
  work: (tx: Transaction) => Promise<unknown>
  resolve: (value: unknown) => void
  reject: (reason: unknown) => void
  /** What is put off until the commit. */
  late: (() => Promise<unknown>)[]
  /** What follows the commit. */
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
    late: [],
    effects: [],
    outcome: undefined,
  }
  return { job, result: promise }
}

/** Begins a run anew. Gives the part of the transaction that collects what is put off. */
export function hooksOf(job: Job): Pick<Transaction, 'beforeCommit' | 'afterCommit'> {
  job.late = []
  job.effects = []
  return {
    beforeCommit: (write) => void job.late.push(write),
    afterCommit: (effect) => void job.effects.push(effect),
  }
}

/** After so many writes that were put off, visits get their turn. */
const LATE_TURN = 100

/** Writes what was put off, job by job. */
export async function writeLate(jobs: readonly Job[]): Promise<void> {
  let written = 0
  for (const { late } of jobs) {
    for (const write of late) {
      await write()
      if (++written % LATE_TURN === 0) await new Promise<void>((turn) => setImmediate(turn))
    }
  }
}

/**
 * Runs jobs each under a savepoint of its own, so that only those that fail are undone.
 * @param attempt false: it failed, and what it wrote is still there
 */
export async function runApart<J extends Job>(
  jobs: readonly J[],
  attempt: (job: J) => Promise<boolean>,
  command: (text: string) => unknown,
): Promise<void> {
  for (const job of jobs) {
    await command('SAVEPOINT job')
    const succeeded = await attempt(job)
    if (!succeeded) job.late = []
    await command(succeeded ? 'RELEASE job' : 'ROLLBACK TO job; RELEASE job')
  }
  await writeLate(jobs)
}

/** Tells the caller the outcome of a job that is committed; of a success after `durable`. */
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
