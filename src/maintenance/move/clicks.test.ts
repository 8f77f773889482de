import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { postgresMissing, sharedPostgres } from '../../../test/harness/postgres.ts'
import { type DuckDb, openDuckDb } from '../../statistics/engine/duckdb/index.ts'
import type { Connection } from '../../statistics/engine/duckdb/types.ts'
import { CLICK_TABLES, clicksInPostgres, digestSql, duckDbEngine } from './click-store.ts'
import { moveClicks } from './clicks.ts'
import { type Digest, digestOf, NONE, plus } from './digest.ts'
import { type Marks, openMarks } from './marks.ts'
import { openTarget, type Target } from './target.ts'

const HOUR = 3_600_000
const START = 490_000 * HOUR
const RUNS = Number(Bun.env.MOVE_RUNS ?? 5)

describe.skipIf(postgresMissing !== undefined)('moved clicks', () => {
  let dir: string
  let database: DuckDb
  let connection: Connection
  let target: Target
  let marks: Marks
  let n: number

  beforeEach(async () => {
    dir = mkdtempSync(join(tmpdir(), 'slugline-move-clicks-'))
    database = await openDuckDb(join(dir, 'statistics.duckdb'))
    connection = await database.connect()
    target = await openTarget(await (await sharedPostgres()).createDatabase())
    marks = await openMarks(target)
    n = 0
  })
  afterEach(async () => {
    await target.close()
    database.close()
    rmSync(dir, { recursive: true, force: true })
  })

  const click = (time: number, link = 1) =>
    connection.run(
      `INSERT INTO clicks BY NAME SELECT 1 AS workspace, ${link} AS link, ${time} AS time, ${n++} AS n,
        hash(${n}) AS visitor, 0 AS kind, true AS qr, 0 AS domain, 'DE' || chr(0) AS country`,
    )

  /** Moves, and holds all rows of both sides against each other. Returns how many were copied. */
  async function move(): Promise<number> {
    const store = clicksInPostgres(target)
    await marks.assertOurs([])
    const moved = await moveClicks(database, store, { marks, progress() {} })
    const source = duckDbEngine((sql) => connection.run(sql))
    for (const [i, table] of CLICK_TABLES.entries()) {
      const [own, theirs] = (await Promise.all(
        [source, store].map(async (engine) =>
          (
            await engine.rows(digestSql(table, engine, 'true'))
          )
            .map(([, count, sum]) => digestOf(count, sum))
            .reduce(plus, NONE),
        ),
      )) as [Digest, Digest]
      expect(theirs).toEqual(own)
      expect(moved[i]).toMatchObject({ source: own, target: own })
    }
    return moved.reduce((sum, { copied }) => sum + copied, 0)
  }

  test('are those of the file after any additions, purges and deletions', async () => {
    const change = fc.oneof(
      { weight: 6, arbitrary: fc.record({ time: fc.nat(5 * HOUR), link: fc.nat(5) }) },
      { weight: 1, arbitrary: fc.record({ forget: fc.nat(5) }) },
      { weight: 1, arbitrary: fc.record({ purge: fc.nat(5) }) },
    )
    const round = fc.array(change, { maxLength: 15 })
    await fc.assert(
      fc.asyncProperty(fc.array(round, { minLength: 2, maxLength: 4 }), async (rounds) => {
        for (const changes of rounds) {
          for (const one of changes) {
            if ('time' in one) await click(START + one.time, one.link)
            else if ('forget' in one) {
              await connection.run(`DELETE FROM clicks WHERE link = ${one.forget}`)
              await connection.run(`DELETE FROM daily WHERE link = ${one.forget}`)
            } else {
              await connection.run(
                `DELETE FROM clicks WHERE time < ${START + one.purge * HOUR};
                 INSERT INTO daily VALUES (1, ${one.purge}, ${n++}, 0, 1, 1, 1)`,
              )
            }
          }
          await move()
        }
        expect(await move()).toBe(0)
      }),
      { numRuns: RUNS, endOnFailure: true },
    )
  }, 600_000)

  test('are only the newer ones of an hour', async () => {
    for (let i = 0; i < 20; i++) await click(START + i)
    expect(await move()).toBe(20)
    // Of the same millisecond as the last one, and later.
    await click(START + 19)
    await click(START + 30)
    await click(START + HOUR)
    expect(await move()).toBe(3)
    // One that is late: the hour is replaced.
    await click(START + 3)
    expect(await move()).toBe(23)
    await connection.run('DELETE FROM clicks')
    expect(await move()).toBe(0)
  }, 60_000)

  test('may be in very many hours, all of which have changed', async () => {
    const add = (link: number) =>
      connection.run(
        `INSERT INTO clicks BY NAME SELECT 1 AS workspace, ${link} AS link, ${START} + range * ${HOUR} AS time,
          ${link} AS n, range AS visitor, 0 AS kind, false AS qr, 0 AS domain FROM range(6000)`,
      )
    await add(1)
    expect(await move()).toBe(6_000)
    await add(2)
    expect(await move()).toBe(12_000)
    await connection.run(`DELETE FROM clicks WHERE link = 1 AND time % ${2 * HOUR} = 0`)
    expect(await move()).toBe(3_000)
  }, 60_000)

  test('that were not compared before an interruption are compared by the next run', async () => {
    for (let i = 0; i < 5; i++) await click(START + i)
    await move()
    await target.all("UPDATE move_marks SET verified = false, checksum = '0'")
    expect(await move()).toBe(0)
    await click(START + 9)
    await target.all("UPDATE move_marks SET verified = false, checksum = '0'")
    expect(await move()).toBe(6)
    expect((await marks.of('clicks')).every(({ verified }) => verified)).toBe(true)
  }, 60_000)
})
