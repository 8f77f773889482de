import { expect, test } from 'bun:test'
import { Supervisor } from './supervisor.ts'

const START = 1_790_000_000_000
/** Reports continuously that it has processed everything. */
const EAGER = `process.on('disconnect', () => process.exit())
setInterval(() => process.send({
  kind: 'pass', report: null, progress: { watermark: { segment: 0, offset: 0 }, upTo: ${START}, skipped: 0 },
}), 2)`

test('a click that arrives while a wake-up is pending isn’t reported as behind since the epoch', async () => {
  let bytes = 0
  let heard = Promise.withResolvers<void>()
  const supervisor = new Supervisor({
    name: 'test',
    command: [process.execPath, '-e', EAGER],
    journal: { bytesAfter: () => bytes },
    watermark: { segment: 0, offset: 0 },
    // A fixed clock: a second wake-up waits for its full 100 ms.
    clock: { now: () => START },
    advanced: () => heard.resolve(),
  })
  try {
    supervisor.wake()
    await heard.promise
    // Pending; in the meantime the process has found the click by itself.
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
