import { expect, test } from 'bun:test'
import { createMemory } from './memory.ts'

/** Says when memory is being given back, which takes until `done`. */
function database() {
  const begun = Promise.withResolvers<void>()
  const done = Promise.withResolvers<void>()
  let times = 0
  const releaseMemory = async () => {
    times++
    begun.resolve()
    await done.promise
  }
  return { releaseMemory, begun: begun.promise, done: done.resolve, times: () => times }
}

test('memory is given back after a report that took much, and the next one waits for it', async () => {
  const { releaseMemory, begun, done } = database()
  const { use } = createMemory({ releaseMemory }, 0)
  expect(await use(async () => 'large')).toBe('large')
  await begun
  let isMade = false
  const next = use(async () => {
    isMade = true
    return 'next'
  })
  await new Promise<void>((turn) => setImmediate(turn))
  expect(isMade).toBe(false)
  done()
  expect(await next).toBe('next')
})

test('it isn’t while another report is made, nor after a small one', async () => {
  const { releaseMemory, done, times } = database()
  done()
  const { use } = createMemory({ releaseMemory }, 0)
  const end = Promise.withResolvers<void>()
  const long = use(() => end.promise)
  await use(async () => {})
  await use(async () => {})
  expect(times()).toBe(0)
  end.resolve()
  await long
  await use(async () => {})
  expect(times()).toBe(1)

  const { use: useLittle } = createMemory({ releaseMemory }, Number.POSITIVE_INFINITY)
  await useLittle(async () => {})
  expect(times()).toBe(1)
})

test('a report that fails gives its memory back, too, and one after memory that couldn’t be is made', async () => {
  let times = 0
  const releaseMemory = async () => {
    times++
    throw new Error('in use')
  }
  const { use } = createMemory({ releaseMemory }, 0)
  await expect(use(() => Promise.reject(new Error('no')))).rejects.toThrow('no')
  expect(await use(async () => 'made')).toBe('made')
  expect(times).toBe(1)
})
