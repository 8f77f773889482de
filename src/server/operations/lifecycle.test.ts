import { describe, expect, test } from 'bun:test'
import { EventEmitter } from 'node:events'
import { silentLogger } from '../../lib/base/logger.ts'
import { createLifecycle, type ShutdownStep } from './lifecycle.ts'

function lifecycle(steps: ShutdownStep[]) {
  const clock = { ms: 0, now: () => clock.ms }
  const exited = Promise.withResolvers<number>()
  const statuses: number[] = []
  const exit = (status: number) => {
    statuses.push(status)
    exited.resolve(status)
  }
  const signals = new EventEmitter()
  let unhandled = 0
  createLifecycle({ steps: () => steps, logger: silentLogger, clock, exit }).listen(
    signals,
    () => unhandled++,
  )
  return { clock, signals, statuses, exited: exited.promise, unhandled: () => unhandled }
}

const never = () => new Promise<void>(() => {})

describe('stopping', () => {
  test.each(['SIGTERM', 'SIGINT'])(
    'on %s runs the steps in order, then exits with 0',
    async (signal) => {
      const order: string[] = []
      const { signals, exited } = lifecycle([
        { name: 'a', withinMs: 1000, run: () => void order.push('a') },
        { name: 'b', withinMs: 1000, run: async () => void order.push('b') },
      ])
      signals.emit(signal)
      expect(await exited).toBe(0)
      expect(order).toEqual(['a', 'b'])
    },
  )

  test('does not happen on SIGHUP', async () => {
    const { signals, statuses, exited } = lifecycle([])
    expect(signals.emit('SIGHUP')).toBe(true)
    signals.emit('SIGTERM')
    expect(await exited).toBe(0)
    expect(statuses).toEqual([0])
  })

  test('continues when a step fails or hangs, with an exit status', async () => {
    const order: string[] = []
    const { signals, exited } = lifecycle([
      { name: 'hangs', withinMs: 5, run: never },
      {
        name: 'throws',
        withinMs: 1000,
        run: () => {
          throw new Error('no')
        },
      },
      { name: 'last', withinMs: 1000, run: () => void order.push('last') },
    ])
    signals.emit('SIGTERM')
    expect(await exited).toBe(1)
    expect(order).toEqual(['last'])
  })

  test('ends immediately on a second signal, except a repetition of the first', () => {
    const { clock, signals, statuses } = lifecycle([
      { name: 'hangs', withinMs: 60_000, run: never },
    ])
    signals.emit('SIGINT')
    clock.ms = 100
    signals.emit('SIGINT')
    expect(statuses).toEqual([])
    clock.ms = 1_000
    signals.emit('SIGTERM')
    expect(statuses).toEqual([1])
  })

  test('follows an uncaught exception, but not an unhandled rejection', async () => {
    const { signals, exited, statuses, unhandled } = lifecycle([])
    signals.emit('unhandledRejection', new Error('forgotten'))
    expect(statuses).toEqual([])
    signals.emit('uncaughtException', new Error('thrown'))
    expect(await exited).toBe(1)
    expect(unhandled()).toBe(2)
  })
})
