import { ConnectionError, SluglineError } from './errors.js'
import { backoffMs, isTransient, type Send, sleep, type Transport } from './transport.js'

/** The server sends something every 15 seconds; after three times that the connection is dead. */
const SILENCE_MS = 45_000
const MOST_FAILURES = 6

/**
 * Follows a stream of server-sent events, and resumes after the last one when it breaks off.
 * Ends by `break`, by the signal (throws its reason), or by an error that a retry can't mend.
 */
export async function* follow<T>(
  transport: Transport,
  send: Send,
): AsyncGenerator<T, void, undefined> {
  let lastId: string | undefined
  for (let failures = 0; ; failures++) {
    try {
      const headers = {
        Accept: 'text/event-stream',
        ...(lastId !== undefined && { 'Last-Event-ID': lastId }),
      }
      const response = await transport.response({ ...send, headers })
      for await (const { id, data } of messages(response, send.signal)) {
        lastId = id ?? lastId
        failures = 0
        if (data !== undefined) yield JSON.parse(data) as T
      }
    } catch (error) {
      send.signal?.throwIfAborted()
      if (!(error instanceof SluglineError) || !isTransient(error)) throw error
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
      const { done, value } = await readWithin(reader, SILENCE_MS)
      if (done) return
      text += decoder.decode(value, { stream: true }).replaceAll('\r', '')
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

async function readWithin<T>(reader: { read(): Promise<T> }, ms: number): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const silence = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new ConnectionError('The stream has fallen silent.')), ms)
  })
  try {
    return await Promise.race([reader.read(), silence])
  } catch (error) {
    throw error instanceof SluglineError ? error : new ConnectionError(error)
  } finally {
    clearTimeout(timer)
  }
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
