import pg from 'pg'
import { StorageUnavailable } from '../storage.ts'

/** After so long without any answer while something is asked, it is looked after the server. */
const SILENT_MS = 1_000
/** So long it may take to greet a new connection. */
const GREET_WITHIN_MS = 2_000
/** How often a server that is away is tried. */
const RETRY_MS = 500

/** Tells a server that takes long from one that nothing reaches any more. */
export type Watch = ReturnType<typeof createWatch>

/**
 * A cut network or a frozen server closes no connection: callers would wait for the statement's
 * timeout, and so would all behind them. So while statements are under way and none has been
 * answered for a second, a new connection is tried. If it isn't greeted, the server is away: what
 * waits is refused, and all that is asked from then on, until a new connection is.
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
    /** Something was sent. @throws StorageUnavailable when the server is away */
    asked(): void {
      if (isAway) throw new StorageUnavailable('PostgreSQL does not answer')
      if (underWay++ > 0) return
      heardAt = performance.now()
      later(SILENT_MS)
    },
    /** It has an answer, or will have none. `heard`: the server has said something. */
    settled(heard: boolean): void {
      underWay--
      if (heard) heardAt = performance.now()
    },
    /** `drop` closes all connections to the server without waiting. */
    onAway: (drop: () => void) => void drops.push(drop),
    close(): void {
      isClosed = true
      clearTimeout(timer)
    },
  }
}

/** Whether a new connection is greeted, be it with a refusal: a server that is there says so. */
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
