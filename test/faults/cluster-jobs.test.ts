// A job of several nodes, of which the one that does it is killed: another one goes on.

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
const LINKS = 3_000

suite(`jobs of several nodes${missing ? ` (${missing})` : ''}`, () => {
  let cluster: TestCluster
  beforeAll(async () => {
    cluster = await startCluster({ nodes: 4 })
  }, 300_000)
  afterAll(() => cluster.dispose())

  const ownerOf = async () => {
    const rows = await cluster.postgres.admin('SELECT lease_owner FROM jobs', cluster.database)
    return rows[0]?.lease_owner as string | null | undefined
  }

  test('another node goes on with the job of one that died, and changes each link once', async () => {
    const { nodes, key } = cluster
    const send = (node: Slugline, method: string, path: string, body?: object) =>
      node.call(method, path, { key, ...(body && { body }) })
    const [first] = nodes as [Slugline]
    for (let n = 0; n < LINKS; n += 500) {
      const link = { destination_url: 'https://example.com/', tags: ['many'] }
      const operations = Array.from({ length: 500 }, () => ({ op: 'create', link }))
      const answer = await send(first, 'POST', '/api/v1/links/bulk', { operations })
      expect(answer.status).toBe(200)
    }
    const started = await send(first, 'POST', '/api/v1/links/bulk/by-filter', {
      ...{ filter: { tag: ['many'] }, expected: LINKS, patch: { title: 'Changed' } },
    })
    const path = started.headers.get('location') ?? ''
    const owner = await eventually('a node has the job', async () => (await ownerOf()) ?? undefined)
    const isIt = ({ dataDir }: Slugline) =>
      readFileSync(join(dataDir, 'node'), 'utf8').includes(owner)
    const killed = nodes.find(isIt) as Slugline
    const other = nodes.find((node) => !isIt(node)) as Slugline
    const jobNow = async () =>
      (await (await send(other, 'GET', path)).json()) as {
        status: string
        progress: { done: number }
        result: object | null
      }
    await eventually('it got further', async () =>
      (await jobNow()).progress.done > 0 ? true : undefined,
    )
    await killed.kill()
    expect((await jobNow()).status).toBe('running')
    const next = await eventually('another node has it', async () => {
      const now = await ownerOf()
      return now === owner ? undefined : { now }
    })
    expect(next.now).not.toBe(owner)
    const job = await eventually('it is finished', async () => {
      const seen = await jobNow()
      return seen.status === 'running' ? undefined : seen
    })
    expect(job).toMatchObject({ status: 'succeeded', result: { succeeded: LINKS, failed: 0 } })
    const changes = await cluster.postgres.admin(
      `SELECT times::int, count(*)::int AS links FROM (SELECT count(*) AS times FROM audit
        WHERE action = 'link.updated' GROUP BY target_id) a GROUP BY times`,
      cluster.database,
    )
    expect(changes).toEqual([{ times: 1, links: LINKS }])
  }, 600_000)
})
