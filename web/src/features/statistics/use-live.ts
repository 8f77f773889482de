import { readEvents } from '@src/lib/base/server-events.ts'
import { useEffect, useState } from 'react'
import { open } from '../../api/client.ts'
import { type Click, type Question, queryOf } from './queries.ts'

const SHOWN = 10
/** The server sends something every 15 s; a longer silence means that the connection is lost. */
const SILENCE_MS = 35_000

/** The state of the connection. */
type LiveState = 'connecting' | 'open' | 'lost'

/** The clicks since the page was opened, newest first; reconnects automatically. */
export function useLive(question: Question) {
  const [state, setState] = useState<LiveState>('connecting')
  const [clicks, setClicks] = useState<readonly Click[]>([])
  const [count, setCount] = useState(0)
  // The same query is the same stream, however often the page is rendered.
  const asked = JSON.stringify(question)
  useEffect(() => {
    const { linkId, ...rest } = JSON.parse(asked) as Question
    const query = {
      ...queryOf({ linkId, ...rest }),
      ...(linkId === null ? {} : { link_id: linkId }),
    }
    const stopped = new AbortController()
    setState('connecting')
    setClicks([])
    setCount(0)
    let last: string | undefined

    async function connect(): Promise<void> {
      const headers: Record<string, string> = { Accept: 'text/event-stream' }
      if (last !== undefined) headers['Last-Event-ID'] = last
      const silent = new AbortController()
      const signal = AbortSignal.any([stopped.signal, silent.signal])
      const { body } = await open('GET', '/api/v1/clicks/stream', { query, headers, signal })
      if (body === null) return
      setState('open')
      let timer = setTimeout(() => silent.abort(), SILENCE_MS)
      const heard = new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
        transform(chunk, controller) {
          clearTimeout(timer)
          timer = setTimeout(() => silent.abort(), SILENCE_MS)
          controller.enqueue(chunk)
        },
      })
      try {
        const reached = (id: string) => {
          last = id
        }
        for await (const { data } of readEvents(body.pipeThrough(heard), reached)) {
          const click = JSON.parse(data) as Click
          setClicks((before) => [click, ...before].slice(0, SHOWN))
          setCount((before) => before + 1)
        }
      } finally {
        clearTimeout(timer)
      }
    }

    async function keepConnected(): Promise<void> {
      for (let waitMs = 1_000; !stopped.signal.aborted; waitMs = Math.min(waitMs * 2, 30_000)) {
        try {
          await connect()
          waitMs = 500
        } catch {
          // Any error: retried with a growing delay.
        }
        if (stopped.signal.aborted) return
        setState('lost')
        await new Promise((resolve) => setTimeout(resolve, waitMs))
      }
    }
    void keepConnected()
    return () => stopped.abort()
  }, [asked])
  return { state, clicks, count }
}
