/** The list of changes of links that nodes follow, on real PostgreSQL and through PgBouncer. */
import { beforeAll, describe, expect, test } from 'bun:test'
import { Client } from 'pg'
import { openPostgres, type Storage } from '../../src/platform/storage/index.ts'
import { readChanges, trimChanges } from '../../src/redirect/changed-slugs.ts'
import {
  createCachedResolver,
  createFetchSlug,
  createLinkFollower,
} from '../../src/redirect/index.ts'
import { pgbouncerMissing, startPgBouncer } from '../harness/pgbouncer.ts'
import { postgresMissing, sharedPostgres, type TestPostgres } from '../harness/postgres.ts'

const title = `following links${postgresMissing === undefined ? '' : ` (${postgresMissing})`}`
const clock = { now: () => Date.now() }
const OLD = 'https://old.example/'
const NEW = 'https://new.example/'

let server: TestPostgres
beforeAll(async () => {
  if (postgresMissing === undefined) server = await sharedPostgres()
})

function open(storage: Storage) {
  const resolver = createCachedResolver({ fetch: createFetchSlug(storage), clock })
  const logger = { warn() {} }
  const follower = createLinkFollower({ storage, resolver, clock, logger })
  const target = async (slug: string) => {
    resolver.begin()
    return (await resolver.slug(slug, 0))?.target_url ?? null
  }
  return { resolver, follower, target }
}

const insert = (from: number, to: number) => `
  INSERT INTO slugs (slug_key, domain_no, workspace_no, link_seq, slug, target_url, redirect_status, special)
  SELECT 's' || i, 0, 1, i, 's' || i, '${OLD}', 302, 0 FROM generate_series(${from}, ${to}) i`
const change = (i: number) => `UPDATE slugs SET target_url = '${NEW}' WHERE slug_key = 's${i}'`

describe.skipIf(postgresMissing !== undefined)(title, () => {
  async function follow(url: string, direct: string): Promise<void> {
    const storage = await openPostgres({ url })
    const [early, late] = [new Client(direct), new Client(direct)]
    await Promise.all([early.connect(), late.connect()])
    const { follower, resolver, target } = open(storage)
    try {
      await late.query(insert(1, 3))
      await follower.caughtUp()
      for (const i of [1, 2, 3]) expect(await target(`s${i}`)).toBe(OLD)
      // The first transaction to get a number commits last.
      await early.query(`BEGIN; ${change(1)}`)
      await late.query(change(2))
      await follower.caughtUp()
      expect([await target('s1'), await target('s2')]).toEqual([OLD, NEW])
      await late.query(change(3))
      await follower.caughtUp()
      expect([await target('s1'), await target('s3')]).toEqual([OLD, NEW])
      await early.query('COMMIT')
      await follower.caughtUp()
      expect(await target('s1')).toBe(NEW)
      // Each change was read once.
      expect(resolver.state().changes).toBe(3)
      await early.query("DELETE FROM slugs WHERE slug_key = 's2'")
      await follower.caughtUp()
      expect(await target('s2')).toBe(null)
    } finally {
      await Promise.all([early.end(), late.end(), follower.close()])
      resolver.close()
      await storage.close()
    }
  }

  test('misses no change, in whichever order transactions commit', async () => {
    const url = await server.createDatabase()
    await follow(url, url)
  })

  test.skipIf(pgbouncerMissing !== undefined)('the same through PgBouncer', async () => {
    const url = await server.createDatabase()
    const bouncer = await startPgBouncer(url)
    await follow(bouncer.url, url).finally(() => bouncer.dispose())
  })

  test('takes 45,000 links of one transaction into memory', async () => {
    const url = await server.createDatabase()
    const storage = await openPostgres({ url })
    const { follower, resolver, target } = open(storage)
    await follower.caughtUp()
    await server.admin(insert(1, 45_000), new URL(url).pathname.slice(1))
    const begin = performance.now()
    await follower.caughtUp()
    console.log(`45,000 changes followed in ${Math.round(performance.now() - begin)} ms`)
    expect(resolver.state()).toMatchObject({ entries: 45_000, losses: 1 })
    expect(await target('s44999')).toBe(OLD)
    // More than is worth reading: what is visited is checked instead.
    await server.admin(insert(45_001, 150_000), new URL(url).pathname.slice(1))
    await follower.caughtUp()
    expect(resolver.state()).toMatchObject({ losses: 2, filled: 'none' })
    expect(await target('s149999')).toBe(OLD)
    await follower.close()
    resolver.close()
    await storage.close()
  }, 240_000)

  test('forgets changes that every node has read, and no later one', async () => {
    const url = await server.createDatabase()
    const storage = await openPostgres({ url })
    const query = (text: string) => server.admin(text, new URL(url).pathname.slice(1))
    const writer = new Client(url)
    await writer.connect()
    const before = await readChanges(storage, null)
    await query(insert(1, 2))
    await writer.query(`BEGIN; ${insert(3, 3)}`)
    const { mark } = await readChanges(storage, before.mark)
    await query(insert(4, 4))
    await writer.query('COMMIT')
    await query("UPDATE link_changes SET server = 'epoch' WHERE slug_key = 's2'")
    await trimChanges(storage, mark)
    const left = await query('SELECT slug_key FROM link_changes ORDER BY slug_key')
    expect(left).toEqual([{ slug_key: 's3' }, { slug_key: 's4' }])
    const { changes } = await readChanges(storage, mark)
    expect(changes.map(({ slug }) => slug?.link_seq).sort()).toEqual([3, 4])
    await writer.end()
    await storage.close()
  })
})
