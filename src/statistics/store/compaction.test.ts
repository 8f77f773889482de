import { afterEach, beforeEach, expect, test } from 'bun:test'
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Compaction, type CompactionSizes, createCompaction } from './compaction.ts'
import { openStatistics, type StatisticsDatabase } from './duckdb.ts'

const SIZES: Partial<CompactionSizes> = { least: 300_000, perStep: 12_000 }
const ROWS = 60_000
const KILLS = 9
let dir: string
let file: string
let database: StatisticsDatabase
let compaction: Compaction

beforeEach(async () => {
  dir = mkdtempSync(join(tmpdir(), 'slugline-compaction-'))
  file = join(dir, 'statistics.duckdb')
})
afterEach(() => {
  database.close()
  rmSync(dir, { recursive: true, force: true })
})

async function open(): Promise<void> {
  database = await openStatistics(file)
  compaction = await createCompaction(database, SIZES)
}

async function run(...statements: string[]): Promise<void> {
  const connection = await database.connect()
  for (const statement of statements) await connection.run(statement)
  connection.close()
}

async function read<R>(sql: string): Promise<R[]> {
  const connection = await database.connect()
  try {
    return await connection.all<R>(sql)
  } finally {
    connection.close()
  }
}

/** So many clicks, the watermark behind them in the same transaction; they can't be compressed. */
function adding(rows: number, text = 'md5(random()::VARCHAR) || md5(random()::VARCHAR)'): string[] {
  return [
    'BEGIN',
    `INSERT INTO clicks BY NAME SELECT range % 1000 AS link, range AS slot, 0 AS ms, 0 AS n,
       0 AS firsts, 0 AS kind, false AS qr, 0 AS domain, [${text}] AS utm_contents
     FROM range(${rows})`,
    'CREATE OR REPLACE TEMP TABLE mark AS SELECT coalesce(max("offset"), 0) AS stored FROM watermark',
    'DELETE FROM watermark',
    `INSERT INTO watermark SELECT 1, stored + ${rows} FROM mark`,
    'COMMIT',
  ]
}

/** A file of which two thirds are free. */
async function fill(): Promise<void> {
  database = await openStatistics(file)
  await run(...adding(ROWS))
  await run('CHECKPOINT', 'DELETE FROM clicks WHERE link % 3 <> 0', 'CHECKPOINT')
  await run('DELETE FROM watermark', 'INSERT INTO watermark SELECT 1, count(*) FROM clicks')
  await run('INSERT INTO daily VALUES (7, 8, 0, 9, 10, 11), (1, 2, 0, 3, 4, 5)', 'CHECKPOINT')
  database.close()
}

const contents = async () => ({
  clicks: await read('SELECT link, slot, utm_content FROM clicks ORDER BY rowid'),
  daily: await read('SELECT * FROM daily'),
  watermark: await read('SELECT * FROM watermark'),
})
/** What has come meanwhile may be more than a step at first. */
async function replace(): Promise<void> {
  let tries = 0
  while (!(await compaction.replace())) {
    if (++tries === 20) throw new Error('The copy is given up')
  }
}

const names = () => readdirSync(dir).sort()
const copies = () => names().filter((name) => name.includes('compacted'))

test('a file that is free for the most part becomes small, with all that is in it', async () => {
  await fill()
  await open()
  const before = statSync(file).size
  while (await compaction.step()) await run(...adding(1_000, "'late'"))
  expect(compaction.ready).toBe(true)
  await run(...adding(10, "'later'"))
  const all = await contents()
  await replace()
  database.close()
  expect(names()).toEqual(['statistics.duckdb'])
  expect(statSync(file).size).toBeLessThan(before / 2)
  await open()
  expect(await contents()).toEqual(all)
  // Nothing is left to do.
  expect(await compaction.step()).toBe(false)
  expect(compaction.ready).toBe(false)
})

test('nobody else opens the file before the process that made the copy has gone', async () => {
  await fill()
  await open()
  while (await compaction.step());
  await replace()
  const other = Bun.spawnSync([
    process.execPath,
    '-e',
    `import { openStatistics } from ${JSON.stringify(join(import.meta.dir, 'duckdb.ts'))}
     await openStatistics(${JSON.stringify(file)}).then(() => console.log('open'), () => console.log('locked'))`,
  ])
  expect(other.stdout.toString()).toBe('locked\n')
})

test('a copy that is given up leaves nothing, and the file as it was', async () => {
  await fill()
  await open()
  const all = await contents()
  await compaction.step()
  await compaction.step()
  expect(names()).toHaveLength(3)
  await compaction.abandon()
  expect(names()).toEqual(['statistics.duckdb'])
  expect(compaction.ready).toBe(false)
  expect(await compaction.replace()).toBe(false)
  expect(await contents()).toEqual(all)
  // Another one can be made.
  while (await compaction.step());
  await replace()
})

test('changes that the copy has not are noticed, and the file stays', async () => {
  await fill()
  await open()
  while (await compaction.step());
  await run('UPDATE clicks SET link = link + 1 WHERE slot = 3')
  const all = await contents()
  expect(await compaction.replace()).toBe(false)
  expect(copies()).toEqual([])
  expect(await contents()).toEqual(all)
})

test('killed at any moment, the file is there with all that was stored', async () => {
  await fill()
  const worker = `
    import { openStatistics } from ${JSON.stringify(join(import.meta.dir, 'duckdb.ts'))}
    import { createCompaction } from ${JSON.stringify(join(import.meta.dir, 'compaction.ts'))}
    const database = await openStatistics(${JSON.stringify(file)})
    const compaction = await createCompaction(database, ${JSON.stringify({ ...SIZES, perStep: 5_000 })})
    const writing = await database.connect()
    console.log('open')
    do {
      for (const statement of ${JSON.stringify(adding(500, "'late'"))}) await writing.run(statement)
      console.log('stored')
    } while (await compaction.step())
    console.log('replacing')
    for (let tries = 0; tries < 100 && !(await compaction.replace()); tries++);
    console.log('replaced')
    database.close()`
  let known = await storedNow()
  let smaller = false
  const before = statSync(file).size
  for (let kill = 0; kill <= KILLS; kill++) {
    const child = Bun.spawn([process.execPath, '-e', worker], { stdout: 'pipe', stderr: 'inherit' })
    let said = ''
    let timer: Timer | undefined
    const decoder = new TextDecoder()
    for await (const bytes of child.stdout) {
      said += decoder.decode(bytes)
      // The last times in the moments around the change of the files.
      const isLate = kill >= 6
      if (said.includes(isLate ? 'replacing' : 'open')) {
        timer ??= setTimeout(() => child.kill('SIGKILL'), Math.random() * (isLate ? 300 : 400))
        // Once it comes to its end by itself.
        if (kill === KILLS) clearTimeout(timer)
      }
    }
    await child.exited
    clearTimeout(timer)
    await open()
    const [row] = await read<{ clicks: bigint; stored: bigint }>(
      'SELECT (SELECT count(*) FROM clicks) AS clicks, (SELECT "offset" FROM watermark) AS stored',
    )
    expect(row?.clicks).toBe(row?.stored as bigint)
    // What was told to be stored is there.
    const told = said.split('stored\n').length - 1
    expect(Number(row?.stored)).toBeGreaterThanOrEqual(known + told * 500)
    known = Number(row?.stored)
    expect(copies()).toEqual([])
    database.close()
    if (statSync(file).size < before * 0.8) {
      smaller = true
      rmSync(file)
      await fill()
      known = await storedNow()
    }
  }
  expect(smaller).toBe(true)
})

async function storedNow(): Promise<number> {
  database = await openStatistics(file)
  const [row] = await read<{ stored: bigint }>('SELECT "offset" AS stored FROM watermark')
  database.close()
  return Number(row?.stored)
}
