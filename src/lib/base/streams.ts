/**
 * Passes a stream through, with a promise that is fulfilled when it ends, fails or is cancelled.
 */
export function watchEnd(source: ReadableStream<Uint8Array>): {
  body: ReadableStream<Uint8Array>
  end: Promise<void>
} {
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>()
  return { body: readable, end: source.pipeTo(writable).catch(() => {}) }
}

/** A stream generated on demand. The signal passed to `make` aborts when the reader cancels. */
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

/** Lines of bytes as they arrive, without empty ones. */
export async function* linesOf(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<string[]> {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
  let rest = ''
  for await (const part of bytes) {
    const lines = (rest + decoder.decode(part, { stream: true })).split('\n')
    rest = lines.pop() as string
    yield lines.filter((line) => line !== '')
  }
}
