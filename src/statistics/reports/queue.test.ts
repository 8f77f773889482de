import { expect, test } from 'bun:test'
import { dialect } from '../engine/duckdb/dialect.ts'
import type { Engine } from '../engine/types.ts'
import { DAY_MS } from '../intervals.ts'
import { type Selection, StatisticsUnavailable } from '../types.ts'
import { createReports } from './index.ts'
import { totalsOf } from './testing/world.ts'

/** An engine whose queries end on demand. */
function createHeldEngine() {
  const queries: { finish(): void; signal: AbortSignal | undefined }[] = []
  const engine: Engine = {
    dialect,
    query(sql, _values, signal) {
      // No day is summed.
      if (sql.startsWith('SELECT day ')) return Promise.resolve([])
      const { promise, resolve, reject } = Promise.withResolvers<unknown[][]>()
      signal?.addEventListener('abort', () => reject(signal.reason))
      queries.push({ signal, finish: () => resolve([[1, queries.length, 0, 0]]) })
      return promise
    },
    async *pages() {},
  }
  return { engine, queries }
}

const selection = (days: number, linkSeq: number | null = null): Selection => ({
  workspaceNo: 1,
  linkSeq,
  linkSeqs: null,
  from: 1_000 * DAY_MS,
  to: (1_000 + days) * DAY_MS,
  filters: [],
  bots: 'exclude',
  offsets: [],
})

/** Runs everything that waits for nothing else. */
async function settle(): Promise<void> {
  for (let i = 0; i < 5; i++) await new Promise<void>((resolve) => setImmediate(resolve))
}

test('heavy questions run one at a time, while others run', async () => {
  const { engine, queries } = createHeldEngine()
  const reports = createReports(engine)
  const first = totalsOf(reports, selection(365))
  const second = totalsOf(reports, selection(94))
  await settle()
  expect(queries).toHaveLength(1)
  const others = [totalsOf(reports, selection(93)), totalsOf(reports, selection(365, 7))]
  await settle()
  expect(queries).toHaveLength(3)
  for (const query of queries) query.finish()
  await Promise.all([first, ...others])
  await settle()
  expect(queries).toHaveLength(4)
  queries[3]?.finish()
  await second
})

test('a heavy question that takes too long is unavailable, and its query is cancelled', async () => {
  const { engine, queries } = createHeldEngine()
  const reports = createReports(engine, undefined, 20)
  const both = [totalsOf(reports, selection(365)), totalsOf(reports, selection(366))]
  const ends = await Promise.allSettled(both)
  for (const end of ends) {
    expect(end).toMatchObject({ status: 'rejected', reason: expect.any(StatisticsUnavailable) })
  }
  expect(queries.map(({ signal }) => signal?.aborted)).not.toContain(false)
})

test('a caller who disconnects leaves the queue, and the next one still waits for the running query', async () => {
  const { engine, queries } = createHeldEngine()
  const reports = createReports(engine)
  const running = totalsOf(reports, selection(365))
  const abort = new AbortController()
  const leaving = totalsOf(reports.until(abort.signal), selection(366))
  const next = totalsOf(reports, selection(367))
  await settle()
  abort.abort(new Error('gone'))
  await expect(leaving).rejects.toThrow('gone')
  await settle()
  expect(queries).toHaveLength(1)
  queries[0]?.finish()
  await running
  await settle()
  expect(queries).toHaveLength(2)
  queries[1]?.finish()
  await next
})

test('identical questions that run are one, until all who asked have left', async () => {
  const { engine, queries } = createHeldEngine()
  const reports = createReports(engine)
  const leaving = [new AbortController(), new AbortController()]
  const both = leaving.map(({ signal }) => totalsOf(reports.until(signal), selection(30)))
  await settle()
  expect(queries).toHaveLength(1)
  leaving[0]?.abort(new Error('gone'))
  await expect(both[0]).rejects.toThrow('gone')
  expect(queries[0]?.signal?.aborted).toBe(false)
  const third = totalsOf(reports, selection(30))
  queries[0]?.finish()
  expect(await third).toEqual(await (both[1] as (typeof both)[0]))
  // An answer isn't kept.
  const later = [new AbortController()].map((left) => {
    const asked = totalsOf(reports.until(left.signal), selection(30))
    return { left, asked }
  })[0] as { left: AbortController; asked: Promise<unknown> }
  await settle()
  expect(queries).toHaveLength(2)
  later.left.abort(new Error('gone'))
  await expect(later.asked).rejects.toThrow('gone')
  expect(queries[1]?.signal?.aborted).toBe(true)
})

test('workspaces take turns with heavy questions', async () => {
  const { engine, queries } = createHeldEngine()
  const reports = createReports(engine)
  const ended: string[] = []
  const ask = (name: string, asked: Selection) =>
    totalsOf(reports, asked).then(() => ended.push(name))
  const other = { ...selection(365), workspaceNo: 2 }
  const all = [ask('a1', selection(365)), ask('a2', selection(366)), ask('a3', selection(367))]
  await settle()
  all.push(ask('b', other))
  for (let i = 0; i < 4; i++) {
    await settle()
    queries[i]?.finish()
  }
  await Promise.all(all)
  expect(ended).toEqual(['a1', 'b', 'a2', 'a3'])
})

test('waiting does not shorten the time for the answer', async () => {
  const { engine, queries } = createHeldEngine()
  const reports = createReports(engine, undefined, 400)
  const first = totalsOf(reports, selection(365))
  const second = totalsOf(reports, selection(366))
  await Bun.sleep(250)
  queries[0]?.finish()
  await first
  await Bun.sleep(250)
  queries[1]?.finish()
  await second
})
