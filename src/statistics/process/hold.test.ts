import { expect, test } from 'bun:test'
import { createHold } from './hold.ts'

/** Whether it is resolved by now. */
async function isDone(promise: Promise<unknown>): Promise<boolean> {
  const turn = new Promise((resolve) => setImmediate(resolve, 'later'))
  return (await Promise.race([promise, turn])) !== 'later'
}

test('nothing is written while somebody holds, until they leave', async () => {
  const { writing, hold } = createHold()
  const first = Promise.withResolvers<string>()
  const written = writing(() => first.promise)
  const reader = hold().getReader()
  const held = reader.read()
  expect(await isDone(held)).toBe(false)
  first.resolve('first')
  expect(await written).toBe('first')
  expect(new TextDecoder().decode((await held).value)).toBe('held\n')
  const next = writing(async () => 'next')
  expect(await isDone(next)).toBe(false)
  await reader.cancel()
  expect(await next).toBe('next')
})

test('whoever fails holds up nobody, and two may hold one after another', async () => {
  const { writing, hold } = createHold()
  const failing = writing(() => Promise.reject(new Error('full')))
  expect(failing).rejects.toThrow('full')
  const [a, b] = [hold().getReader(), hold().getReader()]
  await a.read()
  const second = b.read()
  expect(await isDone(second)).toBe(false)
  await a.cancel()
  expect((await second).done).toBe(false)
  await b.cancel()
})
