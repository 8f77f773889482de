/** A load balancer: sends requests to ready nodes, and to the next one if one doesn't respond. */
export interface Balancer {
  /**
   * Sends a request to the nodes in turn, and to the next one if one doesn't respond.
   * @throws when none has responded within ten seconds
   */
  send(path: string, init?: RequestInit): Promise<Response>
  /** How often a ready node became unready. */
  readonly left: number
  /** Requests whose connection was closed without a response. */
  readonly broken: readonly string[]
  /** Stops checking the nodes. */
  stop(): Promise<void>
}

const WITHIN_MS = 10_000
const PAUSE_MS = 20
/** Much less than a node keeps responding after it became unready. */
const LOOK_EVERY_MS = 50

/** Sends to ready nodes in turn, or to all nodes if none is ready. */
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
