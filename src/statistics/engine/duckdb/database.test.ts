import { afterEach, beforeEach, expect, test } from 'bun:test'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import { stateOf } from '../../process/store-state.ts'
import { openDuckDb } from './database.ts'
import type { DuckDb } from './types.ts'

let directory: string
let file: string
let database: DuckDb | undefined

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'slugline-duckdb-'))
  file = join(directory, 'statistics.duckdb')
})
afterEach(() => {
  database?.close()
  database = undefined
  rmSync(directory, { recursive: true, force: true })
})

async function makeFile(...statements: readonly string[]): Promise<void> {
  const instance = await DuckDBInstance.create(file)
  const connection = await instance.connect()
  for (const statement of statements) await connection.run(statement)
  connection.closeSync()
  instance.closeSync()
}

test.each([
  [['CREATE TABLE clicks (link BIGINT, slot INTEGER)']],
  [['CREATE TABLE state (version INTEGER)', 'INSERT INTO state VALUES (2)']],
  [[]],
])('a file of another format is refused, and stays as it is: %p', async (statements) => {
  await makeFile(...statements)
  await expect(openDuckDb(file)).rejects.toMatchObject({ code: 'DATA_OLD' })
  expect(readdirSync(directory)).toEqual(['statistics.duckdb'])
})

test('a file whose creation was interrupted is created again', async () => {
  writeFileSync(`${file}.new`, 'half')
  writeFileSync(`${file}.new.wal`, 'half')
  database = await openDuckDb(file)
  expect(existsSync(`${file}.new`)).toBe(false)
})

test('a damaged file is refused as such', async () => {
  writeFileSync(file, 'not a database '.repeat(2_000))
  const error = await openDuckDb(file).catch((it) => it)
  expect(stateOf(error)).toBe('corrupt')
})

test('what a killed process left in the temporary directory is deleted', async () => {
  mkdirSync(`${file}.tmp`)
  writeFileSync(join(`${file}.tmp`, 'batch.ndjson'), '{}')
  database = await openDuckDb(file)
  expect(readdirSync(database.temporary)).toEqual([])
})

test('queries reach no other files, load no extensions, and change no settings but memory', async () => {
  database = await openDuckDb(file)
  const connection = await database.connect()
  const other = join(directory, 'other.csv')
  writeFileSync(other, 'a\n1\n')
  for (const sql of [
    `SELECT * FROM read_csv('${other}')`,
    `COPY (SELECT 1) TO '${other}'`,
    `COPY (SELECT 1) TO '${database.temporary}/../out.csv'`,
    `ATTACH '${join(directory, 'other.duckdb')}' AS other`,
    `SELECT * FROM read_text('/etc/passwd')`,
    'INSTALL httpfs',
    'LOAD httpfs',
    `LOAD '${join(directory, 'own.duckdb_extension')}'`,
    'SET lock_configuration = false',
    "SET allowed_directories = ['/']",
    'SET enable_external_access = true',
    "SET temp_directory = '/tmp'",
  ]) {
    await expect(connection.run(sql)).rejects.toThrow(/disabled|locked/)
  }
  await connection.run(`COPY (SELECT 1) TO '${database.temporary}/out.csv'`)
  await connection.run("SET memory_limit = '100MB'")
})

test('a query is interrupted when its caller has gone, and the connection stays usable', async () => {
  database = await openDuckDb(file)
  const connection = await database.connect()
  const abort = new AbortController()
  const query = connection.run('SELECT count(*) FROM range(1e13::BIGINT)', [], abort.signal)
  abort.abort(new Error('gone'))
  await expect(query).rejects.toThrow('gone')
  expect(await connection.run('SELECT 1')).toEqual([[1]])
})

test('closing waits for running queries, which are interrupted', async () => {
  const closing = await openDuckDb(file)
  const connection = await closing.connect()
  const query = connection.run('SELECT count(*) FROM range(1e13::BIGINT)')
  closing.close()
  await expect(query).rejects.toThrow()
  await expect(connection.run('SELECT 1')).rejects.toThrow()
  database = await openDuckDb(file)
})

test('memory can be released while nothing runs', async () => {
  database = await openDuckDb(file)
  const connection = await database.connect()
  await connection.run('CREATE TABLE t AS SELECT range AS a FROM range(1000000)')
  await database.releaseMemory()
  expect(await connection.run('SELECT count(*) FROM t')).toEqual([[1_000_000n]])
})
