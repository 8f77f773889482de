import { expect, test } from 'bun:test'
import { createWriteLock } from './write-lock.ts'

/** Whether it is resolved by now. */
async function isDone(promise: Promise<unknown>): Promise<boolean> {
  const turn = new Promise((resolve) => setImmediate(resolve, 'later'))
  return (await Promise.race([promise, turn])) !== 'later'
}

/** Reads until the lock is held. */
async function untilLocked(reader: {
  read(): Promise<{ value?: Uint8Array | undefined }>
}): Promise<void> {
  for (let line = ''; line !== 'locked\n'; ) {
    line = new TextDecoder().decode((await reader.read()).value)
  }
}

test('nothing is written while the lock is held', async () => {
  const { writing, lock } = createWriteLock()
  const first = Promise.withResolvers<string>()
  const written = writing(() => first.promise)
  const reader = lock().getReader()
  // It responds immediately, and again during a long write.
  for (let line = 0; line < 2; line++) {
    expect(new TextDecoder().decode((await reader.read()).value)).toBe('waiting\n')
  }
  const locked = untilLocked(reader)
  expect(await isDone(locked)).toBe(false)
  first.resolve('first')
  expect(await written).toBe('first')
  await locked
  const next = writing(async () => 'next')
  expect(await isDone(next)).toBe(false)
  await reader.cancel()
  expect(await next).toBe('next')
})

test('failed work doesn’t block, and the lock can be taken twice in a row', async () => {
  const { writing, lock } = createWriteLock()
  const failing = writing(() => Promise.reject(new Error('full')))
  await expect(failing).rejects.toThrow('full')
  const [a, b] = [lock().getReader(), lock().getReader()]
  await untilLocked(a)
  const second = untilLocked(b)
  expect(await isDone(second)).toBe(false)
  await a.cancel()
  await second
  await b.cancel()
})
