import { expect, test } from 'bun:test'
import { sendMarkedClicks } from './marked-clicks.ts'

test('is done once no click is in flight, so that each fate is final', async () => {
  const late = Promise.withResolvers<void>()
  let requests = 0
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    async fetch() {
      if (++requests === 1) await late.promise
      return new Response(null, { status: 302, headers: { Location: 'https://example.com/' } })
    },
  })
  const load = sendMarkedClicks({
    port: server.port as number,
    clicks: 20,
    connections: 2,
    request: (mark) => ({ path: `/${mark}`, headers: '' }),
  })
  let isDone = false
  void load.done.then(() => {
    isDone = true
  })
  while (load.answered < 20) await Bun.sleep(1)
  expect({ isDone, inFlight: load.inFlight }).toEqual({ isDone: false, inFlight: 1 })
  late.resolve()
  await load.done
  expect({ inFlight: load.inFlight, answered: load.answered }).toEqual({
    inFlight: 0,
    answered: 21,
  })
  await server.stop(true)
})
