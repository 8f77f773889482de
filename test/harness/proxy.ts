import { createConnection, createServer, type Socket } from 'node:net'

/** A TCP proxy that can be slowed down, blocked, or cut. */
export interface TestProxy {
  readonly port: number
  /** Connections that were refused since the last cut. */
  readonly refused: number
  /** Delays every chunk, in both directions. */
  delay(ms: number): void
  /** Drops all data without closing connections, like a cut cable. */
  block(): void
  unblock(): void
  /** Closes all connections, and refuses new ones. */
  cut(): void
  restore(): void
  /**
   * The next time that a client has sent the first of these texts and then the second one, both are
   * forwarded, but the connection is closed instead of answering.
   */
  loseAnswerTo(first: string, second: string): void
  /** The same, but the connection stays open; resolves when the answer has come from the server. */
  withholdAnswerTo(first: string, second: string): Promise<void>
  close(): Promise<void>
}

/** Listens on a free port of this machine, and forwards to another. */
export async function startProxy(targetPort: number, host = '127.0.0.1'): Promise<TestProxy> {
  let delayMs = 0
  let isCut = false
  let refused = 0
  let lost: { first: string; second: string; come: (client: Socket) => void } | undefined
  let losing: Socket | undefined
  let opened = Promise.withResolvers<void>()
  opened.resolve()
  const sockets = new Set<Socket>()
  const mute = new WeakMap<Socket, (client: Socket) => void>()

  function forward(from: Socket, to: Socket, isClient: boolean): void {
    let last: Promise<unknown> = Promise.resolve()
    from.on('data', (data) => {
      // The answer has come, so the server has done it.
      const come = mute.get(from)
      if (come !== undefined) return come(to)
      if (lost !== undefined && isClient) {
        if (data.includes(lost.first)) losing = from
        if (losing === from && data.includes(lost.second)) {
          mute.set(to, lost.come)
          lost = losing = undefined
        }
      }
      const after = delayMs === 0 ? undefined : Bun.sleep(delayMs)
      last = last.then(async () => {
        await after
        await opened.promise
        if (!to.destroyed) to.write(data)
      })
    })
    from.on('error', () => {})
    from.on('close', () => {
      sockets.delete(from)
      // A cut cable doesn't transmit the end of a connection either.
      void opened.promise.then(() => to.destroy())
    })
  }

  const server = createServer((client) => {
    if (isCut) {
      refused++
      return client.destroy()
    }
    const target = createConnection(targetPort, '127.0.0.1')
    for (const socket of [client, target]) {
      socket.setNoDelay(true)
      sockets.add(socket)
    }
    forward(client, target, true)
    forward(target, client, false)
    return undefined
  })
  await new Promise<void>((listening) => server.listen(0, host, listening))
  const address = server.address()

  return {
    get refused() {
      return refused
    },
    port: typeof address === 'object' && address !== null ? address.port : 0,
    delay(ms) {
      delayMs = ms
    },
    block() {
      opened = Promise.withResolvers()
    },
    unblock: () => opened.resolve(),
    cut() {
      isCut = true
      refused = 0
      for (const socket of sockets) socket.destroy()
    },
    restore() {
      isCut = false
    },
    loseAnswerTo(first, second) {
      lost = { first, second, come: (client) => client.destroy() }
    },
    withholdAnswerTo(first, second) {
      const answered = Promise.withResolvers<void>()
      lost = { first, second, come: () => answered.resolve() }
      return answered.promise
    },
    async close() {
      opened.resolve()
      for (const socket of sockets) socket.destroy()
      await new Promise((closed) => server.close(closed))
    },
  }
}
