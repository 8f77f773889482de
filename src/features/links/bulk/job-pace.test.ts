import { afterEach, beforeEach, expect, test } from 'bun:test'
import { eventually } from '../../../../test/harness/eventually.ts'
import { createCursors } from '../../../http/cursor.ts'
import { createIds } from '../../../lib/base/ids.ts'
import { systemRandom } from '../../../lib/base/random.ts'
import { createMemoryLimiter } from '../../../platform/limits/index.ts'
import { rehearse } from '../../../platform/storage/index.ts'
import { COMMAND_LINE } from '../../audit/index.ts'
import { createJobService, type JobService } from '../../jobs/index.ts'
import { permitting } from '../../jobs/testing/caller-of.ts'
import type { LinkWriter } from '../context.ts'
import { bigLink } from '../testing/big-link.ts'
import { createTestLinks, type TestLinks } from '../testing/links.ts'
import { createFilterJobs, type FilterJobs } from './job.ts'

/** 100 a second, so that waits are short. */
const POLICY = { ratePerMinute: 6_000, burst: 20 }
/** What is left to requests. */
const HALF = POLICY.burst / 2
const LIMITS = {
  links: null,
  addresses: null,
  requests_per_minute: POLICY.ratePerMinute,
  burst: POLICY.burst,
}
const callerIn = (no: number): LinkWriter => ({
  workspace: { no, plan: { limits: LIMITS } },
  actor: COMMAND_LINE,
})

let links: TestLinks
let jobs: JobService
let filterJobs: FilterJobs
let limiter: ReturnType<typeof createMemoryLimiter>
beforeEach(async () => {
  links = await createTestLinks()
  limiter = createMemoryLimiter()
  start()
})
afterEach(async () => {
  await jobs.stop()
  await links.close()
})

/** The jobs of a process. */
function start(): void {
  const { storage, clock, service } = links
  jobs = createJobService({
    storage,
    clock,
    ids: createIds(clock, systemRandom),
    cursors: createCursors('secret'),
    logger: { warn() {}, error: (fields) => console.error(fields) },
    callerOf: permitting(LIMITS),
    limiter,
  })
  filterJobs = createFilterJobs({ links: service, jobs })
  jobs.start()
}

const free = (no = 1) => limiter.look(String(no), POLICY, links.clock.ms).remaining
/** The refill of so many requests. */
const pass = (requests: number) => {
  links.clock.ms += (requests * 60_000) / POLICY.ratePerMinute
}

/** Starts a job that changes the titles of all links. */
async function retitle(title: string, no = 1): Promise<string> {
  const caller = callerIn(no)
  const { total } = await links.service.countFound(caller, {})
  const found = await filterJobs.count(caller, {}, total)
  const asked = { filter: {}, change: { patch: { title } } }
  const row = await links.storage.write((tx) => filterJobs.enqueue(tx, caller, found, asked), {
    workspaceNo: no,
  })
  return row.id
}

/** Waits for the end of a job, while requests are refilled. */
const finished = (id: string, no = 1) =>
  eventually('the job has finished', async () => {
    const { status, done } = await jobs.get(callerIn(no), id)
    if (status !== 'queued' && status !== 'running') return { status, done }
    pass(HALF)
    return undefined
  })
const changed = (id: string, count: number) =>
  eventually(`${count} links are changed`, async () => {
    const { done } = await jobs.get(callerIn(1), id)
    return done >= count ? done : undefined
  })
/** Waits until the job has taken what it may: half of the burst is left. */
const taken = () =>
  eventually('half of the burst is left', async () => (free() === HALF ? true : undefined))
/** Refills so many requests, and waits until the job has taken them. */
async function pay(requests: number): Promise<void> {
  for (let left = requests; left > 0; left -= HALF) {
    pass(Math.min(left, HALF))
    await taken()
  }
}

async function createBig(count: number): Promise<void> {
  for (let n = 0; n < count; n++) await links.create({ ...bigLink(), slug: `big-${n}` })
}

/** How many requests the changes so far cost. */
async function recorded(): Promise<number> {
  const rows = await links.storage.read.db
    .selectFrom('audit')
    .select(['before', 'after', 'object'])
    .where('action', '=', 'link.updated')
    .execute()
  const bytes = rows.map((row) => Buffer.byteLength(row.before + row.after + row.object))
  return Math.floor(bytes.reduce((sum, each) => sum + each, 0) / (256 * 1_024))
}

test('a change of large links takes from the rate limit what it records, and leaves half of the burst', async () => {
  await createBig(120)
  const id = await retitle('New')
  await changed(id, 100)
  const owed = await recorded()
  expect(owed).toBeGreaterThan(25)
  await taken()
  await pay(owed - HALF - 1)
  expect((await jobs.get(callerIn(1), id)).done).toBe(100)
  // The last one that it owes.
  await pay(1)
  await changed(id, 120)
  // It is only done when the last step is paid for, too.
  expect((await jobs.get(callerIn(1), id)).status).toBe('running')
  expect(await finished(id)).toEqual({ status: 'succeeded', done: 120 })
}, 120_000)

test('jobs of others go on while one waits', async () => {
  await createBig(50)
  const id = await retitle('New')
  await changed(id, 50)
  await taken()
  await links.create({ destination_url: 'https://example.com/' }, 2)
  const theirs = await retitle('Theirs', 2)
  await eventually('it has finished', async () =>
    (await jobs.get(callerIn(2), theirs)).status === 'succeeded' ? true : undefined,
  )
  expect((await jobs.get(callerIn(1), id)).status).toBe('running')
}, 120_000)

test('another process goes on with what is owed', async () => {
  await createBig(110)
  const id = await retitle('New')
  await changed(id, 100)
  await taken()
  await jobs.stop()
  pass(POLICY.burst)
  expect(free()).toBe(POLICY.burst)
  start()
  await taken()
  expect((await jobs.get(callerIn(1), id)).done).toBe(100)
  expect((await finished(id)).status).toBe('succeeded')
}, 120_000)

test('its undo is paid for in the same way', async () => {
  await createBig(40)
  const id = await retitle('New')
  await finished(id)
  pass(POLICY.burst)
  expect(free()).toBe(POLICY.burst)
  const { id: undo } = await links.storage.write((tx) => filterJobs.undo(tx, callerIn(1), id), {
    workspaceNo: 1,
  })
  await taken()
  expect(await finished(undo)).toEqual({ status: 'succeeded', done: 40 })
}, 120_000)

test('a trial of a change ends after 16 MiB', async () => {
  await createBig(220)
  const caller = callerIn(1)
  const found = await links.service.countFound(caller, {})
  const seqs = await links.service.nextFound(caller, {}, found, 1_000)
  expect(seqs).toHaveLength(220)
  const asked = { filter: {}, change: { patch: { title: 'New' } } }
  const { succeeded } = await rehearse(
    links.storage,
    (tx) => links.service.tryFound(tx, caller, asked, seqs),
    { workspaceNo: 1 },
  )
  expect(succeeded).toBeGreaterThan(180)
  expect(succeeded).toBeLessThan(220)
}, 120_000)

test('small links cost nothing', async () => {
  for (let n = 0; n < 120; n++) {
    await links.create({ destination_url: 'https://example.com/', notes: 'n'.repeat(500) })
  }
  expect(await finished(await retitle('New'))).toEqual({ status: 'succeeded', done: 120 })
  expect(free()).toBe(POLICY.burst)
})
