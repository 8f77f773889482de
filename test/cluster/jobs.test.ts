// Jobs of several nodes: if the node that runs one is killed, another node continues it.

import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { startCluster, type TestCluster } from '../harness/cluster.ts'
import { eventually } from '../harness/eventually.ts'
import { postgresMissing } from '../harness/postgres.ts'
import type { Slugline } from '../harness/process.ts'
import { redisMissing } from '../harness/redis.ts'

const missing = postgresMissing ?? redisMissing
const suite = missing === undefined ? describe : describe.skip
const LINKS = 1_000
const RECORDS = 1_200
/** A dead node's job is taken over within this time. */
const TAKEN_OVER_WITHIN_MS = 30_000

interface Job {
  id: string
  status: string
  progress: { done: number }
  result: object | null
}

suite(`jobs of several nodes${missing ? ` (${missing})` : ''}`, () => {
  let cluster: TestCluster
  beforeAll(async () => {
    cluster = await startCluster({ nodes: 2 })
  }, 300_000)
  afterAll(() => cluster.dispose())

  const rows = (query: string) => cluster.postgres.admin(query, cluster.database)
  const send = (node: Slugline, method: string, path: string, body?: object) =>
    node.call(method, path, { key: cluster.key, ...(body && { body }) })

  /** A job whose node is killed after its first steps; and a surviving node. */
  async function killedMeanwhile(started: Response): Promise<{ job: Job; node: Slugline }> {
    expect(started.status).toBe(202)
    const path = started.headers.get('location') as string
    const id = path.split('/').at(-1)
    const ownerNow = async () => {
      const [row] = await rows(`SELECT lease_owner FROM jobs WHERE id = '${id}'`)
      return row?.lease_owner as string | null
    }
    const owner = await eventually(
      'a node has the job',
      async () => (await ownerNow()) ?? undefined,
    )
    const isIt = ({ dataDir }: Slugline) =>
      readFileSync(join(dataDir, 'node'), 'utf8').includes(owner)
    const killed = cluster.nodes.find(isIt) as Slugline
    const node = cluster.nodes.find((each) => !isIt(each)) as Slugline
    const jobNow = async () => (await (await send(node, 'GET', path)).json()) as Job
    await eventually(
      'it got further',
      async () => ((await jobNow()).progress.done > 0 ? true : undefined),
      300_000,
    )
    await killed.kill()
    const killedAt = performance.now()
    expect((await jobNow()).status).toBe('running')
    await eventually('another node has it', async () =>
      (await ownerNow()) === owner ? undefined : true,
    )
    expect(performance.now() - killedAt).toBeLessThan(TAKEN_OVER_WITHIN_MS)
    const job = await eventually(
      'it is finished',
      async () => {
        const seen = await jobNow()
        return seen.status === 'running' ? undefined : seen
      },
      300_000,
    )
    await killed.restart()
    return { job, node }
  }

  test('another node continues the job of a dead one, and changes each link once', async () => {
    const [first] = cluster.nodes as [Slugline]
    for (let n = 0; n < LINKS; n += 500) {
      const link = { destination_url: 'https://example.com/', tags: ['many'] }
      const operations = Array.from({ length: 500 }, () => ({ op: 'create', link }))
      const answer = await send(first, 'POST', '/api/v1/links/bulk', { operations })
      expect(answer.status).toBe(200)
    }
    const started = await send(first, 'POST', '/api/v1/links/bulk/by-filter', {
      ...{ filter: { tag: ['many'] }, expected: LINKS, patch: { title: 'Changed' } },
    })
    const { job } = await killedMeanwhile(started)
    expect(job).toMatchObject({ status: 'succeeded', result: { succeeded: LINKS, failed: 0 } })
    const changes = await rows(
      `SELECT times::int, count(*)::int AS links FROM (SELECT count(*) AS times FROM audit
        WHERE action = 'link.updated' GROUP BY target_id) a GROUP BY times`,
    )
    expect(changes).toEqual([{ times: 1, links: LINKS }])
  }, 600_000)

  test('also an import: each record becomes one link, and all are undone', async () => {
    const [first] = cluster.nodes as [Slugline]
    const lines = Array.from(
      { length: RECORDS },
      (_, n) => `https://example.com/${n},imported-${n}\n`,
    )
    const started = await fetch(`${first.url}/api/v1/imports`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${cluster.key}`, 'Content-Type': 'text/csv' },
      body: `destination_url,slug\n${lines.join('')}`,
    })
    const { job, node } = await killedMeanwhile(started)
    expect(job).toMatchObject({
      ...{ status: 'succeeded', progress: { done: RECORDS, total: RECORDS, failed: 0 } },
      result: { created: RECORDS, updated: 0, skipped: 0, refused: 0 },
    })
    const imported = `(SELECT id FROM links WHERE slug LIKE 'imported-%')`
    const whole = await rows(
      `SELECT (SELECT count(*)::int FROM ${imported} l) AS links,
        (SELECT count(*)::int FROM audit WHERE action = 'link.created' AND target_id IN ${imported}) AS entries,
        (SELECT count(DISTINCT (n, link_id))::int FROM import_rows WHERE job_id = '${job.id}'
          AND status = 'created' AND n BETWEEN 1 AND ${RECORDS} AND link_id IN ${imported}) AS rows`,
    )
    expect(whole).toEqual([{ links: RECORDS, entries: RECORDS, rows: RECORDS }])

    const undoing = await send(node, 'POST', `/api/v1/imports/${job.id}/undo`)
    const path = undoing.headers.get('location') as string
    const undone = await eventually(
      'it is taken back',
      async () => {
        const seen = (await (await send(node, 'GET', path)).json()) as Job
        return seen.status === 'running' || seen.status === 'queued' ? undefined : seen
      },
      300_000,
    )
    expect(undone).toMatchObject({
      ...{ status: 'succeeded', result: { deleted: RECORDS, restored: 0, kept: 0 } },
    })
    expect(await rows(`SELECT count(*)::int AS links FROM ${imported} l`)).toEqual([{ links: 0 }])
  }, 600_000)
})
