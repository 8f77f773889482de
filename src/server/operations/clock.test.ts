import { expect, test } from 'bun:test'
import { watchClock } from './clock.ts'

const DAY = 86_400_000
const START = 1_790_000_000_000

function open({ lastWrite = 0, databaseTime }: Partial<Parameters<typeof watchClock>[0]> = {}) {
  const time = { wall: START, steady: 5_000 }
  const logged: object[] = []
  const logger = {
    info: (fields: object) => void logged.push(fields),
    warn: (fields: object) => void logged.push(fields),
  }
  const watch = watchClock({
    clock: { now: () => time.wall },
    monotonic: () => time.steady,
    logger,
    lastWrite,
    databaseTime,
  })
  const passes = (ms: number) => {
    time.wall += ms
    time.steady += ms
  }
  return { time, logged, passes, ask: () => watch.check.check(), close: watch.close }
}

test('a clock that is set three days ahead, and back, is reported and logged once each', () => {
  const { time, logged, passes, ask, close } = open()
  expect(ask()).toEqual({ status: 'ok' })
  passes(10 * DAY)
  expect(ask()).toEqual({ status: 'ok' })
  time.wall += 3 * DAY
  for (let i = 0; i < 3; i++) expect(ask()).toEqual({ status: 'degraded', reason: 'jumped' })
  expect(logged).toMatchObject([{ reason: 'jumped', jump_s: 259_200 }])
  time.wall -= 3 * DAY
  expect(ask()).toEqual({ status: 'ok' })
  expect(logged).toHaveLength(2)
  close()
})

test('a lasting new time counts as correct after an hour', () => {
  const { time, passes, ask, close } = open()
  time.wall -= 3 * DAY
  expect(ask()).toEqual({ status: 'degraded', reason: 'jumped' })
  passes(3_600_000)
  expect(ask()).toEqual({ status: 'ok' })
  // A small correction isn't reported.
  time.wall += 60_000
  expect(ask()).toEqual({ status: 'ok' })
  close()
})

test('a start before the last click is reported until that time', () => {
  const { passes, ask, close } = open({ lastWrite: START + DAY })
  expect(ask()).toEqual({ status: 'degraded', reason: 'behind' })
  passes(DAY)
  expect(ask()).toEqual({ status: 'ok' })
  close()
})

test('a clock that differs from the database’s is reported; one that can’t be read is ignored', async () => {
  const { logged, ask, close } = open({ databaseTime: async () => START - 300_000 })
  await new Promise((turn) => setImmediate(turn))
  expect(ask()).toEqual({ status: 'degraded', reason: 'differs' })
  expect(logged).toMatchObject([{ reason: 'differs', ahead_s: 300 }])
  close()
  const away = open({ databaseTime: () => Promise.reject(new Error('away')) })
  await new Promise((turn) => setImmediate(turn))
  expect(away.ask()).toEqual({ status: 'ok' })
  away.close()
})
