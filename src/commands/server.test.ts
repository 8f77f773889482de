import { expect, test } from 'bun:test'
import { createGate, stopRequests } from './server.ts'

function listen() {
  const gate = createGate()
  gate.open(async () => new Response('ok'))
  const fetch = (...visit: Parameters<typeof gate.fetch>) => gate.fetch(...visit)
  return { gate, server: Bun.serve({ port: 0, hostname: '127.0.0.1', fetch }) }
}
const ask = (url: URL) => globalThis.fetch(url).catch(() => null)

test('a node with others goes on answering for a while, and keeps no connection', async () => {
  const { server, gate } = listen()
  const go = Promise.withResolvers<void>()
  const stopped = stopRequests(server, {
    gate,
    hasOthers: true,
    withinMs: 3_000,
    leave: () => go.promise,
  })
  for (let i = 0; i < 3; i++) {
    const answer = await ask(server.url)
    expect([answer?.status, answer?.headers.get('connection')]).toEqual([200, 'close'])
  }
  go.resolve()
  await stopped
  expect(await ask(server.url)).toBeNull()
})

test('a server alone takes no more connections at once', async () => {
  const { server, gate } = listen()
  const leave = () => Promise.reject(new Error('It waits'))
  await stopRequests(server, { gate, hasOthers: false, withinMs: 3_000, leave })
  expect(await ask(server.url)).toBeNull()
})
