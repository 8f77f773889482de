import { type Execute, sqlOver } from '../kysely.ts'
import type { Storage } from '../storage.ts'
import { ConnectionLost, SerializationFailure } from './errors.ts'
import { createPool, type Pool, type PoolState } from './pool.ts'
import { createReports, type Lsn, writtenLsn } from './reports.ts'
import { createWatch } from './watch.ts'
import { createWriter } from './writer.ts'

/** How PostgreSQL is reached, and how much of it to use. URLs may hold passwords. */
export interface PostgresOptions {
  url: string
  /** A read-only replica; null: none. */
  replicaUrl?: string | null
  /** The most connections: 2 or more. */
  poolSize?: number
  replicaPoolSize?: number
  /** How long a statement may take, in milliseconds. */
  statementTimeoutMs?: number
  /** Memory for sorting and grouping (`work_mem`) in `reports`; absent: the server's setting. */
  reportMemoryMb?: number
  /** Called with the duration of each statement, in milliseconds. */
  observe?: (ms: number) => void
}

/** A database on a server. */
export interface PostgresStorage extends Storage {
  /** All connections of this process, including those to a replica. */
  connections(): PoolState
}

/** Opens PostgreSQL, whose tables exist already (see `migrate`). Connects with the first query. */
export function openPostgres(options: PostgresOptions): PostgresStorage {
  const { url, replicaUrl = null, poolSize = 10, replicaPoolSize = 5 } = options
  const { statementTimeoutMs: timeoutMs = 10_000 } = options
  // Separate pools, so that neither long reads nor waiting writers delay point reads.
  const writers = Math.max(1, Math.floor(poolSize / 2))
  const longReaders = Math.floor(poolSize / 5)
  const readers = Math.max(1, poolSize - writers - longReaders)
  const watch = createWatch(url)
  const pool = (size: number, to = { url, watch }) =>
    createPool({ ...to, size, timeoutMs, observe: options.observe })
  const writing = pool(writers)
  const reading = pool(readers)
  const reporting = longReaders === 0 ? reading : pool(longReaders)
  const copy = replicaUrl === null ? null : { url: replicaUrl, watch: createWatch(replicaUrl) }
  const replica = copy === null ? null : pool(replicaPoolSize, copy)
  const pools = [...new Set([writing, reading, reporting, ...(replica === null ? [] : [replica])])]
  let written: Lsn | null = null

  const writer = createWriter({
    pool: writing,
    timeoutMs,
    ...(replica !== null && {
      async committed(connection) {
        const lsn = await writtenLsn(connection)
        if (written === null || lsn > written) written = lsn
      },
    }),
  })

  return {
    read: sqlOver('postgres', askedTwice(reading)),
    reports: createReports({
      primary: reporting,
      replica,
      timeoutMs,
      memoryMb: options.reportMemoryMb,
      written: () => written,
    }),
    write: writer.write,
    async probe() {
      // A read-only server refuses to assign a transaction id.
      await writer.write(async (tx) => {
        await tx.db.selectNoFrom((eb) => eb.fn('pg_current_xact_id').as('id')).execute()
      })
    },
    async close() {
      await writer.idle()
      watch.close()
      copy?.watch.close()
      await Promise.all(pools.map((each) => each.close()))
    },
    connections() {
      const states = pools.map((pool) => pool.state())
      const sum = (of: keyof PoolState) => states.reduce((total, state) => total + state[of], 0)
      return { open: sum('open'), idle: sum('idle'), waiting: sum('waiting') }
    },
  }
}

/**
 * Point reads of committed state. A read is retried once if the server was restarted, a proxy
 * closed the connection, or a migration waiting for the read's locks made the server cancel it.
 */
function askedTwice({ execute }: Pool): Execute {
  return (text, values) =>
    execute(text, values).catch((error) => {
      if (error instanceof ConnectionLost || error instanceof SerializationFailure) {
        return execute(text, values)
      }
      throw error
    })
}
