import { afterEach, beforeEach, expect, test } from 'bun:test'
import { eventually } from '../../../test/harness/eventually.ts'
import { createCursors } from '../../http/cursor.ts'
import { createTestApi, type TestApi } from '../../http/testing/api.ts'
import { createIds } from '../../lib/base/ids.ts'
import { systemRandom } from '../../lib/base/random.ts'
import { createMemoryLimiter } from '../../platform/limits/index.ts'
import { COMMAND_LINE } from '../audit/index.ts'
import { createJobService, type JobRun, type JobService, Postponed } from './index.ts'
import { permitting } from './testing/caller-of.ts'

/** As many jobs run in a process. */
const PLACES = 4
/** A job keeps its place for so long while others wait. */
const TURN_MS = 15_000

let site: TestApi
const services: JobService[] = []

beforeEach(async () => {
  site = await createTestApi()
  const nos = Array.from({ length: PLACES + 2 }, (_, n) => n + 1)
  await site.storage.write((tx) =>
    tx.db
      .insertInto('workspaces')
      .values(
        nos.map((no) => ({
          no,
          id: `wsp_${no}`,
          name: `W${no}`,
          name_key: `w${no}`,
          plan_id: 'free',
          language: null,
          created_at: site.clock.ms,
        })),
      )
      .execute(),
  )
})

afterEach(async () => {
  await Promise.all(services.splice(0).map((each) => each.stop()))
  await site.close()
})

function processOf(nodeId: string): JobService {
  const { clock, storage } = site
  const jobs = createJobService({
    storage,
    clock,
    nodeId,
    cursors: createCursors('secret'),
    ids: createIds(clock, systemRandom),
    logger: { warn() {}, error: console.error },
    callerOf: permitting({}),
    limiter: createMemoryLimiter(),
  })
  services.push(jobs)
  return jobs
}

const as = (no: number) => ({ workspace: { no }, actor: COMMAND_LINE })

const add = (jobs: JobService, no: number, type: string) =>
  site.storage.write((tx) => jobs.enqueue(tx, as(no), { type, input: {} }), { workspaceNo: no })

const finished = (jobs: JobService, no: number, id: string) =>
  eventually('the job is finished', async () => {
    const row = await jobs.get(as(no), id)
    return row.finished_at === null ? undefined : row
  })

/** Registers jobs that never end, and note each of their steps. */
function registerEndless(jobs: JobService, steps: number[]): void {
  jobs.register('endless', async ({ job, signal, checkpoint }: JobRun<object, number>) => {
    for (let n = job.state ?? 0; ; n++) {
      signal.throwIfAborted()
      await site.storage.write((tx) => checkpoint(tx, { state: n + 1 }))
      steps.push(job.workspaceNo)
      await new Promise((done) => setTimeout(done, 5))
    }
  })
  jobs.register('short', async () => null)
}

const isRunning = (steps: number[], no: number) =>
  eventually(`the job of ${no} runs`, async () => (steps.includes(no) ? true : undefined))

test('endless jobs of other workspaces give up their places in turn, and go on', async () => {
  const jobs = processOf('a')
  const steps: number[] = []
  registerEndless(jobs, steps)
  jobs.start()
  for (let no = 1; no <= PLACES; no++) await add(jobs, no, 'endless')
  for (let no = 1; no <= PLACES; no++) await isRunning(steps, no)
  for (const no of [PLACES + 1, PLACES + 2]) {
    const { id } = await add(jobs, no, 'short')
    site.clock.ms += TURN_MS
    expect((await finished(jobs, no, id)).status).toBe('succeeded')
  }
  steps.length = 0
  for (let no = 1; no <= PLACES; no++) await isRunning(steps, no)
})

test('jobs that ask other services leave a place to others, though these never answer', async () => {
  const jobs = processOf('a')
  const asked = new Set<number>()
  jobs.register(
    'asking',
    async ({ job, signal }) => {
      asked.add(job.workspaceNo)
      await new Promise((_, reject) =>
        signal.addEventListener('abort', () => reject(signal.reason)),
      )
      return null
    },
    { asksOthers: true },
  )
  jobs.register('short', async () => null)
  jobs.start()
  for (let no = 1; no <= PLACES; no++) await add(jobs, no, 'asking')
  await eventually('all places for them are taken', async () => {
    return asked.size >= PLACES - 1 ? true : undefined
  })
  const { id } = await add(jobs, PLACES + 1, 'short')
  expect((await finished(jobs, PLACES + 1, id)).status).toBe('succeeded')
  expect(asked.size).toBe(PLACES - 1)
})

test('a workspace with many jobs waits behind one that had no turn yet', async () => {
  const jobs = processOf('a')
  const steps: number[] = []
  registerEndless(jobs, steps)
  for (let no = 1; no < PLACES; no++) await add(jobs, no, 'endless')
  const order: number[] = []
  const gate = Promise.withResolvers<void>()
  jobs.register('noted', async ({ job }: JobRun) => {
    order.push(job.workspaceNo)
    if (order.length === 1) await gate.promise
    return null
  })
  for (let n = 0; n < 3; n++) await add(jobs, PLACES, 'noted')
  jobs.start()
  await eventually('the first runs', async () => (order.length === 1 ? true : undefined))
  site.clock.ms += 1
  const { id } = await add(jobs, PLACES + 1, 'noted')
  site.clock.ms += 1
  gate.resolve()
  await finished(jobs, PLACES + 1, id)
  // Its second job may be next, because it was put behind at the start of the first.
  expect(order.indexOf(PLACES + 1)).toBeLessThanOrEqual(2)
})

test('a postponed job frees its place, stays before later ones of its workspace, and goes on', async () => {
  const jobs = processOf('a')
  const runs: unknown[] = []
  jobs.register('waiting', async ({ job: { state } }: JobRun<object, number>) => {
    runs.push(state)
    if (state === null) throw new Postponed(60_000, 1)
    return { state }
  })
  registerEndless(jobs, [])
  const first = await add(jobs, 1, 'waiting')
  const second = await add(jobs, 1, 'short')
  jobs.start()
  const parked = await eventually('it waits', async () => {
    const row = await jobs.get(as(1), first.id)
    return row.state === null ? undefined : row
  })
  expect(parked).toMatchObject({
    status: 'running',
    lease_owner: null,
    attempts: 0,
    lease_until: site.clock.ms + 60_000,
  })
  // Others' jobs run, and the queue is searched.
  const other = await add(jobs, 2, 'short')
  await finished(jobs, 2, other.id)
  expect((await jobs.get(as(1), second.id)).status).toBe('queued')
  site.clock.ms += 60_000
  expect(await finished(jobs, 1, first.id)).toMatchObject({ result: '{"state":1}' })
  await finished(jobs, 1, second.id)
  expect(runs).toEqual([null, 1])
})

test('a job that waits in its place gives it up when another workspace needs it, and goes on', async () => {
  const jobs = processOf('a')
  const waited: unknown[] = []
  jobs.register('waiting', async ({ job, wait }: JobRun<object, number>) => {
    waited.push(job.state)
    if (job.state === null) await wait(60_000, 1)
    return {}
  })
  registerEndless(jobs, [])
  const ids: string[] = []
  for (let no = 1; no <= PLACES; no++) ids.push((await add(jobs, no, 'waiting')).id)
  jobs.start()
  await eventually('all wait', async () => (waited.length === PLACES ? true : undefined))
  // No time passes.
  const other = await add(jobs, PLACES + 1, 'short')
  expect((await finished(jobs, PLACES + 1, other.id)).status).toBe('succeeded')
  const rows = await Promise.all(ids.map((id, n) => jobs.get(as(n + 1), id)))
  const left = rows.filter(({ state }) => state === '1')
  expect(left.map(({ lease_owner, attempts }) => ({ lease_owner, attempts }))).toEqual([
    { lease_owner: null, attempts: 0 },
  ])
  expect(left[0]?.lease_until).toBe(site.clock.ms + 60_000)
  site.clock.ms += 60_000
  const [index] = rows.flatMap(({ state }, n) => (state === '1' ? n : []))
  await finished(jobs, Number(index) + 1, String(left[0]?.id))
})

test('a job that waits in its place can be cancelled', async () => {
  const jobs = processOf('a')
  const ends: unknown[] = []
  jobs.register('waiting', async ({ wait, signal }: JobRun) => {
    await wait(600_000, 1).catch((error) => {
      ends.push(signal.aborted)
      throw error
    })
    return {}
  })
  const { id } = await add(jobs, 1, 'waiting')
  jobs.start()
  await eventually('it runs', async () =>
    (await jobs.get(as(1), id)).status === 'running' ? true : undefined,
  )
  await site.storage.write((tx) => jobs.cancel(tx, as(1), id))
  await eventually('it has noticed', async () => (ends.length > 0 ? true : undefined))
  expect([ends, (await jobs.get(as(1), id)).status]).toEqual([[true], 'cancelled'])
})

test('a postponed job can be cancelled', async () => {
  const jobs = processOf('a')
  let runs = 0
  jobs.register('waiting', async () => {
    runs++
    throw new Postponed(1_000, {})
  })
  const { id } = await add(jobs, 1, 'waiting')
  jobs.start()
  await eventually('it waits', async () =>
    (await jobs.get(as(1), id)).state === null ? undefined : true,
  )
  await site.storage.write((tx) => jobs.cancel(tx, as(1), id))
  site.clock.ms += 2_000
  registerEndless(jobs, [])
  const other = await add(jobs, 1, 'short')
  await finished(jobs, 1, other.id)
  expect([runs, (await jobs.get(as(1), id)).status]).toEqual([1, 'cancelled'])
})

test('of several processes, one workspace has at most one place', async () => {
  const all = ['a', 'b', 'c'].map(processOf)
  let now = 0
  let most = 0
  for (const jobs of all) {
    jobs.register('counted', async () => {
      most = Math.max(most, ++now)
      await new Promise((done) => setTimeout(done, 20))
      now--
      return null
    })
  }
  const [first] = all as [JobService]
  const rows = await Promise.all(Array.from({ length: 10 }, () => add(first, 1, 'counted')))
  for (const jobs of all) jobs.start()
  for (const { id } of rows) await finished(first, 1, id)
  expect(most).toBe(1)
})

test('a workspace has a limited number of unfinished jobs, however they are requested', async () => {
  const jobs = processOf('a')
  const ends = await Promise.allSettled(Array.from({ length: 25 }, () => add(jobs, 1, 'short')))
  const refused = ends.flatMap((end) => (end.status === 'rejected' ? end.reason.code : []))
  expect(refused).toEqual(Array(5).fill('TOO_MANY_JOBS'))
  await add(jobs, 2, 'short')
  const [first] = ends.flatMap((end) => (end.status === 'fulfilled' ? end.value.id : []))
  await site.storage.write((tx) => jobs.cancel(tx, as(1), String(first)))
  await add(jobs, 1, 'short')
})
