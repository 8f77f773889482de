import { afterEach, beforeEach, expect, test } from 'bun:test'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openStatistics, type StatisticsDatabase } from './duckdb.ts'
import { CLICK_COLUMNS, STORED_COLUMNS } from './schema.ts'
import { click, store } from './testing/store.ts'
import { createClickWriter } from './write.ts'

const ROWS = 150_000
const KILLS = 6
let dir: string
let file: string

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'slugline-form-'))
  file = join(dir, 'statistics.duckdb')
})
afterEach(() => rmSync(dir, { recursive: true, force: true }))

async function using<R>(work: (database: StatisticsDatabase) => Promise<R>): Promise<R> {
  const database = await openStatistics(file)
  try {
    return await work(database)
  } finally {
    database.close()
  }
}

/** A file in which all texts are columns of texts, as they once were. */
async function makeOld(rows: number): Promise<void> {
  await using(async (database) => {
    const connection = await database.connect()
    const columns = await connection.all<{ name: string; type: string }>(
      `SELECT column_name AS name, data_type AS type FROM duckdb_columns()
       WHERE table_name = 'clicks'`,
    )
    const types = new Map(columns.map(({ name, type }) => [name, type]))
    await connection.run('DROP TABLE clicks')
    await connection.run(
      `CREATE TABLE clicks (${CLICK_COLUMNS.map((name) => `${name} ${types.get(name)}`).join(', ')})`,
    )
    await connection.run(`INSERT INTO clicks BY NAME SELECT range % 1000 AS link, range AS slot,
        range % 900 AS ms, 0 AS n, hash(range) AS visitor, 255 AS firsts, range % 96 AS first_slot,
        0 AS kind, false AS qr, 0 AS domain, 'C' || range % 9 AS country, 'spring' AS utm_source,
        if(range % 3 = 0, 'campaign ' || hash(range), NULL) AS utm_campaign,
        if(range % 50 = 0, '', NULL) AS utm_term, if(range % 7 = 0, 'a"b' || range % 5, NULL) AS utm_content
      FROM range(${rows})`)
    await connection.run('DELETE FROM clicks WHERE link % 10 = 3')
    await connection.run('INSERT INTO watermark VALUES (7, 99)')
    await connection.run('INSERT INTO daily VALUES (7, 8, 0, 9, 10, 11)')
  })
}

const contents = (database: StatisticsDatabase) =>
  database.connect().then(async (connection) => ({
    clicks: await connection.all(
      `SELECT count(*) AS n, bit_xor(hash(${CLICK_COLUMNS.join(', ')})) AS hash FROM clicks`,
    ),
    daily: await connection.all('SELECT * FROM daily'),
    watermark: await connection.all('SELECT * FROM watermark'),
  }))

async function readOld() {
  const database = await openStatistics(file, { readonly: true })
  const all = await contents(database)
  database.close()
  return all
}

test('a file of before is brought into the form of today, and goes on', async () => {
  await makeOld(5_000)
  const before = await readOld()
  await using(async (database) => {
    expect(await contents(database)).toEqual(before)
    expect(readdirSync(dir)).toEqual(['statistics.duckdb'])
    const connection = await database.connect()
    await connection.all(`SELECT ${STORED_COLUMNS.join(', ')} FROM clicks LIMIT 1`)
    const writer = await createClickWriter(await database.connect())
    expect(writer.watermark).toEqual({ segment: 7, offset: 99 })
    const time = Date.parse('2031-01-01T00:00:00Z')
    await store(writer, [
      click({
        time,
        linkSeq: 5,
        utm_campaign: 'summer',
        utm_content: 'a text of more than 12 bytes',
      }),
      click({ time: time + 1, linkSeq: 5, utm_term: 'x' }),
    ])
    const rows = await connection.all(
      `SELECT utm_campaign, utm_term, utm_content FROM clicks
       WHERE slot >= ${time / 900_000} ORDER BY ms`,
    )
    expect(rows).toEqual([
      { utm_campaign: 'summer', utm_term: null, utm_content: 'a text of more than 12 bytes' },
      { utm_campaign: null, utm_term: 'x', utm_content: null },
    ])
  })
})

test('killed meanwhile, it is there with all that was stored', async () => {
  await makeOld(ROWS)
  const before = await readOld()
  const worker = `
    import { openStatistics } from ${JSON.stringify(join(import.meta.dir, 'duckdb.ts'))}
    console.log('opening')
    await openStatistics(${JSON.stringify(file)})`
  for (let kill = 0; kill < KILLS; kill++) {
    const child = Bun.spawn([process.execPath, '-e', worker], { stdout: 'pipe', stderr: 'inherit' })
    for await (const _ of child.stdout) {
      setTimeout(() => child.kill('SIGKILL'), 50 + Math.random() * 600)
    }
    await child.exited
    expect(await readOld()).toEqual(before)
  }
  await using(async (database) => expect(await contents(database)).toEqual(before))
  expect(readdirSync(dir)).toEqual(['statistics.duckdb'])
})
