/** One event of a `text/event-stream`. */
interface ServerEvent {
  event: string
  data: string
  id: string
}

/**
 * Reads server-sent events from a streamed body (WHATWG HTML § 9.2.6). `EventSource` can't send the
 * headers for the key and the workspace.
 * @param reached Told each id to resume after, also those that come without an event.
 */
export async function* readEvents(
  body: ReadableStream<Uint8Array<ArrayBuffer>>,
  reached: (id: string) => void = () => {},
): AsyncGenerator<ServerEvent> {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader()
  let rest = ''
  let event = ''
  let id = ''
  let data: string[] = []
  try {
    while (true) {
      const { done, value } = await reader.read()
      if (done) return
      const lines = (rest + value).split(/\r\n|\n|\r(?!$)/)
      rest = lines.pop() ?? ''
      for (const line of lines) {
        if (line === '') {
          if (id !== '') reached(id)
          if (data.length > 0) yield { event: event || 'message', data: data.join('\n'), id }
          event = ''
          data = []
          continue
        }
        const colon = line.indexOf(':')
        if (colon === 0) continue
        const field = colon < 0 ? line : line.slice(0, colon)
        const text = colon < 0 ? '' : line.slice(colon + 1).replace(/^ /, '')
        if (field === 'event') event = text
        else if (field === 'data') data.push(text)
        else if (field === 'id') id = text
      }
    }
  } finally {
    reader.cancel().catch(() => {})
  }
}
