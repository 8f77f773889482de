// A node that is stopped while its database is down loses nothing that it answered, whether it is
// started again or only drained.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { eventually } from '../harness/eventually.ts'
import { postgresMissing, sharedPostgres } from '../harness/postgres.ts'
import { type Slugline, startSlugline } from '../harness/process.ts'
import { startProxy, type TestProxy } from '../harness/proxy.ts'
import { redisMissing, startRedis, type TestRedis } from '../harness/redis.ts'

const missing = postgresMissing ?? redisMissing
const DOCS = resolve(import.meta.dir, '../../docs')
const BROWSER = 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/141.0.0.0 Safari/537.36'

describe.skipIf(missing !== undefined)(`a node that stops${missing ? ` (${missing})` : ''}`, () => {
  let redis: TestRedis
  let toDatabase: TestProxy
  let node: Slugline
  let key: string
  let visits = 0

  beforeAll(async () => {
    const postgres = await sharedPostgres()
    redis = await startRedis()
    const url = new URL(await postgres.createDatabase())
    toDatabase = await startProxy(Number(url.port))
    url.port = String(toDatabase.port)
    node = await startSlugline({
      DATABASE_URL: url.href,
      REDIS_URL: redis.url,
      BASE_URL: 'http://sho.rt',
      SLUGLINE_SECRET: 'a secret that this test has all of the time',
      LOG_LEVEL: 'silent',
    })
    key = (await node.createKey()).key
    const body = { destination_url: 'https://a.example/', slug: 'hot' }
    expect((await node.call('POST', '/api/v1/links', { key, body })).status).toBe(201)
    await visit()
  })
  afterAll(async () => {
    toDatabase.restore()
    await node.dispose()
    await toDatabase.close()
    await redis.dispose()
  })

  async function visit(): Promise<void> {
    const answer = await node.call('GET', '/hot', { headers: { 'user-agent': BROWSER } })
    expect(answer.status).toBe(302)
    visits++
  }

  /** Starts it without its database, and resolves when it redirects cached links. */
  async function startAlone(): Promise<void> {
    toDatabase.cut()
    // The start would only resolve with the database, but the process ends before that.
    node.restart().catch(() => {})
    await eventually('it redirects', async () => {
      const answer = await node.call('HEAD', '/hot').catch(() => undefined)
      return answer?.status === 302 ? true : undefined
    })
    for (let i = 0; i < 10; i++) await visit()
  }

  const human = async () => {
    const answer = await node.call('GET', '/api/v1/links?search=hot', { key })
    const { data } = (await answer.json()) as { data: { clicks: { human: number } }[] }
    return data[0]?.clicks.human
  }

  test('has, while it runs, every documented metric', async () => {
    const text = await (await node.call('GET', '/metrics')).text()
    const known = new Set([...text.matchAll(/^# TYPE (slugline_\w+)/gm)].map(([, name]) => name))
    // Only for a single machine's file.
    for (const name of ['bytes', 'wal_bytes']) known.add(`slugline_database_${name}`)
    // Backups are only for a single machine, too.
    for (const name of ['age_seconds', 'overdue', 'failures_total', 'duration_seconds', 'bytes']) {
      known.add(`slugline_backup_${name}`)
    }
    for (const file of readdirSync(DOCS).filter((name) => name.endsWith('.md'))) {
      const named = readFileSync(join(DOCS, file), 'utf8').matchAll(/\bslugline_[a-z]\w*_\w+/g)
      const unknown = [...named].map(([name]) => name).filter((name) => !known.has(name))
      expect([file, unknown]).toEqual([file, []])
    }
  })

  test('stops in order, though it never reached its database', async () => {
    expect(await node.stop()).toBe(0)
    await startAlone()
    const ended = node.stop()
    expect(await ended).toBe(0)
    toDatabase.restore()
    await node.restart()
    await eventually('every click is counted', async () =>
      (await human()) === visits ? true : undefined,
    )
  })

  test('leaves clicks that can be drained, also after a kill', async () => {
    expect(await node.stop()).toBe(0)
    await startAlone()
    await node.kill()
    const kept = await node.cli('drain', '--within', '1', '--json')
    expect(kept.status).toBe(1)
    toDatabase.restore()
    const { status, stdout } = await node.cli('drain', '--within', '30', '--json')
    expect([status, JSON.parse(stdout)]).toEqual([
      0,
      expect.objectContaining({ drained: true, counted: true, stored: true }),
    ])
    await node.restart()
    expect(await human()).toBe(visits)
    const answer = await node.call('GET', '/api/v1/stats', { key })
    const stats = (await answer.json()) as { totals: { clicks: number } }
    expect(stats.totals.clicks).toBe(visits)
  })
})
