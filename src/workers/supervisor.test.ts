import { expect, test } from 'bun:test'
import { Supervisor } from './supervisor.ts'

const START = 1_790_000_000_000
/** Reports all the time that it has done what there was. */
const EAGER = `process.on('disconnect', () => process.exit())
setInterval(() => process.send({
  kind: 'pass', report: null, progress: { watermark: { segment: 0, offset: 0 }, upTo: ${START}, skipped: 0 },
}), 2)`

test('a click that comes while a wake waits is not as old as time itself', async () => {
  let bytes = 0
  let heard = Promise.withResolvers<void>()
  const supervisor = new Supervisor({
    name: 'test',
    command: [process.execPath, '-e', EAGER],
    journal: { bytesAfter: () => bytes },
    watermark: { segment: 0, offset: 0 },
    // It stands still: a second wake waits for its full 100 ms.
    clock: { now: () => START },
    advanced: () => heard.resolve(),
  })
  try {
    supervisor.wake()
    await heard.promise
    // It waits; meanwhile the process has found the click by itself.
    supervisor.wake()
    heard = Promise.withResolvers()
    await heard.promise
    bytes = 10
    supervisor.wake()
    expect(supervisor.state()).toMatchObject({ backlogBytes: 10, backlogSeconds: 0 })
  } finally {
    bytes = 0
    await supervisor.stop(0)
  }
})
