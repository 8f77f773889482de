import type { LinkNumbers } from '../process/wire.ts'

/** What is made as it is read; `make`'s signal says that nobody reads it any more. */
export function streamOf(
  make: (signal: AbortSignal) => AsyncGenerator<Uint8Array, undefined>,
  signal?: AbortSignal,
): ReadableStream<Uint8Array> {
  const leaving = new AbortController()
  const parts = make(
    signal === undefined ? leaving.signal : AbortSignal.any([signal, leaving.signal]),
  )
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { done, value } = await parts.next()
        if (done) controller.close()
        else controller.enqueue(value)
      },
      async cancel(reason) {
        leaving.abort(reason)
        await parts.return(undefined)
      },
    },
    { highWaterMark: 0 },
  )
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
