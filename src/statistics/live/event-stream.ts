/** One server-sent event: `data` without line breaks, and the id to resume after. */
export interface StreamEvent {
  id: string
  data: string
}

/** What {@link createEventStream} works with. Times in milliseconds. */
export interface EventStreamOptions {
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

/** Made by {@link createEventStream}. */
export type EventStream = ReturnType<typeof createEventStream>

/** A reader whose key is revoked is disconnected within a second. */
const CHECK_MS = 750
/** A reader that takes nothing for this long is disconnected; it resumes where it stopped. */
const STALL_MS = 20_000
/** How long a reader waits before it reconnects. */
const RETRY_MS = 2_000

const encoder = new TextEncoder()

/**
 * A stream of server-sent events (WHATWG HTML §9.2). Sends one at a time as the reader takes them, so that a slow
 * reader needs no buffer.
 */
export function createEventStream(options: EventStreamOptions) {
  const { startId, permitted, ended, checkMs = CHECK_MS, stallMs = STALL_MS } = options
  const abort = new AbortController()
  const { signal } = abort
  const events = options.events(signal)
  let controller: ReadableStreamDefaultController<Uint8Array> | undefined
  /** When the last event was handed over that the reader hasn't taken; null: the reader waits. */
  let fullSince: number | null = null
  let isChecking = false
  let isBegun = false

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

  /** The next text to send; null: the stream has ended. */
  async function next(): Promise<string | null> {
    if (!isBegun) {
      isBegun = true
      // The reader remembers an id without data, and dispatches no event.
      return `retry: ${RETRY_MS}\nid: ${startId}\n\n`
    }
    const { done, value } = await events.next()
    if (done) return null
    return value === null ? ':\n\n' : `id: ${value.id}\ndata: ${value.data}\n\n`
  }

  const body = new ReadableStream<Uint8Array>(
    {
      start(given) {
        controller = given
      },
      async pull(given) {
        fullSince = null
        // When the source fails, the stream ends, and the reader reconnects and resumes.
        const text = await next().catch(() => null)
        if (signal.aborted) return
        if (text === null) return end()
        fullSince = performance.now()
        given.enqueue(encoder.encode(text))
      },
      cancel: end,
    },
    { highWaterMark: 0 },
  )
  return { body, end }
}
