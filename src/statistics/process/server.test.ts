import { afterAll, beforeEach, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { eventually } from '../../../test/harness/eventually.ts'
import { streamOf, watchEnd } from '../../lib/base/streams.ts'
import type { ClickReports, Selection } from '../types.ts'
import { createStatisticsClient } from './client.ts'
import { listen } from './server.ts'

const directory = mkdtempSync(join(tmpdir(), 'slugline-server-'))
const PIECE = new Uint8Array(65_536)
const EVERYTHING = {} as Selection

let listening: ReturnType<typeof listen>
let client: ReturnType<typeof createStatisticsClient>
/** The chunks of exports, and how many were generated. */
let pieces: (signal: AbortSignal) => AsyncGenerator<Uint8Array, undefined>
let made = 0
let sockets = 0

beforeEach(() => {
  listening?.stop()
  made = 0
  const socket = join(directory, `${++sockets}.sock`)
  const reports = { export: async () => streamOf(pieces) } as unknown as ClickReports
  listening = listen({
    socket,
    answers: async () => ({ reportsUntil: () => reports }),
  })
  client = createStatisticsClient(() => {})
  client.ready(socket)
})
afterAll(() => {
  listening.stop()
  rmSync(directory, { recursive: true, force: true })
})

async function* endless(): AsyncGenerator<Uint8Array, undefined> {
  for (;;) {
    made++
    yield PIECE.slice()
  }
}

test('an export ends when its last byte is sent', async () => {
  const gate = Promise.withResolvers<void>()
  pieces = async function* () {
    yield PIECE.slice()
    await gate.promise
    return undefined
  }
  const { body, end } = watchEnd(await client.export(EVERYTHING, { format: 'csv' }))
  let isOver = false
  void end.then(() => {
    isOver = true
  })
  const reader = body.getReader()
  await reader.read()
  expect([isOver, listening.idleMs]).toEqual([false, 0])
  gate.resolve()
  for (let done = false; !done; ) done = (await reader.read()).done
  await end
  await eventually('nothing is open', async () => (listening.idleMs > 0 ? true : undefined))
})

test('an export that fails, or whose reader stalls, ends too', async () => {
  pieces = async function* () {
    yield PIECE.slice()
    throw new Error('No more')
  }
  const failing = watchEnd(await client.export(EVERYTHING, { format: 'csv' }))
  await expect(new Response(failing.body).bytes()).rejects.toThrow()
  await failing.end

  pieces = endless
  const left = watchEnd(await client.export(EVERYTHING, { format: 'csv' }))
  const reader = left.body.getReader()
  await reader.read()
  await reader.cancel()
  await left.end

  const signal = new AbortController()
  const gone = watchEnd(await client.until(signal.signal).export(EVERYTHING, { format: 'csv' }))
  const reading = gone.body.getReader().read()
  signal.abort()
  await reading.catch(() => {})
  await gone.end
  await eventually('nothing is open', async () => (listening.idleMs > 0 ? true : undefined))
})

test('an export ends with the process', async () => {
  pieces = endless
  const { body, end } = watchEnd(await client.export(EVERYTHING, { format: 'csv' }))
  const reader = body.getReader()
  await reader.read()
  listening.stop()
  await expect(
    (async () => {
      while (!(await reader.read()).done);
    })(),
  ).rejects.toThrow()
  await end
})

test('an export is only generated as it is read', async () => {
  pieces = endless
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: async () =>
      new Response(watchEnd(await client.export(EVERYTHING, { format: 'csv' })).body),
  })
  const { promise: begun, resolve: begin } = Promise.withResolvers<void>()
  const socket = await Bun.connect({
    hostname: '127.0.0.1',
    port: server.port as number,
    socket: {
      data(it) {
        it.pause()
        begin()
      },
    },
  })
  socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n')
  await begun
  let before = -1
  await eventually('it stands still', async () => {
    await Bun.sleep(100)
    const stands = made === before
    before = made
    return stands ? true : undefined
  })
  // What sockets buffer, and a chunk each.
  expect(made * PIECE.length).toBeLessThan(32_000_000)
  socket.terminate()
  await eventually('nothing is open', async () => (listening.idleMs > 0 ? true : undefined))
  await server.stop(true)
})
