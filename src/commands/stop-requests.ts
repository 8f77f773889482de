import type { Serving } from '../operations/serving.ts'

/** So long a node goes on answering, for load balancers to notice that it leaves. */
const LEAVING_MS = 1_500

/** The part of a server that stops it. */
interface Server {
  reload(options: { fetch: Serving['fetch'] }): unknown
  stop(closeActiveConnections?: boolean): Promise<void>
}

/** How a server stops answering. */
export interface StopOptions {
  /** What answers; undefined: nothing does yet. */
  fetch: Serving['fetch'] | undefined
  /** Other nodes answer instead, and a load balancer finds them. */
  hasOthers: boolean
  /** What has begun is given up after so many milliseconds. */
  withinMs: number
  /** How long it goes on answering where there are others; a test holds it. */
  leave?: () => Promise<unknown>
}

/**
 * Takes no new connections, and finishes what has begun. Where a load balancer keeps connections, it
 * may send a request into one at the very moment at which we close it, and must not send most kinds
 * again. So it is given time to hear of `/readyz`, and every answer takes its connection with it.
 */
export async function stopRequests(
  server: Server,
  { fetch, hasOthers, withinMs, leave = () => Bun.sleep(LEAVING_MS) }: StopOptions,
): Promise<void> {
  let leftMs = withinMs
  if (fetch !== undefined && hasOthers) {
    server.reload({
      async fetch(...visit) {
        const answer = await fetch(...visit)
        answer.headers.set('connection', 'close')
        return answer
      },
    })
    await leave()
    leftMs -= LEAVING_MS
  }
  const finished = server.stop().then(() => true)
  const late = Bun.sleep(leftMs).then(() => false)
  if (!(await Promise.race([finished, late]))) await server.stop(true)
}
