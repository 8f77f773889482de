/** The data that releases left, used by this version. */
import { describe, expect, test } from 'bun:test'
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { openDuckDb } from '../../src/statistics/engine/duckdb/index.ts'
import { DUCKDB_MIGRATIONS } from '../../src/statistics/engine/duckdb/schema.ts'
import { eventually } from '../harness/eventually.ts'
import { runCommand, type Slugline, startSlugline } from '../harness/process.ts'
import { answersOf, RELEASES, type Recorded, restoreData } from '../harness/releases.ts'
import { testStore } from '../harness/store.ts'

const VERSIONS = readdirSync(RELEASES).filter((it) => existsSync(join(RELEASES, it, testStore)))

/** Starts this version on a release's data; what it answers is to become what was recorded. */
async function expectAnswers(
  version: string,
  change: (dataDir: string) => Promise<void> = async () => {},
): Promise<void> {
  const folder = join(RELEASES, version, testStore)
  const text = gunzipSync(readFileSync(join(folder, 'answers.json.gz'))).toString()
  const recorded: Recorded = JSON.parse(text)
  const { key, answers } = recorded
  const { dataDir, env, dispose } = await restoreData(folder)
  let slugline: Slugline | undefined
  try {
    await change(dataDir)
    slugline = await startSlugline(env, { dataDir })
    const running = slugline
    await eventually('the rest of the journal is stored', async () => {
      const text = await (await fetch(`${running.url}/metrics`)).text()
      const bytes = [...text.matchAll(/^slugline_(?:click|statistics)_backlog_bytes (\d+)$/gm)]
      return bytes.length === 2 && bytes.every(([, value]) => value === '0') ? true : undefined
    })
    expect(await answersOf(slugline, { key, paths: Object.keys(answers) })).toMatchObject(recorded)
  } finally {
    await slugline?.dispose()
    await dispose()
    rmSync(dataDir, { recursive: true, force: true })
  }
}

async function direct(dataDir: string, statement: string): Promise<void> {
  const database = await openDuckDb(join(dataDir, 'statistics.duckdb'))
  const connection = await database.connect()
  await connection.run(statement)
  await connection.run('CHECKPOINT')
  database.close()
}

test('there is data of the first release', () => {
  expect(VERSIONS).toContain('0.1.0')
})

describe.each(VERSIONS)('the data of %s', (version) => {
  test('links, counts, statistics and the audit log are as they were', () => expectAnswers(version))
})

describe.skipIf(testStore !== 'embedded')('stored clicks', () => {
  test('of the schema before are migrated', () =>
    expectAnswers('0.1.0', (dataDir) =>
      direct(
        dataDir,
        'DROP TABLE click_sums; DROP TABLE summed_days; UPDATE state SET version = 3',
      ),
    ))

  test('of a newer schema are refused by the start, with both numbers', async () => {
    const { dataDir, env } = await restoreData(join(RELEASES, '0.1.0', 'embedded'))
    await direct(dataDir, 'UPDATE state SET version = 1000')
    try {
      const all = { ...env, PATH: process.env.PATH ?? '', SLUGLINE_DATA_DIR: dataDir, PORT: '0' }
      const { status, stderr } = await runCommand(['serve', '--json'], all)
      const { error } = JSON.parse(stderr)
      expect(error.code).toBe('DATA_NEWER')
      const known = DUCKDB_MIGRATIONS.at(-1)?.version
      expect(error.message.split('.duckdb')[1].match(/\d{1,4}(?= |\.)/g)).toEqual([
        '1000',
        `${known}`,
      ])
      expect(status).toBe(1)
    } finally {
      rmSync(dataDir, { recursive: true, force: true })
    }
  })
})
