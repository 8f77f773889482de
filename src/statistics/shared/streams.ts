import type { LinkNumbers } from '../process/wire.ts'

/** When streams are over that tell it by themselves. */
const ends = new WeakMap<ReadableStream<Uint8Array>, Promise<void>>()

/** Says that a stream is over when a promise is settled. */
export function endsWith(
  body: ReadableStream<Uint8Array>,
  end: Promise<unknown>,
): ReadableStream<Uint8Array> {
  ends.set(
    body,
    end.then(
      () => {},
      () => {},
    ),
  )
  return body
}

/**
 * A stream, and a promise that is fulfilled when it has ended in whichever way. One that tells it by itself
 * ({@link endsWith}) is the same: an answer with the body of another one is passed on by Bun, in half the time of
 * JavaScript that reads it.
 */
export function watchEnd(body: ReadableStream<Uint8Array>): {
  body: ReadableStream<Uint8Array>
  end: Promise<void>
} {
  const known = ends.get(body)
  if (known !== undefined) return { body, end: known }
  const reader = body.getReader()
  return told(
    () => reader.read(),
    (reason) => reader.cancel(reason),
  )
}

/** What is made as it is read; `make`'s signal says that nobody reads it any more. */
export function streamOf(
  make: (signal: AbortSignal) => AsyncGenerator<Uint8Array, undefined>,
  signal?: AbortSignal,
): ReadableStream<Uint8Array> {
  const leaving = new AbortController()
  const parts = make(
    signal === undefined ? leaving.signal : AbortSignal.any([signal, leaving.signal]),
  )
  const { body, end } = told(
    () => parts.next(),
    (reason) => {
      leaving.abort(reason)
      return parts.return(undefined)
    },
  )
  return endsWith(body, end)
}

/** A stream of what `next` gives, read no sooner than it is asked for. `leave`: nobody reads it any more. */
function told(
  next: () => Promise<{ done?: boolean | undefined; value?: Uint8Array | undefined }>,
  leave: (reason: unknown) => Promise<unknown>,
): { body: ReadableStream<Uint8Array>; end: Promise<void> } {
  const { promise: end, resolve: over } = Promise.withResolvers<void>()
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const { done, value } = await next()
          if (!done) return controller.enqueue(value as Uint8Array)
          over()
          controller.close()
        } catch (error) {
          // The connection breaks off: who reads must not take a part for the whole.
          over()
          controller.error(error)
        }
      },
      async cancel(reason) {
        over()
        await leave(reason)
      },
    },
    { highWaterMark: 0 },
  )
  return { body, end }
}

/** Numbers of links as lines of JSON. */
export function numbersStream(
  make: (signal: AbortSignal) => AsyncGenerator<LinkNumbers, undefined>,
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder()
  return streamOf(async function* (signal) {
    for await (const numbers of make(signal)) yield encoder.encode(`${JSON.stringify(numbers)}\n`)
    return undefined
  })
}

/** Lines of bytes as they arrive, empty ones left out. */
export async function* linesOf(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<string[]> {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
  let rest = ''
  for await (const part of bytes) {
    const lines = (rest + decoder.decode(part, { stream: true })).split('\n')
    rest = lines.pop() as string
    yield lines.filter((line) => line !== '')
  }
}
