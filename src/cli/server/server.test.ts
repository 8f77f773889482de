import { expect, test } from 'bun:test'
import { connect } from 'node:net'
import { silentLogger } from '../../lib/base/logger.ts'
import type { Config } from '../../platform/config/index.ts'
import { createGate, listen as listenOn, stopRequests } from './server.ts'

/** Sends a raw request, and resolves with the response. */
function raw(port: number, request: string): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<string>()
  let answer = ''
  const socket = connect(port, '127.0.0.1', () => void socket.write(request))
  socket.on('data', (data) => {
    answer += data.toString('latin1')
    socket.end()
  })
  socket.on('close', () => resolve(answer))
  return promise
}

test.each([
  'GET /app/secret-path HTTP/1.0\r\n\r\n',
  'GET /app/secret-path HTTP/1.1\r\nHost: a b:::\r\nConnection: close\r\n\r\n',
])('a failure that nothing else answers is a problem with a request id: %j', async (request) => {
  const logged: object[] = []
  const gate = createGate()
  // Throws: without a valid host the URL of a request is only a path.
  gate.open(async ({ url }) => new Response(new URL(url).pathname))
  const config = { host: '127.0.0.1', port: 0, baseUrl: 'https://s.example' } as Config
  const logger = { ...silentLogger, error: (fields: object) => void logged.push(fields) }
  const server = await listenOn(config, gate, logger)
  const answer = await raw(server.port as number, request)
  await server.stop(true)
  const [head = '', body = ''] = answer.split('\r\n\r\n')
  expect(head).toStartWith('HTTP/1.1 500 ')
  const { error } = JSON.parse(body)
  expect(error).toMatchObject({ code: 'INTERNAL_ERROR', message: expect.any(String) })
  expect(error.request_id).toMatch(/^req_[0-9a-z]{26}$/)
  expect(head.toLowerCase()).toContain(`x-request-id: ${error.request_id}`)
  expect(head.toLowerCase()).toContain('cache-control: no-store')
  expect(head).toContain('https://s.example/docs/errors#INTERNAL_ERROR')
  expect(logged).toMatchObject([{ request_id: error.request_id, name: 'TypeError' }])
  expect(JSON.stringify(logged)).not.toContain('secret-path')
})

function listen() {
  const gate = createGate()
  gate.open(async () => new Response('ok'))
  const fetch = (...visit: Parameters<typeof gate.fetch>) => gate.fetch(...visit)
  return { gate, server: Bun.serve({ port: 0, hostname: '127.0.0.1', fetch }) }
}
const ask = (url: URL) => globalThis.fetch(url).catch(() => null)

test('one of several nodes keeps responding for a while, and closes connections', async () => {
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

test('a single server stops accepting connections immediately', async () => {
  const { server, gate } = listen()
  const leave = () => Promise.reject(new Error('It waits'))
  await stopRequests(server, { gate, hasOthers: false, withinMs: 3_000, leave })
  expect(await ask(server.url)).toBeNull()
})
