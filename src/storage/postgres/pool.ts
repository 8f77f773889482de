import type { Writable } from 'node:stream'
import pg from 'pg'
import { type Execute, type Outcome, sqlOver } from '../kysely.ts'
import { type Sql, StorageUnavailable } from '../storage.ts'
import { asPostgresError, ConnectionLost } from './errors.ts'
import type { Watch } from './watch.ts'

/** int8, and numeric as sums of int8 are: ours stay below 2^53. */
const NUMBERS = new Set([20, 1700])
const types = {
  getTypeParser(oid: number, format?: 'text' | 'binary') {
    return NUMBERS.has(oid) ? Number : pg.types.getTypeParser(oid, format as 'text')
  },
} as pg.CustomTypesConfig

/** How long it may take to connect, or to be given a connection. */
const CONNECT_WITHIN_MS = 3_000
/** A statement's time is measured by the server; this is for when it says nothing at all. */
const SILENCE_MS = 1_000

/** How a pool is opened. */
interface PoolOptions {
  url: string
  /** Connections, at most. */
  size: number
  /** How long a statement may take. */
  timeoutMs: number
  /** Looks after the server; several pools on one server share it. */
  watch: Watch
  /** Called with how long each statement took, in milliseconds, its way included. */
  observe?: ((ms: number) => void) | undefined
}

/** How many connections a pool has, and how many callers wait for one. */
export type PoolState = Record<'open' | 'idle' | 'waiting', number>

/** One connection, out of the pool. */
export interface Connection {
  readonly sql: Sql
  execute: Execute
  /** Statements without parameters, in one round trip. Gives what the last one was, as PostgreSQL says it. */
  command(text: string): Promise<string>
  /** `lost`: it can't be used any more. */
  release(lost?: boolean): void
}

export type Pool = ReturnType<typeof createPool>

/**
 * Connections to one server. They hold no state of a session, so PgBouncer may stand between. Opens
 * nothing until something is asked.
 */
export function createPool(options: PoolOptions) {
  const { url, size, timeoutMs, watch, observe } = options
  const pool = new pg.Pool({
    connectionString: url,
    max: size,
    types,
    // Statements of one connection are sent without waiting for the answers of those before.
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
  // An idle connection broke; the pool opens a new one when it needs it.
  pool.on('error', () => {})
  const open = new Set<pg.PoolClient>()
  pool.on('connect', (client) => void open.add(client))
  pool.on('remove', (client) => void open.delete(client))
  watch.onAway(() => {
    // Not by its `end`, which would send something first, and wait.
    for (const client of open) streamOf(client).destroy()
  })

  /** @throws StorageUnavailable */
  async function connect(): Promise<Connection> {
    let client: pg.PoolClient
    watch.asked()
    try {
      client = await pool.connect()
      // One that was open already has said nothing now.
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
    /** One statement, committed by itself. */
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

/** PostgreSQL's texts can't hold U+0000; nothing that is looked for has one, and nothing is lost. */
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
  /** @throws StorageUnavailable, RefusedStatement */
  async function ask<T>(send: () => Promise<T>): Promise<T> {
    watch.asked()
    const begin = performance.now()
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
