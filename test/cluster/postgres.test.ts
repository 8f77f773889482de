/** What only PostgreSQL can do to us: go away, stand behind a pool, have a copy that lags. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { Client } from 'pg'
import { COMMAND_LINE } from '../../src/features/audit/index.ts'
import {
  migrateScaled,
  openPostgres,
  prepare,
  type Storage,
  scaledMigrationStates,
} from '../../src/platform/storage/index.ts'
import { eventually } from '../harness/eventually.ts'
import { pgbouncerMissing, startPgBouncer, type TestPgBouncer } from '../harness/pgbouncer.ts'
import {
  postgresMissing,
  sharedPostgres,
  startPostgres,
  type TestPostgres,
} from '../harness/postgres.ts'
import { openNode } from './nodes.ts'

const here = postgresMissing === undefined
const title = `PostgreSQL${here ? '' : ` (${postgresMissing})`}`

const insertDomain = prepare<{ no: number; host: string }, { no: number }>((db, p) =>
  db
    .insertInto('domains')
    .values({ no: p.no, host: p.host })
    .onConflict((conflict) => conflict.doNothing())
    .returning('no'),
)
const put = (storage: Storage, no: number) =>
  storage.write((tx) => tx.run(insertDomain, { no, host: `h${no}` }))
const hostsOf = async (sql: Storage['read']) =>
  (await sql.db.selectFrom('domains').select('host').orderBy('no').execute()).map(
    ({ host }) => host,
  )
const nameOf = (error: unknown) => (error as Error).name

let server: TestPostgres
beforeAll(async () => {
  if (here) server = await sharedPostgres()
})

describe.skipIf(!here)(title, () => {
  test('is migrated concurrently, and lists what is applied', async () => {
    const url = await server.createDatabase({ empty: true })
    const before = await scaledMigrationStates(url)
    expect(before.every(({ applied_at }) => applied_at === null)).toBe(true)
    const applied = await Promise.all([1, 2, 3].map(() => migrateScaled(url)))
    expect(applied.flat()).toHaveLength(before.length)
    const after = await scaledMigrationStates(url)
    expect(after.every(({ applied_at }) => applied_at !== null)).toBe(true)
  })

  test('retries a read that a waiting schema change has cancelled', async () => {
    const url = await server.createDatabase()
    const storage = await openPostgres({ url })
    const changer = new Client({ connectionString: url })
    await changer.connect()
    // Its deadlock detection is later than the reader's, so the reader is cancelled.
    await changer.query("SET deadlock_timeout = '5s'; BEGIN; LOCK TABLE links")
    const reading = storage.read.db
      .selectFrom('slugs')
      .innerJoin('links', 'links.seq', 'slugs.link_seq')
      .select('slugs.slug_key')
      .execute()
    await eventually('it waits for one and has the other', async () => {
      const waiting = 'SELECT 1 FROM pg_locks WHERE NOT granted AND relation IS NOT NULL'
      return (await server.admin(waiting)).length > 0 ? true : undefined
    })
    await changer.query('LOCK TABLE slugs').catch(() => {})
    await changer.query('ROLLBACK')
    await changer.end()
    expect(await reading).toEqual([])
    await storage.close()
  })

  test('gives each transaction of a shared commit its own result, and rolls back only failing ones', async () => {
    const storage = await openPostgres({ url: await server.createDatabase() })
    const results = await Promise.allSettled(
      Array.from({ length: 20 }, (_, i) =>
        storage.write(
          async (tx) => {
            await tx.run(insertDomain, { no: i, host: `h${i}` })
            if (i % 7 === 3) throw new Error(`refused ${i}`)
            return i
          },
          { queue: 'one' },
        ),
      ),
    )
    const kept = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []))
    expect(kept).toEqual([0, 1, 2, 4, 5, 6, 7, 8, 9, 11, 12, 13, 14, 15, 16, 18, 19])
    expect(await hostsOf(storage.read)).toEqual(kept.map((i) => `h${i}`))
    await storage.close()
  })

  test('is queried for U+0000, which it doesn’t support, without an error', async () => {
    const storage = await openPostgres({ url: await server.createDatabase() })
    const host = 'a\0b'
    expect(await storage.write((tx) => tx.run(insertDomain, { no: 1, host }))).toHaveLength(1)
    expect(await hostsOf(storage.read)).toEqual(['a\uFFFDb'])
    await storage.close()
  })

  test('reports errors only as a code', async () => {
    const url = await server.createDatabase()
    const storage = await openPostgres({ url })
    const refused = await storage
      .write((tx) =>
        tx.db
          .insertInto('domains')
          .values([
            { no: 1, host: 'secret.example' },
            { no: 1, host: 'secret.example' },
          ])
          .execute(),
      )
      .catch((error: unknown) => error)
    expect(nameOf(refused)).toBe('RefusedStatement')
    expect(Bun.inspect(refused)).not.toContain('secret.example')
    const away = await openPostgres({ url: 'postgres://u:hunter2@127.0.0.1:9/x' })
    const lost = await away.probe().catch((error: unknown) => error)
    expect(nameOf(lost)).toBe('StorageUnavailable')
    expect(Bun.inspect(lost)).not.toMatch(/hunter2|127\.0\.0\.1/)
    await Promise.all([storage.close(), away.close()])
  })

  test('can be restarted without half-done work, and is usable immediately', async () => {
    const own = await startPostgres({ durable: true })
    try {
      const node = await openNode(await own.createDatabase())
      const { storage } = node
      const workspace = await storage.write((tx) =>
        node.workspaces.create(tx, { name: 'W' }, COMMAND_LINE),
      )
      for (const how of ['fast', 'crash'] as const) {
        let going = true
        const given = new Set<string>()
        const errors = new Set<string>()
        const load = Array.from({ length: 8 }, async () => {
          while (going) {
            try {
              given.add((await node.create(workspace.no, {})).id)
            } catch (error) {
              errors.add(nameOf(error))
              await new Promise((turn) => setImmediate(turn))
            }
          }
        })
        await Bun.sleep(300)
        await own.stop(how)
        const during = await put(storage, 99).catch(nameOf)
        expect(during).toBe('StorageUnavailable')
        await own.start()
        const start = performance.now()
        while ((await storage.probe().catch(() => 'away')) === 'away') await Bun.sleep(20)
        // It takes half a second; a busy machine may take longer.
        expect(performance.now() - start).toBeLessThan(15_000)
        going = false
        await Promise.all(load)
        expect([...errors].filter((name) => name !== 'StorageUnavailable')).toEqual([])
        const rows = await storage.read.db.selectFrom('links').select(['id', 'seq']).execute()
        const ids = new Set(rows.map(({ id }) => id))
        expect([...given].filter((id) => !ids.has(id))).toEqual([])
        const { links_count } = await storage.read.db
          .selectFrom('workspaces')
          .select('links_count')
          .executeTakeFirstOrThrow()
        const slugs = await storage.read.db.selectFrom('slugs').select('link_seq').execute()
        const entries = await storage.read.db
          .selectFrom('audit')
          .select('seq')
          .where('action', '=', 'link.created')
          .execute()
        expect([links_count, slugs.length, entries.length]).toEqual([
          rows.length,
          rows.length,
          rows.length,
        ])
      }
      await storage.close()
    } finally {
      await own.dispose()
    }
  })

  test('has a replica that is read once it has this node’s writes', async () => {
    const url = await server.createDatabase()
    // Not in recovery, so it counts as up to date. Its data distinguishes it from the primary.
    const copyUrl = await server.createDatabase()
    const copy = await openPostgres({ url: copyUrl })
    await put(copy, 7)
    const storage = await openPostgres({ url, replicaUrl: copyUrl })
    expect(await hostsOf(storage.reports)).toEqual(['h7'])
    await put(storage, 1)
    expect(await hostsOf(storage.reports)).toEqual(['h7'])
    expect(await hostsOf(storage.read)).toEqual(['h1'])
    // Another server's log is shorter: a replica that lags.
    const young = await startPostgres()
    try {
      const lagging = await openPostgres({ url, replicaUrl: await young.createDatabase() })
      await lagging.write(async (tx) => {
        await tx.run(insertDomain, { no: 2, host: 'x'.repeat(1_000) })
      })
      await server.admin(`SELECT pg_switch_wal()`)
      await put(lagging, 3)
      expect((await hostsOf(lagging.reports)).length).toBe(3)
      await young.stop('crash')
      expect((await hostsOf(lagging.reports)).length).toBe(3)
      await lagging.close()
    } finally {
      await young.dispose()
    }
    await Promise.all([storage.close(), copy.close()])
  })
})

const without = postgresMissing ?? pgbouncerMissing

describe.skipIf(without !== undefined)(
  `PgBouncer in transaction mode${without === undefined ? '' : ` (${without})`}`,
  () => {
    let pgbouncer: TestPgBouncer
    beforeAll(async () => {
      pgbouncer = await startPgBouncer(await server.createDatabase())
    })
    afterAll(() => pgbouncer.dispose())

    test('supports writes, shared commits, reads and reports of two nodes', async () => {
      const { url } = pgbouncer
      const nodes = [await openNode(url), await openNode(url)] as const
      const workspace = await nodes[0].storage.write((tx) =>
        nodes[0].workspaces.create(tx, { name: 'W' }, COMMAND_LINE),
      )
      const made = await Promise.all(
        Array.from({ length: 60 }, (_, i) =>
          (nodes[i % 2] as (typeof nodes)[0]).create(workspace.no, { title: `t${i}` }),
        ),
      )
      expect(new Set(made.map(({ id }) => id)).size).toBe(60)
      const caller = {
        workspace: { no: workspace.no, plan: { limits: { links: null, addresses: null } } },
      }
      const page = await nodes[1].links.list(caller as never, {
        search: 't5',
        sort: 'clicks',
        order: 'asc',
        limit: 100,
      })
      expect(page.data.length).toBe(page.pagination.total)
      await Promise.all(nodes.map(({ storage }) => storage.close()))
    })
  },
)
