import { expect, test } from 'bun:test'
import { createDuckDbEngine, type DuckDb } from './index.ts'
import { createWriteLock } from './write-lock.ts'

const OUT_OF_MEMORY = new Error('Out of Memory Error: failed to allocate data of size 32.0 MiB')

/** Engine on connections whose statements end when they are told to. */
function engineWith(exclusively = createWriteLock().writing) {
  const running: { sql: string; end: PromiseWithResolvers<unknown[][]> }[] = []
  const begun: string[] = []
  const connection = {
    run(sql: string) {
      const end = Promise.withResolvers<unknown[][]>()
      begun.push(sql)
      running.push({ sql, end })
      return end.promise
    },
  }
  const database = {
    connect: async () => connection,
    onOneThread: (_: unknown, work: () => Promise<unknown>) => work(),
  } as unknown as DuckDb
  const ended = async (sql: string, how: (end: PromiseWithResolvers<unknown[][]>) => void) => {
    const at = running.findIndex((one) => one.sql === sql)
    how((running.splice(at, 1)[0] as (typeof running)[number]).end)
    await turn()
  }
  return { engine: createDuckDbEngine(database, exclusively), exclusively, begun, ended }
}

const turn = () => new Promise((resolve) => setImmediate(resolve))

test('a query that doesn’t fit beside others runs again alone', async () => {
  const { engine, exclusively, begun, ended } = engineWith()
  const written = Promise.withResolvers<void>()
  const writing = exclusively(() => written.promise)
  const first = engine.query('first', [])
  const second = engine.query('second', [])
  await turn()
  await ended('first', ({ reject }) => reject(OUT_OF_MEMORY))
  const third = engine.query('third', [])
  await turn()
  expect(begun).toEqual(['first', 'second', 'third'])
  // What is written ends first, then the queries beside it.
  written.resolve()
  await writing
  await ended('second', ({ resolve }) => resolve([]))
  const fourth = engine.query('fourth', [])
  await turn()
  expect(begun).toHaveLength(3)
  await ended('third', ({ resolve }) => resolve([]))
  expect(begun.slice(3)).toEqual(['first'])
  await ended('first', ({ resolve }) => resolve([[1]]))
  expect(await first).toEqual([[1]])
  await ended('fourth', ({ resolve }) => resolve([]))
  await Promise.all([second, third, fourth])
})

test('a query that doesn’t fit alone fails, and so does any other error at once', async () => {
  const { engine, begun, ended } = engineWith()
  const large = engine.query('large', []).catch((error: Error) => error.message)
  await turn()
  await ended('large', ({ reject }) => reject(OUT_OF_MEMORY))
  await ended('large', ({ reject }) => reject(OUT_OF_MEMORY))
  expect(await large).toBe(OUT_OF_MEMORY.message)
  const wrong = engine.query('wrong', []).catch((error: Error) => error.message)
  await turn()
  await ended('wrong', ({ reject }) => reject(new Error('Binder Error')))
  expect(await wrong).toBe('Binder Error')
  expect(begun).toEqual(['large', 'large', 'wrong'])
})
