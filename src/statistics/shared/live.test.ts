import { afterEach, expect, test } from 'bun:test'
import { SEQS_PER_WORKSPACE } from '../../storage/index.ts'
import { linesOf, type WireClick } from '../process/wire.ts'
import { createBatch } from '../store/batch.ts'
import type { ClickPosition, StoredClick } from '../types.ts'
import { createSharedLive, type SharedLive } from './live.ts'
import { createMemoryBus } from './memory-bus.ts'
import { plainClick } from './testing/plain-click.ts'

const LINK = SEQS_PER_WORKSPACE + 1
let open: SharedLive[] = []
let kept: StoredClick[] = []

afterEach(() => {
  for (const live of open) live.close()
  open = []
  kept = []
})

/** Some nodes on one bus, and what ClickHouse would say. */
function makeNodes(count: number): SharedLive[] {
  const bus = createMemoryBus()
  open = Array.from({ length: count }, () =>
    createSharedLive({
      bus,
      lookAgainMs: 50,
      startMs: 0,
      clicksAfter: async (_, after, limit) =>
        kept
          .filter(({ time, n }) => time > after.time || (time === after.time && n > after.n))
          .sort((a, b) => a.time - b.time || a.n - b.n)
          .slice(0, limit),
    }),
  )
  return open
}

/** A node has stored clicks of these times. */
function stored(live: SharedLive | undefined, nodeNo: number, ...times: number[]): void {
  const batch = createBatch(100)
  for (const time of times) batch.add(plainClick([1, time, LINK, 0, '', '', '', '', '', 0, 'a', 0]))
  const numbers = Float64Array.from(times, (_, i) => nodeNo * 2 ** 32 + i)
  times.forEach((_, at) => {
    kept.push({ ...batch.clickAt(at), n: numbers[at] as number })
  })
  live?.stored(batch, numbers)
}

async function take(body: ReadableStream<Uint8Array>, count: number): Promise<number[]> {
  const times: number[] = []
  for await (const line of linesOf(body)) {
    times.push((JSON.parse(line) as WireClick).time)
    if (times.length === count) break
  }
  return times
}

const after = (time: number): ClickPosition => ({ time, n: 0 })

test('a watcher at one node sees what all nodes store, once', async () => {
  const [a, b, c] = makeNodes(3)
  stored(b, 2, 100, 110)
  const watching = take((a as SharedLive).watch(1, after(100)), 6)
  await Bun.sleep(10)
  stored(a, 1, 120)
  stored(b, 2, 130)
  stored(c, 3, 125, 126)
  expect((await watching).sort()).toEqual([100, 110, 120, 125, 126, 130])
})

test('clicks that another node stores late are seen, though they are older', async () => {
  const [a, b] = makeNodes(2)
  const watching = take((a as SharedLive).watch(1, after(100)), 3)
  await Bun.sleep(80)
  stored(a, 1, 200)
  stored(b, 2, 150, 160)
  expect(await watching).toEqual([200, 150, 160])
})

test('what was stored before the other nodes were told is looked for once more', async () => {
  const [a] = makeNodes(1)
  const watching = take((a as SharedLive).watch(1, after(100)), 1)
  await Bun.sleep(10)
  // By a node that hasn't heard of the watcher.
  stored(undefined, 2, 120)
  expect(await watching).toEqual([120])
})

test('nothing is sent of workspaces that nobody watches, but by a node that is new', () => {
  let sent = 0
  const bus = { ...createMemoryBus(), publish: async () => void sent++ }
  const clicksAfter = async () => []
  const live = createSharedLive({ bus, clicksAfter, startMs: 0 })
  open.push(live)
  stored(live, 1, 100)
  expect(sent).toBe(0)
  // It may not have heard yet who watches.
  const fresh = createSharedLive({ bus, clicksAfter })
  open.push(fresh)
  stored(fresh, 2, 100)
  expect(sent).toBe(1)
})
