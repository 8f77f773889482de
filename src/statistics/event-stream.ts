/** One event: a text without line breaks, and the id that a reader resumes after. */
export interface StreamEvent {
  id: string
  data: string
}

/** What a stream of server-sent events is made of. */
export interface EventStreamOptions {
  /** The events, without end; stops when the signal aborts. */
  events: (signal: AbortSignal) => AsyncIterable<StreamEvent>
  /** Where a reader resumes who has seen no event yet. */
  startId: string
  /** Whether the reader may still read; asked again and again. */
  permitted: () => Promise<boolean>
  /** Called once, when the stream is over. */
  ended: () => void
  /** In milliseconds; for tests. */
  heartbeatMs?: number
  checkMs?: number
  stallMs?: number
}

/** A stream of server-sent events (WHATWG HTML §9.2), and how it is ended from our side. */
export interface EventStream {
  body: ReadableStream<Uint8Array>
  end(): void
}

/** Proxies close what says nothing for a minute, some already after 30 seconds. */
const HEARTBEAT_MS = 15_000
/** A reader whose key is revoked is out within a second. */
const CHECK_MS = 750
/** A reader who takes nothing for so long is let go; it resumes where it stopped. */
const STALL_MS = 20_000
/** What a reader waits before it comes back. */
const RETRY_MS = 2_000

const encoder = new TextEncoder()

/**
 * Sends events as they come, one at a time and only when the reader has taken the one before:
 * whoever is slow holds up its own source, and nothing piles up here.
 */
export function createEventStream(options: EventStreamOptions): EventStream {
  const { startId, permitted } = options
  const { heartbeatMs = HEARTBEAT_MS, checkMs = CHECK_MS, stallMs = STALL_MS } = options
  const abort = new AbortController()
  const events = options.events(abort.signal)[Symbol.asyncIterator]()
  let isOver = false
  /** An event that was asked for and hasn't come yet. */
  let isAsked = false
  let got: IteratorResult<StreamEvent> | undefined
  let wake: (() => void) | undefined
  let isBeatDue = false
  let beat: ReturnType<typeof setTimeout> | undefined
  /** Since when the reader has taken nothing; 0: it waits for us. */
  let fullSince = 0
  let isChecking = false
  let controller: ReadableStreamDefaultController<Uint8Array> | undefined

  function finish(): void {
    if (isOver) return
    isOver = true
    clearInterval(checks)
    clearTimeout(beat)
    abort.abort()
    try {
      controller?.close()
    } catch {
      // The reader has gone first.
    }
    wake?.()
    options.ended()
    // A source that waits for its next event ends by the signal; others end here.
    events.return?.()?.then(undefined, () => {})
  }

  const checks = setInterval(() => {
    if (fullSince > 0 && performance.now() - fullSince > stallMs) return finish()
    if (isChecking) return
    isChecking = true
    permitted().then(
      (allowed) => {
        isChecking = false
        if (!allowed) finish()
      },
      // Who can't be asked about was let in a moment ago, and is asked about in a moment.
      () => {
        isChecking = false
      },
    )
  }, checkMs)
  checks.unref?.()

  function ask(): void {
    isAsked = true
    events.next().then(
      (result) => {
        isAsked = false
        got = result
        wake?.()
      },
      // The source broke off: the reader comes back and resumes.
      () => finish(),
    )
  }

  async function next(): Promise<string | null> {
    clearTimeout(beat)
    beat = setTimeout(() => {
      isBeatDue = true
      wake?.()
    }, heartbeatMs)
    for (;;) {
      if (isOver) return null
      if (got !== undefined) {
        const { done, value } = got
        got = undefined
        if (done === true) return null
        return `id: ${value.id}\ndata: ${value.data}\n\n`
      }
      if (isBeatDue) {
        isBeatDue = false
        return ':\n\n'
      }
      if (!isAsked) ask()
      await new Promise<void>((resolve) => {
        wake = resolve
      })
    }
  }

  let isBegun = false
  const body = new ReadableStream<Uint8Array>(
    {
      start(given) {
        controller = given
      },
      async pull(given) {
        fullSince = 0
        // An id without data is remembered by the reader, who isn't told of an event.
        const text = isBegun ? await next() : `retry: ${RETRY_MS}\nid: ${startId}\n\n`
        isBegun = true
        if (text === null) return finish()
        fullSince = performance.now()
        given.enqueue(encoder.encode(text))
      },
      cancel: finish,
    },
    { highWaterMark: 0 },
  )
  return { body, end: finish }
}
