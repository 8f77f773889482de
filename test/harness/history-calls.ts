import type { Slugline } from './process.ts'

/** A request of a history. */
export interface HistoryRequest {
  method?: string
  path: string
  key?: string
  headers?: Record<string, string>
  body?: object
}

/** A request with what came of it; times are those of `performance.now()`. */
export interface Call {
  invoked: number
  returned: number
  /** The node, with the number of its start. */
  node: string
  /** Undefined: there was none. */
  answer:
    | undefined
    | {
        status: number
        isOk: boolean
        /** Of an error. */
        code: string
        text: string
        /** Null: there is none. */
        body: unknown
        location: string | null
      }
}

/** The nodes of a history, which may be killed and started again. */
export interface Nodes {
  readonly all: readonly Slugline[]
  /** How often each was started. */
  readonly starts: number[]
  any(random: () => number): number
  call(at: number, request: HistoryRequest): Promise<Call>
  /** Asks each node again and again whether it could ask the database, until it is over. */
  watch(isOver: () => boolean): Promise<void>
  /** Whether a node could ask the database all the time between two times. */
  isSure(at: number, time: { invoked: number; returned: number }): boolean
}

const WITHIN_MS = 3_000
const WATCH_MS = 100
const RETRY_MS = 50

/** How often a node has redirected without being able to ask, at a time. */
interface Reading {
  from: number
  until: number
  stale: number
  start: number
}

export function nodesOf(all: readonly Slugline[]): Nodes {
  const starts = all.map(() => 0)
  const readings = all.map((): Reading[] => [])

  async function call(at: number, request: HistoryRequest): Promise<Call> {
    const { method = 'GET', path, key, headers, body } = request
    const node = `${at}.${starts[at]}`
    const invoked = performance.now()
    try {
      const response = await fetch((all[at] as Slugline).url + path, {
        method,
        redirect: 'manual',
        headers: {
          ...(key && { authorization: `Bearer ${key}` }),
          ...(body && { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(body && { body: JSON.stringify(body) }),
        signal: AbortSignal.timeout(WITHIN_MS),
      })
      const text = await response.text()
      const returned = performance.now()
      const isJson = response.headers.get('content-type')?.includes('json') === true
      const parsed = isJson && text !== '' ? JSON.parse(text) : null
      const { status, ok: isOk } = response
      const location = response.headers.get('location')
      const code = parsed?.error?.code ?? ''
      const answer = { status, isOk, code, text, body: parsed, location }
      return { invoked, returned, node, answer }
    } catch {
      return { invoked, returned: performance.now(), node, answer: undefined }
    }
  }

  async function read(at: number): Promise<void> {
    const start = starts[at] as number
    const { invoked, returned, answer } = await call(at, { path: '/metrics' })
    const stale = /^slugline_resolver_stale_total (\d+)$/m.exec(answer?.text ?? '')?.[1]
    if (stale === undefined) return
    readings[at]?.push({ from: invoked, until: returned, stale: Number(stale), start })
  }

  return {
    all,
    starts,
    any: (random) => Math.floor(random() * all.length),
    call,
    async watch(isOver) {
      const each = all.map(async (_, at) => {
        while (!isOver()) {
          await read(at)
          await Bun.sleep(WATCH_MS)
        }
        await read(at)
      })
      await Promise.all(each)
    },
    isSure(at, { invoked, returned }) {
      const before = readings[at]?.findLast(({ until }) => until < invoked)
      const after = readings[at]?.find(({ from }) => from > returned)
      if (before === undefined || after === undefined) return false
      return before.stale === after.stale && before.start === after.start
    },
  }
}

/** A request that was sent until its outcome was known, or given up. */
export interface KnownCall extends Call {
  /** A request without an answer may still have its effect, in spite of what was answered. */
  isOpen: boolean
  attempts: number
  /** All successful answers. */
  texts: string[]
}

/**
 * Sends a request with an idempotency key until it is known what came of it.
 * @param twins at how many nodes at the same time
 * @param patience false: an unknown outcome stays unknown
 */
export async function callUntilKnown(
  nodes: Nodes,
  request: HistoryRequest,
  random: () => number,
  { twins, patience }: { twins: number; patience: () => boolean },
): Promise<KnownCall> {
  const calls: Call[] = []
  for (;;) {
    const first = nodes.any(random)
    const at = Array.from({ length: twins }, (_, i) => (first + i) % nodes.all.length)
    calls.push(...(await Promise.all(at.map((one) => nodes.call(one, request)))))
    const done = calls.find(({ answer }) => answer?.isOk)
    const refused = calls.find(({ answer }) => answer !== undefined && !isUnknown(answer))
    const last = done ?? refused
    if (last === undefined && patience()) {
      await Bun.sleep(RETRY_MS)
      continue
    }
    const { answer, node } = last ?? (calls[0] as Call)
    return {
      answer: last === undefined ? undefined : answer,
      node,
      invoked: Math.min(...calls.map(({ invoked }) => invoked)),
      returned: Math.max(...calls.map(({ returned }) => returned)),
      // What has succeeded once doesn't again.
      isOpen: done === undefined && calls.some((call) => isUnknown(call.answer)),
      attempts: calls.length,
      texts: calls.flatMap((call) => (call.answer?.isOk ? [call.answer.text] : [])),
    }
  }
}

/** Whether a request with this answer may have an effect, now or later. */
function isUnknown(answer: Call['answer']): boolean {
  return answer === undefined || answer.status === 503 || answer.code === 'IDEMPOTENCY_IN_PROGRESS'
}
