import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { postgresMissing, sharedPostgres } from '../../test/harness/postgres.ts'
import { databaseFiles, openSqlite, type Storage } from '../platform/storage/index.ts'
import { copyMigrated } from '../platform/storage/testing/database.ts'
import { openSite, type Site } from '../redirect/testing/site.ts'
import { openDuckDb } from '../statistics/engine/duckdb/index.ts'
import { linkNumbers } from '../statistics/engine/duckdb/recount.ts'
import { openOwnStore } from '../statistics/engine/duckdb/store.ts'
import { openPostgresShipping } from '../statistics/engine/postgres/shipping.ts'
import { statisticsFile } from '../statistics/process/files.ts'
import { createClickCounter } from './counting.ts'
import { createEnricher } from './enrich/index.ts'
import { clicksThisMonth, readCounted } from './months.ts'
import { createPostgresCounters } from './postgres-counters.ts'
import { journalDirectory } from './segments.ts'
import { addLinks, makeNode, openTestStorage, type TestNode } from './testing/shared.ts'

const DAY = 86_400_000
const JULY = Date.UTC(2030, 6, 31, 23)
const { enrich } = createEnricher({ geoipDatabase: null })
let now = JULY
const clock = { now: () => now }

beforeEach(() => {
  now = JULY
})

describe('on one machine a plan with a limit of clicks', () => {
  let dir: string
  let site: Site

  beforeEach(async () => {
    dir = mkdtempSync(join(tmpdir(), 'slugline-months-'))
    await copyMigrated(dir)
    site = await openSite(dir, { clock })
  })
  afterEach(async () => {
    await site.close()
    rmSync(dir, { recursive: true, force: true })
  })

  const visit = async (path: string, times: number) => {
    for (let i = 0; i < times; i++) expect((await site.visit(path)).status).toBe(302)
  }

  /** People by link, in the statistics. */
  async function stored(): Promise<Map<number, number>> {
    const counters = openSqlite(databaseFiles(dir).counters, { readonly: true })
    const counted = () => readCounted(counters, 0)
    const store = await openOwnStore(dir, { clock, enrich, counted })
    try {
      while (!(await store.pass()).complete);
    } finally {
      store.close()
      counters.close()
    }
    const clicks = await openDuckDb(statisticsFile(dir), { readonly: true })
    const { links } = await linkNumbers(clicks, [0, Number.MAX_SAFE_INTEGER])
    clicks.close()
    return new Map([...links].map(([link, { human }]) => [link, human]))
  }
  const people = async (seq: number) => (await site.countersOf(seq))?.human

  test('redirects on, counts and stores the first ones, and counts again next month', async () => {
    const [a, b] = [await site.addLink({ slug: 'a' }), await site.addLink({ slug: 'b' })]
    await visit('/a', 3)
    await visit('/b', 5)
    await site.count({ free: 5 })
    expect([await people(a), await people(b)]).toEqual([3, 2])
    expect(await stored()).toEqual(
      new Map([
        [a, 3],
        [b, 2],
      ]),
    )
    await visit('/a', 2)
    now += DAY
    await visit('/a', 4)
    await site.count({ free: 5 })
    expect([await people(a), await people(b)]).toEqual([7, 2])
    expect(await stored()).toEqual(
      new Map([
        [a, 7],
        [b, 2],
      ]),
    )
    expect(await clicksThisMonth(site.storage, 1, JULY)).toBe(5)
    expect(await clicksThisMonth(site.storage, 1, now)).toBe(4)
  })

  test('that is raised takes effect in the counters and the statistics', async () => {
    const a = await site.addLink({ slug: 'a' })
    await visit('/a', 8)
    await site.count({ free: 5 })
    await visit('/a', 2)
    await site.count({ free: 5 })
    await visit('/a', 3)
    await site.count({ free: 7 })
    await visit('/a', 4)
    await site.count()
    await visit('/a', 2)
    await site.count({ free: 7 })
    expect(await people(a)).toBe(11)
    // The statistics read all of it together, long after.
    expect(await stored()).toEqual(new Map([[a, 11]]))
    expect(await clicksThisMonth(site.storage, 1, now)).toBe(11)
  })

  test('of zero counts none, and stores uncounted clicks later', async () => {
    const a = await site.addLink({ slug: 'a' })
    await visit('/a', 2)
    await site.count({ free: 0 })
    await visit('/a', 2)
    expect(await stored()).toEqual(new Map())
    await site.count()
    expect(await people(a)).toBe(2)
    expect(await stored()).toEqual(new Map([[a, 2]]))
  })
})

describe.skipIf(postgresMissing !== undefined)('on several nodes', () => {
  let storage: Storage
  let nodes: TestNode[]

  beforeEach(async () => {
    storage = await openTestStorage(await (await sharedPostgres()).createDatabase())
    nodes = [await makeNode(storage), await makeNode(storage)]
  })
  afterEach(async () => {
    for (const node of nodes) await node.dispose()
    await storage.close()
  })

  /** `meanwhile`: runs between reading a quota and writing the batch. */
  const counterOf = (
    { no: nodeNo, dataDir }: TestNode,
    limit: number,
    meanwhile: () => Promise<unknown> = async () => {},
  ) => {
    const store = createPostgresCounters({
      storage: { ...storage, close: async () => {} },
      nodeNo,
      limits: { small: limit },
    })
    const quotas: typeof store.quotas = async (months) => {
      const read = await store.quotas(months)
      await meanwhile()
      return read
    }
    const directory = journalDirectory(dataDir)
    return createClickCounter({ directory, store: { ...store, quotas }, clock })
  }

  async function store({ no: nodeNo, dataDir }: TestNode): Promise<void> {
    const counted = () => readCounted(storage.read, nodeNo)
    const directory = journalDirectory(dataDir)
    const shipping = await openPostgresShipping({ storage, directory, nodeNo, enrich, counted })
    while (!(await shipping.pass()).complete);
    shipping.close()
  }

  /** Clicks by link, as counted and as stored. */
  async function numbers() {
    const counted = await sql<{ link: number; n: number }>`SELECT link_seq AS link, total AS n
      FROM link_counters WHERE total > 0 ORDER BY link_seq`.execute(storage.read.db)
    const stored = await sql<{ link: number; n: number }>`SELECT link, count(*)::bigint AS n
      FROM clicks GROUP BY link ORDER BY link`.execute(storage.read.db)
    return [counted.rows, stored.rows]
  }

  test('the sum is exact, and the statistics have the clicks that are counted', async () => {
    const [a = 0, b = 0] = await addLinks(storage, 1, 2, 'small')
    const [first, second] = nodes as [TestNode, TestNode]
    for (const [node, link] of [
      [first, a],
      [second, b],
    ] as const) {
      for (let i = 0; i < 4; i++) node.click({ link, time: now + i, visitor: `v${i}` })
    }
    const counter = counterOf(first, 5, counterOf(second, 5).pass)
    expect((await counter.pass()).more).toBe(true)
    while ((await counter.pass()).more);
    for (const node of nodes) await store(node)
    const [counted = [], stored] = await numbers()
    expect(counted.reduce((sum, { n }) => sum + n, 0)).toBe(5)
    expect(stored).toEqual(counted)
    expect(await clicksThisMonth(storage, 1, now)).toBe(5)
    now += DAY
    first.click({ link: a, time: now, visitor: 'v' })
    second.click({ link: b, time: now - DAY, visitor: 'late' })
    for (const node of nodes) {
      await counterOf(node, 5).pass()
      await store(node)
    }
    const [later = [], storedLater] = await numbers()
    expect(later.reduce((sum, { n }) => sum + n, 0)).toBe(6)
    expect(storedLater).toEqual(later)
  })
})
