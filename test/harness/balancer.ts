/** A client as a load balancer is one: it asks nodes that are ready, and the next one if one does not answer. */
export interface Balancer {
  /**
   * Sends a request to the nodes in turn, and to the next one as long as none answers.
   * @throws when none has answered within ten seconds.
   */
  send(path: string, init?: RequestInit): Promise<Response>
  /** How often a node was found not to be ready after it had been. */
  readonly left: number
  /** Connections that broke off without an answer to what was sent on them. */
  readonly broken: readonly string[]
  /** Looks no more. */
  stop(): Promise<void>
}

const WITHIN_MS = 10_000
const PAUSE_MS = 20
/** Much less than a node goes on answering after it has said that it leaves. */
const LOOK_EVERY_MS = 50

/** Asks nodes in turn; all of them while none is ready. */
export function createBalancer(urls: readonly string[]): Balancer {
  const ready = urls.map(() => true)
  const broken: string[] = []
  let turn = 0
  let left = 0
  let stopped = false

  async function look(): Promise<void> {
    while (!stopped) {
      await Promise.all(
        urls.map(async (url, i) => {
          const isReady = await fetch(`${url}/readyz`).then(
            ({ ok }) => ok,
            () => false,
          )
          if (ready[i] && !isReady) left++
          ready[i] = isReady
        }),
      )
      await Bun.sleep(LOOK_EVERY_MS)
    }
  }
  const looking = look()

  function next(): string {
    const asked = ready.includes(true) ? urls.filter((_, i) => ready[i]) : urls
    return asked[turn++ % asked.length] as string
  }

  return {
    get left() {
      return left
    },
    broken,
    async send(path, init) {
      const end = performance.now() + WITHIN_MS
      for (;;) {
        try {
          return await fetch(`${next()}${path}`, { redirect: 'manual', ...init })
        } catch (error) {
          const { code } = error as { code?: string }
          const isRefused = /^(?:ECONNREFUSED|ConnectionRefused)$/.test(code ?? '')
          if (!isRefused) broken.push(`${init?.method ?? 'GET'} ${code}`)
          if (performance.now() > end) throw error
          await Bun.sleep(PAUSE_MS)
        }
      }
    },
    async stop() {
      stopped = true
      await looking
    },
  }
}
