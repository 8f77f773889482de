import type { Writable } from 'node:stream'
import pg from 'pg'
import { type Execute, type Outcome, sqlOver } from '../kysely.ts'
import { type Sql, StorageUnavailable } from '../storage.ts'
import { asPostgresError, ConnectionLost } from './errors.ts'
import type { Watch } from './watch.ts'

/** int8, and numeric for sums of int8: ours stay below 2^53. */
const NUMBERS = new Set([20, 1700])
const types = {
  getTypeParser(oid: number, format?: 'text' | 'binary') {
    return NUMBERS.has(oid) ? Number : pg.types.getTypeParser(oid, format as 'text')
  },
} as pg.CustomTypesConfig

/** How long connecting, or waiting for a connection, may take. */
const CONNECT_WITHIN_MS = 3_000
/** Added to the statement timeout, which the server enforces, in case it doesn't respond at all. */
const SILENCE_MS = 1_000

/** How a pool is opened. */
interface PoolOptions {
  url: string
  /** The most connections. */
  size: number
  /** How long a statement may take. */
  timeoutMs: number
  /** Monitors the server; pools of one server share it. */
  watch: Watch
  /** Called with the duration of each statement, including the network, in milliseconds. */
  observe?: ((ms: number) => void) | undefined
}

/** How many connections a pool has, and how many callers wait for one. */
export type PoolState = Record<'open' | 'idle' | 'waiting', number>

/** A connection taken from the pool. */
export interface Connection {
  readonly sql: Sql
  execute: Execute
  /**
   * Runs statements without parameters in one round trip. Returns the command tag of the last one.
   */
  command(text: string): Promise<string>
  /** `lost`: it is unusable. */
  release(lost?: boolean): void
}

export type Pool = ReturnType<typeof createPool>

/** A pool for one server, which connects on demand. It has no session state, for PgBouncer. */
export function createPool(options: PoolOptions) {
  const { url, size, timeoutMs, watch, observe } = options
  const pool = new pg.Pool({
    connectionString: url,
    max: size,
    types,
    // Statements of one connection are sent without waiting for earlier results.
    pipeline: true,
    application_name: 'slugline',
    connectionTimeoutMillis: CONNECT_WITHIN_MS,
    query_timeout: timeoutMs + SILENCE_MS,
    idleTimeoutMillis: 60_000,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    allowExitOnIdle: true,
  } as pg.PoolConfig)
  const known = new WeakMap<pg.PoolClient, Connection>()
  // An idle connection broke; the pool replaces it when needed.
  pool.on('error', () => {})
  const open = new Set<pg.PoolClient>()
  pool.on('connect', (client) => void open.add(client))
  pool.on('remove', (client) => void open.delete(client))
  watch.onAway(() => {
    // Not with `end`, which would send something first, and wait.
    for (const client of open) streamOf(client).destroy()
  })

  /** @throws StorageUnavailable */
  async function connect(): Promise<Connection> {
    let client: pg.PoolClient
    watch.asked()
    try {
      client = await pool.connect()
      // A connection that was open already has received nothing now.
      watch.settled(!known.has(client))
    } catch (error) {
      watch.settled(false)
      const { message } = asPostgresError(error)
      throw new StorageUnavailable(message)
    }
    let connection = known.get(client)
    if (connection === undefined) {
      connection = connectionOf(client, watch, observe)
      known.set(client, connection)
    }
    return connection
  }

  return {
    connect,
    /** Executes one statement with autocommit. */
    async execute(text: string, values: readonly unknown[]): Promise<Outcome> {
      const connection = await connect()
      try {
        const outcome = await connection.execute(text, values)
        connection.release()
        return outcome
      } catch (error) {
        connection.release(error instanceof ConnectionLost)
        throw error
      }
    },
    state: (): PoolState => ({
      open: pool.totalCount,
      idle: pool.idleCount,
      waiting: pool.waitingCount,
    }),
    close: () => pool.end(),
  }
}

/** Strips U+0000, which PostgreSQL's texts can't hold and no valid value contains. */
function withoutNul(values: readonly unknown[]): unknown[] {
  const isBad = (value: unknown) => typeof value === 'string' && value.includes('\0')
  if (!values.some(isBad)) return values as unknown[]
  return values.map((value) =>
    isBad(value) ? (value as string).replaceAll('\0', '\uFFFD') : value,
  )
}

function streamOf(client: pg.PoolClient): Writable {
  return (client as unknown as { connection: { stream: Writable } }).connection.stream
}

function connectionOf(
  client: pg.PoolClient,
  watch: Watch,
  observe: PoolOptions['observe'],
): Connection {
  let broken = false
  // Without a listener a connection that breaks in use would end the process.
  client.on('error', () => {
    broken = true
  })
  let gathering = false
  /** Lets all statements of this tick leave in one write: a seventh of the CPU of many. */
  function gather(): void {
    if (gathering) return
    gathering = true
    const stream = streamOf(client)
    stream.cork()
    process.nextTick(() => {
      gathering = false
      stream.uncork()
    })
  }
  /** @throws StorageUnavailable, RefusedStatement */
  async function ask<T>(send: () => Promise<T>): Promise<T> {
    watch.asked()
    const begin = performance.now()
    gather()
    try {
      const outcome = await send()
      watch.settled(true)
      observe?.(performance.now() - begin)
      return outcome
    } catch (error) {
      const cause = asPostgresError(error)
      watch.settled(!(cause instanceof ConnectionLost))
      throw cause
    }
  }
  const execute: Execute = (text, values) => ask(() => client.query(text, withoutNul(values)))
  return {
    sql: sqlOver('postgres', execute),
    execute,
    async command(text) {
      const outcome: pg.QueryResult | pg.QueryResult[] = await ask(() => client.query(text))
      return (Array.isArray(outcome) ? outcome.at(-1) : outcome)?.command ?? ''
    },
    release: (lost = false) => client.release(lost || broken),
  }
}
