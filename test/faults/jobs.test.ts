// Changes to many links, by a job and by one request, while the process is killed repeatedly.

import { Database } from 'bun:sqlite'
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { join } from 'node:path'
import { eventually } from '../harness/eventually.ts'
import { type Slugline, startSlugline } from '../harness/process.ts'

const KILLS = 5
const BULK = '/api/v1/links/bulk'

let slugline: Slugline
let key: string
beforeAll(async () => {
  slugline = await startSlugline()
  key = (await slugline.createKey()).key
})
afterAll(() => slugline.dispose())

const send = (method: string, path: string, body?: object, headers: Record<string, string> = {}) =>
  slugline.call(method, path, { key, headers, ...(body && { body }) })
const creations = (tag: string, count = 1_000) =>
  Array.from({ length: count }, (_, n) => ({
    op: 'create',
    link: { destination_url: `https://example.com/${tag}/${n}`, tags: [tag] },
  }))
const totalOf = async (query: string) => {
  const answer = await send('GET', `/api/v1/links?limit=1&${query}`)
  return ((await answer.json()) as { pagination: { total: number } }).pagination.total
}
interface Job {
  status: string
  progress: { done: number; total: number; failed: number }
  result: { succeeded: number; failed: number } | null
}
/** Undefined if the process was just killed. */
const jobAt = async (path: string): Promise<Job | undefined> => {
  try {
    return (await (await send('GET', path)).json()) as Job
  } catch {
    return undefined
  }
}

function rows<T>(query: string, ...values: string[]): T[] {
  const db = new Database(join(slugline.dataDir, 'slugline.db'), { readonly: true })
  const found = db.query<T, string[]>(query).all(...values)
  db.close()
  return found
}

test('a repeatedly killed job changes each link once', async () => {
  const count = 4_000
  for (let n = 0; n < count; n += 1_000) {
    await send('POST', BULK, { operations: creations('job') })
  }
  const started = await send('POST', `${BULK}/by-filter`, {
    ...{ filter: { tag: ['job'] }, expected: count, add_tags: ['done'] },
  })
  expect(started.status).toBe(202)
  const path = started.headers.get('location') ?? ''
  let before = 0
  for (let kills = 0; kills < KILLS; kills++) {
    await eventually('the job got further', async () => {
      const done = (await jobAt(path))?.progress.done ?? 0
      if (done <= before) return undefined
      before = done
      return done
    })
    await slugline.kill()
    await slugline.restart()
  }
  const job = await eventually('the job is finished', async () => {
    const seen = await jobAt(path)
    return seen?.status === 'running' || seen?.status === 'queued' ? undefined : seen
  })
  expect(job).toMatchObject({
    ...{ status: 'succeeded', progress: { done: count, total: count, failed: 0 } },
    result: { succeeded: count, failed: 0 },
  })
  expect(await totalOf('tag=done&tag=job')).toBe(count)
  const changes = rows<{ times: number; links: number }>(
    `SELECT times, count(*) AS links FROM (SELECT count(*) AS times FROM audit
      WHERE action = 'link.updated' GROUP BY target_id) GROUP BY times`,
  )
  expect(changes).toEqual([{ times: 1, links: count }])
  expect(rows('SELECT version, count(*) AS links FROM links GROUP BY version')).toEqual([
    { version: 2, links: count },
  ])
}, 600_000)

test('a repeatedly killed bulk request creates all of its links or none, and once', async () => {
  for (let kills = 0; kills < KILLS; kills++) {
    const tag = `round-${kills}`
    const headers = { 'idempotency-key': tag }
    const body = { operations: creations(tag) }
    const sent = send('POST', BULK, body, headers).then(
      async (answer) => (await answer.text()).length,
      () => 0,
    )
    // At a later point each time.
    await Bun.sleep(40 * kills)
    await slugline.kill()
    await sent
    await slugline.restart()
    expect([0, 1_000]).toContain(await totalOf(`tag=${tag}`))
    const again = await send('POST', BULK, body, headers)
    expect(again.status).toBe(200)
    expect(await totalOf(`tag=${tag}`)).toBe(1_000)
  }
  const entries = rows<{ times: number }>(
    `SELECT DISTINCT times FROM (SELECT count(*) AS times FROM audit
      WHERE action = 'link.created' GROUP BY target_id)`,
  )
  expect(entries).toEqual([{ times: 1 }])
}, 600_000)
