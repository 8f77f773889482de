import { afterEach, beforeEach, expect, test } from 'bun:test'
import { copyFileSync, existsSync, mkdtempSync, rmSync, statSync, truncateSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { checkFile } from './check.ts'
import { openDuckDb } from './index.ts'

let dir: string
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'slugline-check-'))
})
afterEach(() => rmSync(dir, { recursive: true }))

async function check(file: string): Promise<number> {
  const database = await openDuckDb(file, { readonly: true })
  return (await checkFile(database).finally(database.close)).since
}

/** A file whose last blocks are free: DuckDB counts them, and has not written them. */
async function makeShort(): Promise<string> {
  const database = await openDuckDb(join(dir, 'statistics.duckdb'))
  const connection = await database.connect()
  await connection.run('CREATE TABLE other (a BIGINT, b VARCHAR)')
  const copy = join(dir, 'copy.duckdb')
  for (let n = 0; n < 200; n++) {
    const rows = 1_000 + ((n * 7_919) % 20_000)
    await connection.run(
      `INSERT INTO other SELECT range, 'x' || hash(range)::VARCHAR FROM range(${rows})`,
    )
    if (n % 7 === 3) await connection.run(`DELETE FROM other WHERE a % 3 = ${n % 3}`)
    if (n % 3 === 0) await connection.run('CHECKPOINT')
    for (const suffix of ['.wal', '']) {
      rmSync(copy + suffix, { force: true })
      if (existsSync(database.file + suffix)) copyFileSync(database.file + suffix, copy + suffix)
    }
    const copied = await openDuckDb(copy)
    const opened = await copied.connect()
    await opened.run('CHECKPOINT')
    const [size] = await opened.run('SELECT block_size * total_blocks FROM pragma_database_size()')
    copied.close()
    if (statSync(copy).size >= Number(size?.[0])) continue
    database.close()
    return copy
  }
  throw new Error('No file became short')
}

test('a file without the free blocks at its end is whole; one that is cut off is not', async () => {
  const file = await makeShort()
  expect(await check(file)).toBe(0)
  truncateSync(file, statSync(file).size / 2)
  await expect(check(file)).rejects.toThrow()
})
