import { expect, test } from 'bun:test'
import { readEvents } from './server-events.ts'

async function events(...chunks: string[]) {
  const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(new TextEncoder().encode(chunk))
      controller.close()
    },
  })
  return await Array.fromAsync(readEvents(body))
}

const TEXT = ': hello\n\nevent: click\nid: 7\ndata: {"a":1}\ndata: ü\n\ndata\r\n\r\ndata: half'

test('reads events, however the chunks are split', async () => {
  const whole = await events(TEXT)
  expect(whole).toEqual([
    { event: 'click', data: '{"a":1}\nü', id: '7' },
    { event: 'message', data: '', id: '7' },
  ])
  for (let at = 1; at < TEXT.length; at++) {
    expect(await events(TEXT.slice(0, at), TEXT.slice(at))).toEqual(whole)
  }
})

test('tells ids that come without an event, once their lines are complete', async () => {
  const text = 'retry: 2000\nid: 1\n\nid: 2\ndata: a\n\n:\nid: 3\n\nid: 4\ndata: b'
  const reached: string[] = []
  const body = new Blob([text]).stream() as ReadableStream<Uint8Array<ArrayBuffer>>
  for await (const { id } of readEvents(body, (id) => reached.push(id))) reached.push(`event ${id}`)
  expect(reached).toEqual(['1', '2', 'event 2', '3'])
})
