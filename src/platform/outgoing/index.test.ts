import { expect, test } from 'bun:test'
import { createOutgoing } from './index.ts'

test('a request without an answer in time fails as a timeout, an aborted one as aborted', async () => {
  const silent = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch: () => new Promise<Response>(() => {}),
  })
  try {
    const outgoing = createOutgoing({ allowedNetworks: ['127.0.0.0/8'] })
    const late = outgoing.send(silent.url, { timeoutMs: 20, signal: new AbortController().signal })
    expect(await late.catch(({ name }) => name)).toBe('TimeoutError')
    const ended = new AbortController()
    const aborted = outgoing.send(silent.url, { signal: ended.signal })
    ended.abort()
    expect(await aborted.catch(({ name }) => name)).toBe('AbortError')
  } finally {
    await silent.stop(true)
  }
})
