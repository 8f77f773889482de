import type { Socket } from 'bun'

/** Options of {@link sendMarkedClicks}. */
export interface MarkedClicksOptions {
  port: number
  /** The number of answered clicks to reach. */
  clicks: number
  connections: number
  /** The path and headers of a click with a number; its URL contains the number. */
  request(mark: number): { path: string; headers: string }
}

/** The state of a click: not sent, sent but not answered, or answered. */
export const FATE = { unsent: 0, unknown: 1, answered: 2 } as const

/** A load that records the state of every click. */
export interface MarkedClicks {
  /** One of {@link FATE} for each number. */
  readonly fates: Uint8Array
  readonly answered: number
  /** Sent, and neither answered nor interrupted yet. */
  readonly inFlight: number
  /**
   * Resolves when enough are answered and none is in flight: no fate changes any more.
   * @throws when a click's response isn't 302
   */
  readonly done: Promise<void>
  /** Stops sending. */
  stop(): void
}

/** The delay after a refused or broken connection, in milliseconds. */
const AGAIN_MS = 10
const NONE = -1

interface Connection {
  mark: number
  text: string
  socket: Socket<Connection> | undefined
  /** It will be opened again. */
  awaited: boolean
}

/**
 * Sends clicks over many connections, one at a time on each, never repeating one: an interrupted
 * click stays unknown. Lost connections are reopened until the end.
 */
export function sendMarkedClicks(options: MarkedClicksOptions): MarkedClicks {
  const { port, clicks, connections, request } = options
  const fates = new Uint8Array(clicks * 2 + 100_000)
  let next = 0
  let answered = 0
  let inFlight = 0
  let ended = false
  const finished = Promise.withResolvers<void>()

  function end(error?: unknown): void {
    ended = true
    if (error !== undefined) finished.reject(error)
    settle()
  }

  function settle(): void {
    if (ended && inFlight === 0) finished.resolve()
  }

  function send(connection: Connection): void {
    if (ended) {
      connection.socket?.end()
      return
    }
    const mark = next++
    const { path, headers } = request(mark)
    fates[mark] = FATE.unknown
    connection.mark = mark
    inFlight++
    connection.socket?.write(`GET ${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n${headers}\r\n`)
  }

  function received(connection: Connection, bytes: Buffer): void {
    connection.text += bytes.toString('latin1')
    const head = connection.text.indexOf('\r\n\r\n')
    if (head < 0) return
    const length = Number(/content-length: (\d+)/i.exec(connection.text)?.[1] ?? 0)
    if (connection.text.length < head + 4 + length) return
    if (!connection.text.startsWith('HTTP/1.1 302 ')) {
      end(new Error(`A click was answered with ${connection.text}`))
      return
    }
    connection.text = ''
    fates[connection.mark] = FATE.answered
    connection.mark = NONE
    inFlight--
    if (++answered >= clicks) end()
    send(connection)
    settle()
  }

  function lost(connection: Connection): void {
    if (connection.mark !== NONE) inFlight--
    connection.mark = NONE
    connection.text = ''
    connection.socket = undefined
    settle()
    if (ended || connection.awaited) return
    connection.awaited = true
    setTimeout(() => void connect(connection), AGAIN_MS)
  }

  async function connect(connection: Connection): Promise<void> {
    connection.awaited = false
    try {
      await Bun.connect<Connection>({
        hostname: '127.0.0.1',
        port,
        data: connection,
        socket: {
          open(socket) {
            connection.socket = socket
            send(connection)
          },
          data: (_, bytes) => received(connection, bytes),
          close: () => lost(connection),
          error: () => {},
        },
      })
    } catch {
      lost(connection)
    }
  }

  for (let i = 0; i < connections; i++) {
    void connect({ mark: NONE, text: '', socket: undefined, awaited: false })
  }
  return {
    fates,
    get answered() {
      return answered
    },
    get inFlight() {
      return inFlight
    },
    done: finished.promise,
    stop: () => end(),
  }
}
