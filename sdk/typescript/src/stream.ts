import { SluglineError } from './errors.js'
import { backoffMs, isTransient, type Send, sleep, type Transport } from './transport.js'

/** The server sends something every 15 seconds; after three times that the connection is dead. */
const SILENCE_MS = 45_000
const MOST_FAILURES = 6

/**
 * Follows a stream of server-sent events, and resumes after the last one when it breaks off.
 * Ends by `break`, by the signal (throws its reason), or by an error: of the first request, or one
 * that a retry can't mend.
 */
export async function* follow<T>(
  transport: Transport,
  send: Send,
): AsyncGenerator<T, void, undefined> {
  let lastId: string | undefined
  let isOpened = false
  for (let failures = 0; ; failures++) {
    try {
      const headers = {
        Accept: 'text/event-stream',
        ...(lastId !== undefined && { 'Last-Event-ID': lastId }),
      }
      const response = await transport.response({ ...send, headers })
      isOpened = true
      for await (const { id, data } of messages(response, send.signal)) {
        lastId = id ?? lastId
        failures = 0
        if (data !== undefined) yield JSON.parse(data) as T
      }
    } catch (error) {
      send.signal?.throwIfAborted()
      const mayMend = isOpened && error instanceof SluglineError && isTransient(error)
      if (!mayMend) throw error
    }
    await sleep(backoffMs(Math.min(failures, MOST_FAILURES)), send.signal)
  }
}

interface Message {
  id?: string
  data?: string
}

async function* messages(response: Response, signal?: AbortSignal): AsyncGenerator<Message> {
  const reader = (response.body as ReadableStream<Uint8Array>).getReader()
  const stop = () => void reader.cancel().catch(() => {})
  signal?.addEventListener('abort', stop, { once: true })
  const decoder = new TextDecoder()
  let text = ''
  try {
    for (;;) {
      const part = await readWithin(reader, SILENCE_MS)
      if (part === undefined || part.done) return
      text += decoder.decode(part.value, { stream: true }).replaceAll('\r', '')
      for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
        yield messageOf(text.slice(0, end))
        text = text.slice(end + 2)
      }
    }
  } finally {
    signal?.removeEventListener('abort', stop)
    stop()
  }
}

/** What is read; undefined if the connection breaks off, or is silent for so long. */
async function readWithin<T>(reader: { read(): Promise<T> }, ms: number): Promise<T | undefined> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const silence = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), ms)
  })
  const read = reader.read().catch(() => undefined)
  return await Promise.race([read, silence]).finally(() => clearTimeout(timer))
}

function messageOf(block: string): Message {
  const message: Message = {}
  for (const line of block.split('\n')) {
    const [, name, value = ''] = /^(id|data): ?(.*)$/.exec(line) ?? []
    if (name === 'id') message.id = value
    else if (name === 'data') {
      message.data = message.data === undefined ? value : `${message.data}\n${value}`
    }
  }
  return message
}
