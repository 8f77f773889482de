import { expect, test } from 'bun:test'
import { createChild } from './child.ts'

const START = 1_790_000_000_000
/** Says all the time that it has done what there was. */
const EAGER = `process.on('disconnect', () => process.exit())
setInterval(() => process.send({}), 2)`

test('a click that comes while a poke waits is not as old as time itself', async () => {
  let bytes = 0
  let heard = Promise.withResolvers<void>()
  const child = createChild({
    name: 'test',
    command: [process.execPath, '-e', EAGER],
    journal: { bytesAfter: () => bytes },
    watermark: { segment: 0, offset: 0 },
    // Held: a second poke waits for its full 100 ms.
    clock: { now: () => START },
    heard() {
      heard.resolve()
      return { watermark: { segment: 0, offset: 0 }, upTo: START, skipped: 0 }
    },
  })
  try {
    child.poke()
    await heard.promise
    // It waits; meanwhile the process has found the click by itself.
    child.poke()
    heard = Promise.withResolvers()
    await heard.promise
    bytes = 10
    child.poke()
    expect(child.state()).toMatchObject({ backlogBytes: 10, backlogSeconds: 0 })
  } finally {
    bytes = 0
    await child.stop(0)
  }
})
