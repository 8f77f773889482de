import { existsSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import { openClickHouse } from '../../src/statistics/engine/clickhouse/client.ts'
import { sharedPostgres } from './postgres.ts'
import type { Slugline } from './process.ts'
import { startRedis } from './redis.ts'
import { sharedClickHouse, testStore } from './store.ts'

/** What releases left, by version and store; `scripts/release-fixture.ts` makes it. */
export const RELEASES = resolve(import.meta.dir, '../fixtures/releases')

/** The settings that the data of releases was made with. */
export const RELEASE_ENV = { BASE_URL: 'http://links.example', TRUSTED_PROXIES: '127.0.0.0/8' }

/** What an instance of a release answered. */
export interface Recorded {
  key: string
  /** Responses of the API by path. */
  answers: Record<string, unknown>
  /** Entries of the audit log, the newest first. */
  audit: unknown
}

/** A table of ClickHouse. */
interface Table {
  name: string
  create: string
  columns: string[]
  rows: unknown[][]
}

/** What these paths answer now, and the audit log. */
export async function answersOf(
  slugline: Slugline,
  { key, paths }: { key: string; paths: readonly string[] },
): Promise<Recorded> {
  const answers: Record<string, unknown> = {}
  for (const path of paths) {
    const response = await slugline.call('GET', path, { key })
    if (!response.ok) throw new Error(`${path}: ${await response.text()}`)
    answers[path] = await response.json()
  }
  const { stdout, stderr } = await slugline.cli('audit', '--limit', '1000', '--json')
  if (stderr !== '') throw new Error(stderr)
  return { key, answers, audit: JSON.parse(stdout) }
}

/** Saves the data of an instance that doesn't run, in a folder. */
export async function saveData(folder: string, dataDir: string, env: Record<string, string>) {
  mkdirSync(folder, { recursive: true })
  run([
    'tar',
    '-czf',
    join(folder, 'data.tar.gz'),
    '--exclude=*.tmp',
    '--exclude=server.pid',
    '-C',
    dataDir,
    '.',
  ])
  const { DATABASE_URL, CLICKHOUSE_URL } = env
  if (DATABASE_URL !== undefined) {
    const options = ['--inserts', '--rows-per-insert=500', '--no-owner', '--no-privileges']
    const dump = run(['pg_dump', ...options, DATABASE_URL])
    // For psql alone.
    const text = dump.replaceAll(/^\\.*\n/gm, '')
    writeFileSync(join(folder, 'postgres.sql.gz'), gzipSync(text, { level: 9 }))
  }
  if (CLICKHOUSE_URL === undefined) return
  const clickHouse = openClickHouse(CLICKHOUSE_URL)
  const names = await clickHouse.rows('SHOW TABLES')
  const tables: Table[] = []
  for (const name of names.flat().map(String)) {
    const [[create] = []] = await clickHouse.rows(`SHOW CREATE TABLE ${name}`)
    const columns = await clickHouse.rows(`DESCRIBE TABLE ${name}`)
    tables.push({
      name,
      create: String(create).replace(/^CREATE TABLE \S+/, `CREATE TABLE ${name}`),
      columns: columns.map(([column]) => String(column)),
      rows: await clickHouse.rows(`SELECT * FROM ${name}`),
    })
  }
  await clickHouse.close()
  const text = JSON.stringify(tables)
  writeFileSync(join(folder, 'clickhouse.json.gz'), gzipSync(text, { level: 9 }))
}

/** Puts what a folder has into new places. */
export async function restoreData(
  folder: string,
): Promise<{ dataDir: string; env: Record<string, string>; dispose(): Promise<void> }> {
  const dataDir = mkdtempSync(join(tmpdir(), 'slugline-release-'))
  run(['tar', '-xzf', join(folder, 'data.tar.gz'), '-C', dataDir])
  if (testStore === 'embedded') return { dataDir, env: RELEASE_ENV, async dispose() {} }
  const [postgres, redis] = [await sharedPostgres(), await startRedis()]
  const database = await postgres.createDatabase({ empty: true })
  const dump = gunzipSync(readFileSync(join(folder, 'postgres.sql.gz'))).toString()
  await postgres.admin(dump, new URL(database).pathname.slice(1))
  const env: Record<string, string> = {
    ...RELEASE_ENV,
    DATABASE_URL: database,
    REDIS_URL: redis.url,
  }
  const clicks = join(folder, 'clickhouse.json.gz')
  if (existsSync(clicks)) {
    env.CLICKHOUSE_URL = (await sharedClickHouse()).url(`release_${Date.now()}`)
    const clickHouse = openClickHouse(env.CLICKHOUSE_URL)
    await clickHouse.createDatabase()
    const tables = JSON.parse(gunzipSync(readFileSync(clicks)).toString()) as Table[]
    for (const { name, create, columns, rows } of tables) {
      await clickHouse.command(create)
      const lines = rows.map((row) => `${JSON.stringify(row)}\n`)
      if (lines.length > 0) await clickHouse.insert(name, columns, 'JSONCompactEachRow', lines)
    }
    await clickHouse.close()
  }
  return { dataDir, env, dispose: redis.dispose }
}

function run(command: string[]): string {
  const { exitCode, stdout, stderr } = Bun.spawnSync(command)
  if (exitCode !== 0) throw new Error(`${command[0]}: ${stderr}`)
  return stdout.toString()
}
