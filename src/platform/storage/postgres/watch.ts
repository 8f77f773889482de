import pg from 'pg'
import { StorageUnavailable } from '../storage.ts'

/** The server is checked after this long without any response while statements are pending. */
const SILENT_MS = 1_000
/** How long a new connection may take. */
const GREET_WITHIN_MS = 2_000
/** How often an unavailable server is retried. */
const RETRY_MS = 500

/** Distinguishes a slow server from an unreachable one. */
export type Watch = ReturnType<typeof createWatch>

/**
 * A cut network or a frozen server doesn't close connections: callers would wait for the statement
 * timeout, and so would all behind them. So while statements are pending and none was answered for
 * a second, a new connection is attempted. If it gets no response the server counts as unavailable:
 * pending and new statements are refused until a new connection succeeds.
 */
export function createWatch(url: string) {
  const drops: (() => void)[] = []
  let underWay = 0
  let heardAt = 0
  let isAway = false
  let isTrying = false
  let isClosed = false
  let timer: Timer | undefined

  function later(ms: number): void {
    if (timer === undefined && !isClosed) timer = setTimeout(look, ms).unref()
  }

  function look(): void {
    timer = undefined
    if (underWay === 0 && !isAway) return
    const silent = performance.now() - heardAt
    if (!isAway && silent < SILENT_MS) {
      later(SILENT_MS - silent)
      return
    }
    if (isTrying) return
    isTrying = true
    void greet(url).then((greeted) => {
      isTrying = false
      // A statement may have been answered in the meantime.
      if (greeted || performance.now() - heardAt < SILENT_MS) present()
      else away()
    })
  }

  function present(): void {
    isAway = false
    heardAt = performance.now()
    if (underWay > 0) later(SILENT_MS)
  }

  function away(): void {
    if (isClosed) return
    isAway = true
    for (const drop of drops) drop()
    later(RETRY_MS)
  }

  return {
    /** A statement was sent. @throws StorageUnavailable if the server is unavailable */
    asked(): void {
      if (isAway) throw new StorageUnavailable('PostgreSQL does not answer')
      if (underWay++ > 0) return
      heardAt = performance.now()
      later(SILENT_MS)
    },
    /** A statement has ended. `heard`: the server has responded. */
    settled(heard: boolean): void {
      underWay--
      if (heard) heardAt = performance.now()
    },
    /** `drop` closes all connections to the server immediately. */
    onAway: (drop: () => void) => void drops.push(drop),
    close(): void {
      isClosed = true
      clearTimeout(timer)
    },
  }
}

/** Whether the server responds to a new connection, even by refusing it. */
async function greet(url: string): Promise<boolean> {
  const client = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: GREET_WITHIN_MS,
    application_name: 'slugline watch',
  })
  client.on('error', () => {})
  try {
    await client.connect()
    return true
  } catch (error) {
    return typeof (error as { severity?: unknown }).severity === 'string'
  } finally {
    void client.end().catch(() => {})
  }
}
