import { describe, expect, test } from 'bun:test'
import { AppError } from '../../lib/errors/index.ts'
import { createHashQueue, createWorkQueue } from './work-queue.ts'

/** Work that ends on demand, and the order in which it began. */
function createWork() {
  const began: string[] = []
  const ends: (() => void)[] = []
  const work = (name: string) => () => {
    began.push(name)
    return new Promise<void>((end) => ends.push(end))
  }
  const finish = async () => {
    for (let end = ends.shift(); end !== undefined; end = ends.shift()) {
      end()
      await Bun.sleep(0)
    }
  }
  return { began, work, finish }
}

describe('the queue of hashes', () => {
  test('runs a limited number concurrently', async () => {
    const queue = createHashQueue(2, 64)
    let running = 0
    let most = 0
    const work = async () => {
      most = Math.max(most, ++running)
      await new Promise((turn) => setImmediate(turn))
      running--
    }
    await Promise.all(Array.from({ length: 50 }, () => queue.run('link', 'a', work)))
    expect(most).toBe(2)
  })

  test('lets groups alternate, and sign-ins go first', async () => {
    const queue = createHashQueue(1, 64)
    const { began, work, finish } = createWork()
    const all = ['a1', 'a2', 'a3', 'b1', 'c1'].map((name) =>
      queue.run('link', name.charAt(0), work(name)),
    )
    all.push(queue.run('signIn', 'd', work('d1')))
    await finish()
    await Promise.all(all)
    expect(began).toEqual(['a1', 'd1', 'a2', 'b1', 'c1', 'a3'])
  })

  test('refuses only the group that has most of the waiting work', async () => {
    const queue = createHashQueue(1, 4)
    const { work, finish } = createWork()
    const refused: string[] = []
    const run = (name: string) =>
      queue.run('link', name.charAt(0), work(name)).catch((error) => {
        expect(error).toBeInstanceOf(AppError)
        expect(error.code).toBe('SERVICE_UNAVAILABLE')
        expect(error.headers['Retry-After']).toBe('2')
        refused.push(name)
      })
    const all = ['a1', 'a2', 'a3', 'a4', 'a5', 'a6', 'b1', 'b2', 'c1', 'd1'].map(run)
    await finish()
    await Promise.all(all)
    expect(refused.sort()).toEqual(['a3', 'a4', 'a5', 'a6', 'b2'])
  })

  test('lets another group go before the one that runs', async () => {
    const queue = createHashQueue(1)
    const { began, work, finish } = createWork()
    const all = ['a1', 'a2', 'b1'].map((name) => queue.run('link', name.charAt(0), work(name)))
    await finish()
    await Promise.all(all)
    expect(began).toEqual(['a1', 'b1', 'a2'])
  })

  test('frees a place when the work fails', async () => {
    const queue = createHashQueue(1, 4)
    const failing = queue.run('link', 'a', () => Promise.reject(new Error('no')))
    await expect(failing).rejects.toThrow('no')
    expect(await queue.run('link', 'a', async () => 1)).toBe(1)
  })
})

test('work whose signal aborts while it waits is not run, and takes no place', async () => {
  const queue = createWorkQueue(1, 1)
  const { began, work, finish } = createWork()
  const { signal, abort } = abortable()
  const running = queue.run(work('first'))
  const leaving = queue.run(work('leaving'), { signal })
  const refused = queue.run(work('refused'))
  await expect(refused).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' })
  abort()
  await expect(leaving).rejects.toThrow('gone')
  await expect(queue.run(work('late'), { signal })).rejects.toThrow('gone')
  const next = queue.run(work('next'))
  await finish()
  await Promise.all([running, next])
  expect(began).toEqual(['first', 'next'])
})

function abortable() {
  const controller = new AbortController()
  return { signal: controller.signal, abort: () => controller.abort(new Error('gone')) }
}
