// The ways to PostgreSQL and Redis that operators have: PgBouncer in transaction mode, a copy for
// reading, TLS; and a server that falls silent without closing a connection.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { chmodSync, copyFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { COMMAND_LINE } from '../../src/features/audit/index.ts'
import {
  migrateScaled,
  openPostgres,
  StorageUnavailable,
} from '../../src/platform/storage/index.ts'
import { createUseOnce } from '../../src/redirect/uses.ts'
import { makeAuthority, opensslMissing, type TestAuthority } from '../harness/certificates.ts'
import { eventually } from '../harness/eventually.ts'
import { pgbouncerMissing, startPgBouncer } from '../harness/pgbouncer.ts'
import {
  makeServerFolder,
  postgresMissing,
  sharedPostgres,
  startPostgres,
  type TestPostgres,
} from '../harness/postgres.ts'
import { BASE_ENV, runCommand } from '../harness/process.ts'
import { startProxy } from '../harness/proxy.ts'
import { redisMissing, startRedis } from '../harness/redis.ts'
import { openNode, outcomes } from './nodes.ts'

const titled = (title: string, missing: string | undefined) =>
  missing === undefined ? title : `${title} (${missing})`

const noBouncer = postgresMissing ?? pgbouncerMissing
describe.skipIf(noBouncer !== undefined)(titled('through PgBouncer', noBouncer), () => {
  test('tables are created, and two nodes race on four connections like without it', async () => {
    const postgres = await sharedPostgres()
    const bouncer = await startPgBouncer(await postgres.createDatabase({ empty: true }))
    const { url } = bouncer
    await Promise.all([migrateScaled(url), migrateScaled(url)])
    const nodes = [await openNode(url), await openNode(url)]
    try {
      const at = (i: number) => nodes[i % 2] as (typeof nodes)[0]
      const race = <T>(times: number, work: (i: number) => Promise<T>) =>
        outcomes(Array.from({ length: times }, (_, i) => work(i)))
      const workspace = (name: string) =>
        at(0).storage.write((tx) => at(0).workspaces.create(tx, { name }, COMMAND_LINE))
      const [one, two] = [await workspace('One'), await workspace('Two')]

      for (let round = 0; round < 10; round++) {
        const slug = { slug: `b${round}`, key: `b${round}` }
        const { given, refused } = await race(12, (i) =>
          at(i).create(i % 3 === 0 ? one.no : two.no, { slug }),
        )
        expect([given.length, new Set(refused)]).toEqual([1, new Set(['SLUG_TAKEN'])])
      }
      const link = await at(0).create(one.no, { max_clicks: 10 })
      const seq = Number(
        (
          await at(0)
            .storage.read.db.selectFrom('links')
            .select('seq')
            .where('id', '=', link.id)
            .executeTakeFirstOrThrow()
        ).seq,
      )
      const takes = nodes.map(({ storage }) => createUseOnce(storage))
      const uses = await race(40, async (i) => takes[i % takes.length]?.(seq, Date.now()))
      expect(uses.given.filter((use) => use !== null)).toHaveLength(10)
      // Long reads have their own timeout, which doesn't affect later statements.
      const counts = await race(20, async (i) => {
        const { rows } = await sql`SELECT count(*) AS n, current_setting('statement_timeout') AS t
          FROM links`.execute(at(i).storage.reports.db)
        return JSON.stringify(rows)
      })
      expect(new Set(counts.given).size).toBe(1)
      const left = await race(20, async (i) => {
        const { rows } = await sql`SELECT current_setting('statement_timeout') AS a,
          current_setting('idle_in_transaction_session_timeout') AS b`.execute(
          at(i).storage.read.db,
        )
        return JSON.stringify(rows)
      })
      expect(new Set(left.given)).toEqual(new Set(['[{"a":"0","b":"0"}]']))
    } finally {
      await Promise.all(nodes.map(({ storage }) => storage.close()))
      await bouncer.dispose()
    }
  })
})

describe.skipIf(postgresMissing !== undefined)(titled('a replica', postgresMissing), () => {
  let postgres: TestPostgres
  beforeAll(async () => {
    postgres = await startPostgres()
  })
  afterAll(() => postgres?.dispose())

  test('serves long reads, except after own writes, and when it is down', async () => {
    const database = new URL(await postgres.createDatabase()).pathname.slice(1)
    const copy = await postgres.replicate()
    const url = postgres.url(database)
    const node = await openPostgres({ url, replicaUrl: copy.url(database) })
    const other = await openPostgres({ url, replicaUrl: copy.url(database) })
    const add = (no: number) =>
      node.write((tx) =>
        tx.db
          .insertInto('domains')
          .values({ no, host: `h${no}.example` })
          .execute(),
      )
    const seenBy = async ({ reports }: typeof node) => {
      const { rows } = await sql<{ copy: boolean; n: number }>`
        SELECT pg_is_in_recovery() AS copy, (SELECT count(*) FROM domains WHERE no > 100) AS n`.execute(
        reports.db,
      )
      return rows[0]
    }
    try {
      // A node without own writes reads the replica.
      expect(await seenBy(other)).toEqual({ copy: true, n: 0 })
      await copy.pause()
      await add(101)
      expect(await seenBy(node)).toEqual({ copy: false, n: 1 })
      expect(await seenBy(other)).toEqual({ copy: true, n: 0 })
      await copy.goOn()
      await eventually('the copy has it', async () =>
        (await seenBy(node))?.copy === true ? true : undefined,
      )
      expect(await seenBy(node)).toEqual({ copy: true, n: 1 })
      for (let no = 102; no < 152; no++) {
        await add(no)
        expect((await seenBy(node))?.n).toBe(no - 100)
      }
      await copy.stop()
      expect(await seenBy(node)).toEqual({ copy: false, n: 51 })
      expect(await seenBy(other)).toEqual({ copy: false, n: 51 })
      await add(152)
      await copy.start()
      await eventually('it is asked again', async () =>
        (await seenBy(other))?.copy === true ? true : undefined,
      )
      expect((await seenBy(node))?.n).toBe(52)
    } finally {
      await Promise.all([node.close(), other.close()])
    }
  })
})

const noTls = postgresMissing ?? redisMissing ?? opensslMissing
describe.skipIf(noTls !== undefined)(titled('TLS', noTls), () => {
  let authority: TestAuthority
  let postgres: TestPostgres
  let folder: string
  beforeAll(async () => {
    authority = makeAuthority()
    const issued = authority.issue('database')
    // PostgreSQL requires ownership of its key.
    const { dir, as } = makeServerFolder('tls')
    folder = dir
    const [key, certificate] = [join(dir, 'key.pem'), join(dir, 'certificate.pem')]
    copyFileSync(issued.certificate, certificate)
    chmodSync(certificate, 0o644)
    copyFileSync(issued.key, key)
    if (as.length > 0) Bun.spawnSync(['chown', '--reference', dir, key])
    chmodSync(key, 0o600)
    postgres = await startPostgres({
      settings: { ssl: 'on', ssl_cert_file: certificate, ssl_key_file: key },
    })
  })
  afterAll(async () => {
    await postgres?.dispose()
    authority?.dispose()
    if (folder !== undefined) rmSync(folder, { recursive: true, force: true })
  })

  test('to PostgreSQL is verified with the configured authority', async () => {
    const strangers = makeAuthority()
    const url = await postgres.createDatabase()
    const through = (ca: string) => `${url}?sslmode=verify-full&sslrootcert=${ca}`
    const trusted = await openPostgres({ url: through(authority.ca) })
    const { rows } = await sql<{ ssl: boolean }>`
      SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()`.execute(trusted.read.db)
    expect(rows).toEqual([{ ssl: true }])
    await trusted.close()
    const wary = await openPostgres({ url: through(strangers.ca) })
    await expect(sql`SELECT 1`.execute(wary.read.db)).rejects.toBeInstanceOf(StorageUnavailable)
    await wary.close()
    strangers.dispose()
  })

  test('to Redis is verified; the certificate must match the server', async () => {
    const mine = await startRedis({ tls: authority.issue('redis') })
    const others = await startRedis({ tls: authority.issue('other', 'DNS:other.example') })
    const dataDir = mkdtempSync(join(tmpdir(), 'slugline-tls-'))
    const database = await postgres.createDatabase()
    const redisOf = async (url: string, trust: Record<string, string>) => {
      const { stdout } = await runCommand(['doctor', '--json'], {
        ...BASE_ENV,
        SLUGLINE_DATA_DIR: dataDir,
        DATABASE_URL: `${database}?sslmode=verify-full&sslrootcert=${authority.ca}`,
        REDIS_URL: url,
        CLICKHOUSE_URL: 'http://127.0.0.1:9/clicks',
        BASE_URL: 'http://sho.rt',
        SLUGLINE_SECRET: 'a secret that all nodes of this test have',
        ...trust,
      })
      const found = /"check":\s*"redis",\s*"status":\s*"(\w+)"/.exec(stdout)
      return found?.[1] ?? stdout
    }
    const trust = { NODE_EXTRA_CA_CERTS: authority.ca }
    const found = [redisOf(mine.url, trust), redisOf(mine.url, {}), redisOf(others.url, trust)]
    expect(await Promise.all(found)).toEqual(['ok', 'problem', 'problem'])
    await Promise.all([mine.dispose(), others.dispose()])
    rmSync(dataDir, { recursive: true, force: true })
  })
})

describe.skipIf(postgresMissing !== undefined)(titled('silence', postgresMissing), () => {
  const add = (storage: Awaited<ReturnType<typeof openPostgres>>, no: number) =>
    storage.write((tx) =>
      tx.db
        .insertInto('domains')
        .values({ no, host: `s${no}.example` })
        .execute(),
    )

  test('of a cut network: waiting statements fail, new ones too, and the recovery is noticed', async () => {
    const postgres = await sharedPostgres()
    const direct = await postgres.createDatabase()
    const proxy = await startProxy(postgres.port)
    const url = new URL(direct)
    url.port = String(proxy.port)
    // Timeouts of statements and connections are much longer than that of a silent server.
    const statementTimeoutMs = 100_000
    const storage = await openPostgres({ url: url.href, statementTimeoutMs })
    const elsewhere = await openPostgres({ url: direct, statementTimeoutMs })
    try {
      await add(storage, 1_001)
      // In the middle of a transaction, with a lock that someone else needs.
      const cut = Promise.withResolvers<void>()
      const halfway = storage.write(async (tx) => {
        await tx.lock('between')
        proxy.block()
        cut.resolve()
        await tx.db.insertInto('domains').values({ no: 1_002, host: 's1002.example' }).execute()
      })
      await cut.promise
      const begin = performance.now()
      const waiting = elsewhere.write((tx) => tx.lock('between'))
      await expect(halfway).rejects.toBeInstanceOf(StorageUnavailable)
      await waiting
      // Some six seconds; a busy machine may take longer.
      expect(performance.now() - begin).toBeLessThan(60_000)
      const refused = add(storage, 1_003).then(
        () => 'written',
        (error: unknown) => error,
      )
      // Before the server has answered anything, over the other connection.
      const answered = sql`SELECT 1`.execute(elsewhere.read.db).then(() => 'waits')
      expect(await Promise.race([refused, answered])).toBeInstanceOf(StorageUnavailable)
      proxy.unblock()
      await eventually('it is noticed', () =>
        add(storage, 1_004).then(
          () => true,
          () => undefined,
        ),
      )
      const { rows } = await sql`SELECT no FROM domains WHERE no > 1000 ORDER BY no`.execute(
        elsewhere.read.db,
      )
      expect(rows).toEqual([{ no: 1_001 }, { no: 1_004 }])
    } finally {
      proxy.unblock()
      await Promise.all([storage.close(), elsewhere.close()])
      await proxy.close()
    }
  })

  test('during a slow statement isn’t treated as an outage', async () => {
    const postgres = await sharedPostgres()
    const storage = await openPostgres({ url: await postgres.createDatabase() })
    const slow = sql`SELECT pg_sleep(2.5)`.execute(storage.read.db)
    await expect(slow).resolves.toBeDefined()
    await storage.close()
  })
})
