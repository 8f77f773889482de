import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { statSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import {
  databaseFiles,
  migrate,
  openSqlite,
  SEQS_PER_WORKSPACE,
} from '../../../platform/storage/index.ts'
import { DAY_MS } from '../../intervals.ts'
import { createReports } from '../../reports/index.ts'
import { FIRST_DAY, totalsOf, world } from '../../reports/testing/world.ts'
import { click } from '../../testing/naive.ts'
import type { Selection } from '../../types.ts'
import { createDuckDbEngine } from './index.ts'
import { createMaintenance } from './maintenance.ts'
import { openTestDuckDb, type TestDuckDb } from './testing/duckdb.ts'

const APRIL = Date.parse('2026-04-01T00:00:00Z')
const HOUR_MS = 3_600_000
const LINK = SEQS_PER_WORKSPACE + 1
let opened: TestDuckDb
let segment = 0

beforeEach(async () => {
  opened = await openTestDuckDb()
})
afterEach(() => opened.close())

async function write(...times: readonly (readonly [linkSeq: number, time: number])[]) {
  const clicks = times.map(([linkSeq, time]) => click({ linkSeq, time }))
  await opened.write(clicks, { segment: ++segment, offset: 0 })
}

/** Links and times in the order of the table. */
async function order(): Promise<number[][]> {
  const rows = await opened.rows('SELECT link, time FROM clicks ORDER BY rowid')
  return rows.map(([link, time]) => [Number(link) - LINK, (Number(time) - APRIL) / HOUR_MS])
}

describe('a month', () => {
  test('that has ended is sorted by link and time, once', async () => {
    await write([LINK + 1, APRIL - HOUR_MS], [LINK, APRIL + HOUR_MS], [LINK, APRIL - HOUR_MS])
    await write([LINK, APRIL - 2 * HOUR_MS])
    await opened.maintain(APRIL + HOUR_MS - 1)
    expect(await order()).toEqual([
      [1, -1],
      [0, 1],
      [0, -1],
      [0, -2],
    ])
    await opened.maintain(APRIL + HOUR_MS)
    const sorted = [
      [0, 1],
      [0, -2],
      [0, -1],
      [1, -1],
    ]
    expect(await order()).toEqual(sorted)
    expect(await opened.rows('SELECT month FROM closed_months')).toEqual([
      [BigInt(Date.parse('2026-03-01T00:00:00Z'))],
    ])
  })

  test('that gets a late click is sorted again', async () => {
    await write([LINK + 1, APRIL - HOUR_MS])
    await opened.maintain(APRIL + HOUR_MS)
    await write([LINK, APRIL - HOUR_MS])
    expect(await order()).toEqual([
      [1, -1],
      [0, -1],
    ])
    await opened.reopen()
    await opened.maintain(APRIL + HOUR_MS)
    expect(await order()).toEqual([
      [0, -1],
      [1, -1],
    ])
  })

  test('that is sorted reuses the space of the rows it replaces', async () => {
    const file = join(opened.directory, 'statistics.duckdb')
    await opened.rows(`INSERT INTO clicks BY NAME SELECT 1 AS workspace, ${LINK} + hash(range) % 100 AS link,
      ${APRIL} - range AS time, 0 AS n, 0 AS kind, false AS qr, 0 AS domain, md5(range::VARCHAR) AS city
      FROM range(300000)`)
    await opened.rows('CHECKPOINT')
    const before = statSync(file).size
    for (let i = 0; i < 4; i++) {
      await write([LINK, APRIL - HOUR_MS])
      // Without sums, which need space of their own.
      await opened.maintain(APRIL + HOUR_MS, { clicksAtLeast: Number.MAX_SAFE_INTEGER })
    }
    expect(statSync(file).size).toBeLessThan(4 * before)
  })
})

describe('after the retention', () => {
  test('clicks become totals of their day, and other workspaces keep theirs', async () => {
    const stranger = 2 * SEQS_PER_WORKSPACE + 1
    const day = (n: number) => APRIL + n * DAY_MS
    await write([LINK, day(0)], [LINK, day(1)], [LINK, day(2)], [stranger, day(0)])
    await opened.maintain(day(32), {
      retention: [
        [1, 30],
        [2, null],
      ],
    })
    expect(await opened.rows('SELECT workspace, time FROM clicks ORDER BY ALL')).toEqual([
      [1, BigInt(day(2))],
      [2, BigInt(day(0))],
    ])
    expect(await opened.rows('SELECT * FROM daily ORDER BY ALL')).toEqual(
      [0, 1].map((n) => [1, BigInt(LINK), BigInt(day(n) / DAY_MS), 0, 1n, 0n, 0n]),
    )
  })

  test('the counts of whole days stay what they were', async () => {
    const reports = createReports(createDuckDbEngine(opened.database))
    const bots = fc.constantFrom('exclude' as const, 'include' as const, 'only' as const)
    const linkSeq = fc.constantFrom(null, LINK, LINK + 1)
    await fc.assert(
      fc.asyncProperty(world, bots, linkSeq, fc.nat(12), async (given, mode, link, kept) => {
        await opened.store({ ...given, purged: [] })
        const selection: Selection = {
          workspaceNo: 1,
          linkSeq: link,
          linkSeqs: null,
          from: 0,
          to: (FIRST_DAY + 100) * DAY_MS,
          filters: [],
          bots: mode,
          offsets: [],
        }
        const counts = async () => [
          await totalsOf(reports, selection),
          await reports.top(selection, 'link', 10),
          await reports.series(selection, [selection.from, (FIRST_DAY + 2) * DAY_MS, selection.to]),
          link === null
            ? (await reports.top(selection, 'kind', 10)).values.map(({ clicks }) => clicks)
            : await reports.daily([link], FIRST_DAY, 10),
        ]
        const before = await counts()
        await opened.maintain((FIRST_DAY + 12) * DAY_MS, { retention: [[1, kept]] })
        expect(await counts()).toEqual(before)
      }),
      { numRuns: 8 },
    )
  })

  test('a changed retention is applied in the next round', async () => {
    await write([LINK, APRIL])
    let now = APRIL + 10 * DAY_MS
    const maintenance = await createMaintenance({
      database: opened.database,
      mainFile: join(opened.directory, 'none'),
      clock: { now: () => now },
    })
    const isDue = () => maintenance.due
    while (isDue()) await maintenance.step()
    maintenance.setRetention([[1, 30]])
    expect(isDue()).toBe(true)
    await maintenance.step()
    maintenance.setRetention([[1, 5]])
    while (isDue()) await maintenance.step()
    expect(await opened.rows('SELECT count(*) FROM clicks')).toEqual([[0n]])
    maintenance.setRetention([[1, 5]])
    expect(isDue()).toBe(false)
    now += HOUR_MS
    expect(isDue()).toBe(true)
  })
})

describe('deleted links', () => {
  test('keep their clicks while they can be restored, then lose them', async () => {
    await migrate(opened.directory)
    const mainFile = databaseFiles(opened.directory).main
    const main = openSqlite(mainFile)
    const known = LINK
    const restorable = LINK + 1
    const deleted = LINK + 2
    main.raw.run('PRAGMA foreign_keys = OFF')
    main.raw.run(
      `INSERT INTO deleted_links (seq, id, workspace_no, deleted_at, row)
       VALUES (${restorable}, 'lnk_2', 1, 0, '{}')`,
    )
    insertLink(main.raw, known)
    await write([known, APRIL], [restorable, APRIL], [deleted, APRIL], [deleted, APRIL + 1])
    await opened.rows(`INSERT INTO daily VALUES (1, ${deleted}, 1, 0, 1, 1, 1),
      (1, ${known}, 1, 0, 1, 1, 1), (1, ${deleted + 1}, 1, 0, 1, 1, 1)`)
    await opened.maintain(APRIL + DAY_MS, { mainFile })
    const links = async (table: string) =>
      (await opened.rows(`SELECT DISTINCT link FROM ${table} ORDER BY 1`)).flat().map(Number)
    expect(await links('clicks')).toEqual([known, restorable])
    expect(await links('daily')).toEqual([known])
    main.raw.run('DELETE FROM deleted_links')
    await opened.maintain(APRIL + DAY_MS, { mainFile })
    expect(await links('clicks')).toEqual([known])
    main.close()
  })
})

/** A row with a value in every column that needs one. */
function insertLink(main: ReturnType<typeof openSqlite>['raw'], seq: number): void {
  const columns = main
    .query<{ name: string; type: string; notnull: number; dflt_value: unknown }, []>(
      'PRAGMA table_info(links)',
    )
    .all()
    .filter(({ notnull, name }) => notnull === 1 || name === 'seq')
  const values = columns.map(({ name, type }) =>
    name === 'seq' ? String(seq) : type === 'TEXT' ? `'${name}'` : '1',
  )
  main.run(
    `INSERT INTO links (${columns.map(({ name }) => name).join(', ')}) VALUES (${values.join(', ')})`,
  )
}
