/** A connection to a statistics file, which runs one query at a time. */
export interface Connection {
  /** Runs statements to their end; the rows of the last one. Interrupted when the signal aborts. */
  run(sql: string, values?: readonly string[], signal?: AbortSignal): Promise<unknown[][]>
  /** The rows of a query in parts, as they are read. */
  stream(sql: string): AsyncGenerator<unknown[][], undefined>
  /** Runs work in a transaction, which is rolled back after an error. */
  transaction<T>(work: () => Promise<T>): Promise<T>
  close(): void
}

/** An open statistics file. */
export interface DuckDb {
  readonly file: string
  /** A directory for batches and exports on their way; emptied when the file is opened. */
  readonly temporary: string
  connect(): Promise<Connection>
  /**
   * Runs work on one thread: DuckDB spins while one waits for another, which takes a fifth of the CPU
   * that storing clicks costs. A question beside it has one thread, too.
   */
  onOneThread<T>(connection: Connection, work: () => Promise<T>): Promise<T>
  /** Gives memory back to the system, if no query runs; `isAll`: all that no query uses. */
  releaseMemory(isAll?: boolean): Promise<void>
  /** Interrupts running queries and closes the file when they have ended. */
  close(): void
}
