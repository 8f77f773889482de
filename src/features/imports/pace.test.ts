import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { eventually } from '../../../test/harness/eventually.ts'
import { createLoopWatch } from '../../../test/harness/loop-watch.ts'
import { createMemoryLimiter } from '../../platform/limits/index.ts'
import { createOutgoing } from '../../platform/outgoing/index.ts'
import { bigLink } from '../links/testing/big-link.ts'
import { startService } from './testing/services.ts'
import { createTestImports, type ShownJob, type TestImports } from './testing/site.ts'

/** 100 a second, so that waits are short. */
const POLICY = { ratePerMinute: 6_000, burst: 10 }

let site: TestImports
let limiter: ReturnType<typeof createMemoryLimiter>
const hashed: string[] = []
const closing: (() => unknown)[] = []
beforeEach(async () => {
  hashed.length = 0
  limiter = createMemoryLimiter()
  const outgoing = createOutgoing({ allowedNetworks: ['127.0.0.0/8'] })
  const hashPassword = async (password: string) => {
    hashed.push(password)
    return `hash of ${password}`
  }
  site = await createTestImports({ limiter, outgoing }, { hashPassword })
  Object.assign(site.limits, {
    requests_per_minute: POLICY.ratePerMinute,
    burst: POLICY.burst,
  })
  closing.push(site.close)
})
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
})

const linkOf = (n: number, password?: string) => ({
  destination_url: 'https://example.org/',
  slug: `s${n}`,
  ...(password !== undefined && { password }),
})
const fileOf = (links: object[]) => links.map((link) => JSON.stringify(link)).join('\n')
const protectedLinks = (count: number) =>
  Array.from({ length: count }, (_, n) => linkOf(n, `a long password ${n}`))
const free = () => limiter.look('1', POLICY, site.clock.ms).remaining
const idOf = async (answer: Response) => ((await answer.clone().json()) as ShownJob).id

/** Waits until so many passwords are hashed, and their links are made. */
const made = (id: string, passwords: number, links = passwords) =>
  eventually(`${passwords} passwords are hashed`, async () => {
    const { progress } = await site.get<ShownJob>(`/api/v1/jobs/${id}`)
    const isThere = hashed.length >= passwords && progress.done >= links
    return isThere ? { hashed: hashed.length, done: progress.done } : undefined
  })

/** The refill of so many requests. */
const pass = (requests: number) => {
  site.clock.ms += (requests * 60_000) / POLICY.ratePerMinute
}

test('each password of an import takes a request of the plan; half of the burst is left', async () => {
  const answer = await site.upload(fileOf(protectedLinks(12)), 'ndjson')
  const id = await idOf(answer)
  expect(await made(id, 5)).toEqual({ hashed: 5, done: 5 })
  expect(free()).toBe(5)
  pass(3)
  expect(await made(id, 8)).toEqual({ hashed: 8, done: 8 })
  // Requests and imports share one allowance.
  pass(4)
  expect(await made(id, 12)).toEqual({ hashed: 12, done: 12 })
  const done = await site.finished(answer)
  expect(done.result).toMatchObject({ created: 12, refused: 0 })
  expect(new Set(hashed).size).toBe(12)
  expect(free()).toBe(5)
})

test('records without a password before one that waits are imported meanwhile', async () => {
  limiter.take('1', POLICY, site.clock.ms, 8)
  const links = [linkOf(1), linkOf(2), linkOf(3, 'a long password'), linkOf(4)]
  const answer = await site.upload(fileOf(links), 'ndjson')
  const id = await idOf(answer)
  expect(await made(id, 0, 2)).toEqual({ hashed: 0, done: 2 })
  pass(4)
  await site.finished(answer)
  expect(hashed).toEqual(['a long password'])
  const rows = await site.rows(id)
  expect(rows.map(({ row, status }) => [row, status])).toEqual(
    [1, 2, 3, 4].map((n) => [n, 'created']),
  )
})

test('one password of many records is hashed once in a step', async () => {
  const links = Array.from({ length: 50 }, (_, n) => linkOf(n, 'the same password'))
  await site.finished(await site.upload(fileOf(links), 'ndjson'))
  expect([hashed.length, free()]).toEqual([1, 9])
})

describe('nothing is hashed, and nothing taken', () => {
  test.each([
    ['in a dry run', 'dry_run=true', 'succeeded'],
    ['in the check for conflicts', 'on_conflict=fail', 'failed'],
    ['for skipped records', 'on_conflict=skip', 'succeeded'],
  ])('%s', async (_, query, status) => {
    await site.links.create({ destination_url: 'https://example.org/', slug: 's0' })
    const links = query.includes('skip') ? protectedLinks(1) : protectedLinks(30)
    const done = await site.finished(await site.upload(fileOf(links), 'ndjson', query))
    expect(done.status).toBe(status)
    expect([hashed, free()]).toEqual([[], 10])
  })
})

test('a service can’t send more passwords than the plan allows, and each of its links is imported once', async () => {
  const links = protectedLinks(12).map(({ slug, password }) => ({
    longUrl: 'https://example.org/',
    shortCode: slug,
    password,
  }))
  const { url, stop } = startService(() => ({
    shortUrls: { data: links, pagination: { pagesCount: 1, totalItems: 12 } },
  }))
  closing.push(stop)
  const body = { source: 'shlink', base_url: url, token: 't' }
  const answer = await site.send('POST', '/api/v1/imports/remote', { body })
  const id = await idOf(answer)
  expect(await made(id, 5)).toEqual({ hashed: 5, done: 5 })
  // Another process goes on within the page.
  await site.restart()
  pass(5)
  expect(await made(id, 10)).toEqual({ hashed: 10, done: 10 })
  pass(2)
  const done = await site.finished(answer)
  expect(done.result).toMatchObject({ created: 12, skipped: 0, refused: 0 })
  expect(hashed).toHaveLength(12)
})

test('a burst of one request is used up by one password at a time', async () => {
  Object.assign(site.limits, { burst: 1 })
  const answer = await site.upload(fileOf(protectedLinks(3)), 'ndjson')
  const id = await idOf(answer)
  for (const count of [1, 2, 3]) {
    expect(await made(id, count)).toEqual({ hashed: count, done: count })
    pass(1)
  }
  expect((await site.finished(answer)).result).toMatchObject({ created: 3 })
})

test('an import into large links takes requests of the plan for what it records, and so does its undo', async () => {
  await site.links.create(bigLink({ slug: 'big' }))
  const titles = Array.from({ length: 100 }, (_, n) => ({ slug: 'big', title: `Title ${n}` }))
  const rows = titles.map((row) => ({ ...row, destination_url: 'https://example.com/big' }))
  const answer = await site.upload(fileOf(rows), 'ndjson', 'on_conflict=update')
  /** Refills the allowance until a job is done. Returns how many requests it has taken. */
  const paid = async (started: Response) => {
    const id = await idOf(started)
    let taken = 5
    await eventually('half of the burst is left', () => (free() === 5 ? true : undefined))
    for (;;) {
      const { status } = await site.get<ShownJob>(`/api/v1/jobs/${id}`)
      if (status !== 'running') return { status, taken: taken - free() + 5 }
      pass(5)
      taken += 5
      await eventually('it has taken them, or has ended', async () => {
        const job = await site.get<ShownJob>(`/api/v1/jobs/${id}`)
        return free() === 5 || job.status !== 'running' ? true : undefined
      })
    }
  }
  const done = await paid(answer)
  // 100 times 85 kB.
  expect(done.status).toBe('succeeded')
  expect(done.taken).toBeGreaterThanOrEqual(32)
  expect(done.taken).toBeLessThanOrEqual(35)
  pass(10)
  const watch = createLoopWatch()
  const undo = await site.send('POST', `/api/v1/imports/${await idOf(answer)}/undo`)
  expect(await paid(undo)).toMatchObject({ status: 'succeeded' })
  // Redirects don't wait for large links and long histories: 17 ms, and 270 or more without pauses.
  expect(watch.stop()).toBeLessThan(250)
}, 120_000)

test('an import of small links takes nothing for what it records', async () => {
  const links = Array.from({ length: 300 }, (_, n) => linkOf(n))
  await site.finished(await site.upload(fileOf(links), 'ndjson'))
  expect(free()).toBe(10)
})
