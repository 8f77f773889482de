/** A client as a load balancer is one: what one node does not take, the other is asked. */
export interface Balancer {
  /**
   * Sends a request to the nodes in turn, and to the next one as long as none answers.
   * @throws when none has answered within ten seconds.
   */
  send(path: string, init?: RequestInit): Promise<Response>
  /** Connections that a node did not take. */
  readonly refused: number
  /** Connections that broke off without an answer to what was sent on them. */
  readonly broken: readonly string[]
}

const WITHIN_MS = 10_000
const PAUSE_MS = 20

/** Asks nodes in turn, whether they are there or not. */
export function createBalancer(urls: readonly string[]): Balancer {
  let turn = 0
  let refused = 0
  const broken: string[] = []
  return {
    get refused() {
      return refused
    },
    broken,
    async send(path, init) {
      const end = performance.now() + WITHIN_MS
      for (;;) {
        try {
          const url = `${urls[turn++ % urls.length]}${path}`
          return await fetch(url, { redirect: 'manual', ...init })
        } catch (error) {
          const { code } = error as { code?: string }
          if (/^(?:ECONNREFUSED|ConnectionRefused)$/.test(code ?? '')) refused++
          else broken.push(`${init?.method ?? 'GET'} ${code}`)
          if (performance.now() > end) throw error
          await Bun.sleep(PAUSE_MS)
        }
      }
    },
  }
}
