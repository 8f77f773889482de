/** One server-sent event: `data` without line breaks, and the id to resume after. */
export interface StreamEvent {
  id: string
  /** Absent: a heartbeat that moves the position. */
  data?: string
}

/** Times in milliseconds. */
interface EventStreamOptions {
  /** The events, without end; null is a heartbeat. Stops when the signal aborts. */
  events: (signal: AbortSignal) => AsyncGenerator<StreamEvent | null>
  /** The id to resume after when the reader has received no event. */
  startId: string
  /** Whether the reader may still read. */
  permitted: () => Promise<boolean>
  /** Called once, when the stream has ended. */
  ended: () => void
  checkMs?: number
  stallMs?: number
}

/** A reader whose key is revoked is disconnected within a second. */
const CHECK_MS = 750
/** A reader that takes nothing for this long is disconnected; it resumes where it stopped. */
const STALL_MS = 20_000
/** How long a reader waits before it reconnects. */
const RETRY_MS = 2_000

const encoder = new TextEncoder()

/**
 * A stream of server-sent events (WHATWG HTML §9.2). Sends one at a time as the reader takes them, so
 * that a slow reader needs no buffer.
 */
export function createEventStream(options: EventStreamOptions) {
  const { startId, permitted, ended, checkMs = CHECK_MS, stallMs = STALL_MS } = options
  const abort = new AbortController()
  const { signal } = abort
  const texts = textsOf(options.events(signal), startId)
  let controller: ReadableStreamDefaultController<Uint8Array> | undefined
  /** When the last event was handed over that the reader hasn't taken; null: the reader waits. */
  let fullSince: number | null = null
  let isChecking = false

  function end(): void {
    if (signal.aborted) return
    clearInterval(checks)
    abort.abort()
    try {
      controller?.close()
    } catch {
      // The reader has cancelled the stream.
    }
    ended()
  }

  async function check(): Promise<void> {
    if (fullSince !== null && performance.now() - fullSince > stallMs) return end()
    if (isChecking) return
    isChecking = true
    // A failed check says nothing about the permission, and is repeated soon.
    if (!(await permitted().catch(() => true))) end()
    isChecking = false
  }

  const checks = setInterval(() => void check(), checkMs)
  checks.unref?.()

  const body = new ReadableStream<Uint8Array>(
    {
      start(given) {
        controller = given
      },
      async pull(given) {
        fullSince = null
        // When the source fails, the stream ends, and the reader reconnects and resumes.
        const text = await texts.next().catch(() => null)
        if (signal.aborted) return
        if (text === null || text.done) return end()
        fullSince = performance.now()
        given.enqueue(encoder.encode(text.value))
      },
      cancel: end,
    },
    { highWaterMark: 0 },
  )
  return { body, end }
}

async function* textsOf(events: AsyncGenerator<StreamEvent | null>, startId: string) {
  // The reader remembers an id without data, and dispatches no event.
  yield `retry: ${RETRY_MS}\nid: ${startId}\n\n`
  for await (const event of events) {
    if (event === null) yield ':\n\n'
    else if (event.data === undefined) yield `:\nid: ${event.id}\n\n`
    else yield `id: ${event.id}\ndata: ${event.data}\n\n`
  }
}
