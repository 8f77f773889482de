import { expect, test } from 'bun:test'
import { createWriteLock } from './write-lock.ts'

/** Whether it is resolved by now. */
async function isDone(promise: Promise<unknown>): Promise<boolean> {
  const turn = new Promise((resolve) => setImmediate(resolve, 'later'))
  return (await Promise.race([promise, turn])) !== 'later'
}

test('nothing is written while the lock is held', async () => {
  const { writing, lock } = createWriteLock()
  const first = Promise.withResolvers<string>()
  const written = writing(() => first.promise)
  const reader = lock().getReader()
  const locked = reader.read()
  expect(await isDone(locked)).toBe(false)
  first.resolve('first')
  expect(await written).toBe('first')
  expect(new TextDecoder().decode((await locked).value)).toBe('locked\n')
  const next = writing(async () => 'next')
  expect(await isDone(next)).toBe(false)
  await reader.cancel()
  expect(await next).toBe('next')
})

test('work that fails holds up nothing, and two may have the lock one after the other', async () => {
  const { writing, lock } = createWriteLock()
  const failing = writing(() => Promise.reject(new Error('full')))
  expect(failing).rejects.toThrow('full')
  const [a, b] = [lock().getReader(), lock().getReader()]
  await a.read()
  const second = b.read()
  expect(await isDone(second)).toBe(false)
  await a.cancel()
  expect((await second).done).toBe(false)
  await b.cancel()
})
