import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { eventually } from '../../../test/harness/eventually.ts'
import { systemClock } from '../../lib/base/clock.ts'
import { SEQS_PER_WORKSPACE } from '../../platform/storage/index.ts'
import { copyMigrated } from '../../platform/storage/testing/database.ts'
import { CRAWLER, openSite, type Site } from '../../redirect/testing/site.ts'
import { openDuckDb } from '../engine/duckdb/index.ts'
import { totalsOf } from '../reports/testing/world.ts'
import { type Counts, type Selection, StatisticsUnavailable } from '../types.ts'
import { createStatistics, type Statistics, statisticsFile } from './index.ts'
import { socketPath } from './socket.ts'

const MAIN = join(import.meta.dir, 'testing/main.ts')
const ALL: Selection = {
  workspaceNo: 1,
  linkSeq: null,
  linkSeqs: null,
  from: 0,
  to: Number.MAX_SAFE_INTEGER,
  filters: [],
  bots: 'exclude',
  offsets: [],
}
let dir: string
let site: Site
let statistics: Statistics

beforeEach(async () => {
  dir = mkdtempSync(join(tmpdir(), 'slugline-process-'))
  await copyMigrated(dir)
  site = await openSite(dir)
})

afterEach(async () => {
  await statistics?.stop(2_000)
  await site.close()
  rmSync(dir, { recursive: true, force: true })
})

function start(...args: string[]): Statistics {
  statistics = createStatistics({
    command: [process.execPath, '--smol', MAIN, dir, ...args],
    journal: site.journal,
    clock: systemClock,
  })
  return statistics
}

async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await condition())) await Bun.sleep(10)
}

/** The answer; if the machine is too busy to start or end the process in time, the next one. */
function answered(): Promise<Counts> {
  return eventually('it answers', () =>
    totalsOf(statistics.client, ALL).catch((error) => {
      if (/does not start|answered 503/.test(error.message)) return undefined
      throw error
    }),
  )
}

const stored = () => until(() => statistics.state().backlogBytes === 0)

describe('the statistics process', () => {
  test('stores clicks when it is notified, and answers queries', async () => {
    await site.addLink({ slug: 'a' })
    start()
    expect(statistics.state()).toMatchObject({ running: false, store: 'opening', stored: 0 })
    await site.visit('/a')
    await site.visit('/a', {}, '203.0.113.99')
    await site.visit('/a', { headers: { 'user-agent': CRAWLER } })
    statistics.wake()
    await stored()
    expect(statistics.state()).toMatchObject({
      running: true,
      store: 'ok',
      stored: 3,
      watermark: site.journal.position,
      backlogSeconds: 0,
      restarts: 0,
    })
    expect(statistics.state().fileBytes).toBeGreaterThan(0)
    expect(await totalsOf(statistics.client, ALL)).toEqual({ clicks: 2, unique: 2, bots: 1 })
    const clicks = await statistics.client.clicks({ ...ALL, bots: 'include' }, { limit: 10 })
    expect(clicks).toHaveLength(3)
  })

  test('is started by a query, ends when idle, and is started again', async () => {
    start('150')
    for (let round = 0; round < 3; round++) {
      expect(await answered()).toEqual({ clicks: 0, unique: 0, bots: 0 })
      await until(() => !statistics.state().running)
    }
    expect(statistics.state().restarts).toBe(0)
  })

  test('a query during its end is answered by the next process', async () => {
    start('1')
    const questions = Array.from({ length: 15 }, async (_, i) => {
      await Bun.sleep(i * 60)
      return await answered()
    })
    expect(await Promise.all(questions)).toHaveLength(15)
  })

  test('has its own socket while the process of a killed server ends', async () => {
    start()
    await answered()
    const elder = statistics
    // As after kill -9: the older one is still running when the next one is started.
    start()
    statistics.retentionChanged()
    await until(() => statistics.state().store === 'locked')
    await elder.stop()
    await until(() => statistics.state().store === 'ok')
    expect(await totalsOf(statistics.client, ALL)).toMatchObject({ clicks: 0 })
    await statistics.stop()
    expect(existsSync(socketPath(dir))).toBe(false)
  })

  test('says that it migrates; visits go on; one that is killed goes on when it starts again', async () => {
    await site.addLink({ slug: 'a' })
    start()
    await site.visit('/a')
    statistics.wake()
    await stored()
    await statistics.stop()
    const hold = join(dir, 'end')
    start('60000', hold)
    await site.visit('/a')
    statistics.wake()
    await until(() => statistics.state().store === 'migrating')
    await site.visit('/a')
    statistics.wake()
    await expect(totalsOf(statistics.client, ALL)).rejects.toThrow(StatisticsUnavailable)
    // Killed, as it doesn't end in time.
    await statistics.stop(0)
    const before = statistics.state()
    expect(before.backlogBytes).toBeGreaterThan(0)
    start('60000', hold)
    statistics.wake()
    await until(() => statistics.state().store === 'migrating')
    writeFileSync(hold, '')
    await until(() => statistics.state().store === 'ok')
    await stored()
    expect(await totalsOf(statistics.client, ALL)).toMatchObject({ clicks: 3 })
    await statistics.stop()
    // The next version has migrated it.
    start()
    statistics.wake()
    await until(() => statistics.state().store === 'newer')
  })

  test('a failed query is unavailable, and the next one is answered', async () => {
    start()
    await expect(statistics.client.clicks(ALL, { limit: -1 })).rejects.toThrow(
      StatisticsUnavailable,
    )
    expect(await totalsOf(statistics.client, ALL)).toMatchObject({ clicks: 0 })
  })

  test('stores each click once, whenever it is killed', async () => {
    await site.addLink({ slug: 'a' })
    start()
    let visits = 0
    const kills = 6
    for (let kill = 0; kill < kills; kill++) {
      for (let i = 0; i < 400; i++) {
        await site.visit('/a')
        visits++
        statistics.wake()
      }
      await until(() => statistics.state().running)
      await Bun.sleep(Math.random() * 500)
      const holder = pidOf(dir)
      if (holder !== undefined) process.kill(holder, 'SIGKILL')
    }
    statistics.wake()
    await stored()
    expect(await totalsOf(statistics.client, ALL)).toEqual({ clicks: visits, unique: 1, bots: 0 })
    expect(statistics.state().restarts).toBeGreaterThan(0)
  })
})

/** The running statistics process of a data directory. */
function pidOf(dataDir: string): number | undefined {
  const { stdout } = Bun.spawnSync(['pgrep', '-f', `testing/main.ts ${dataDir}`])
  const [pid] = stdout.toString().trim().split('\n')
  return pid ? Number(pid) : undefined
}

describe('a statistics file', () => {
  test('that another process has locked is waited for', async () => {
    const seq = await site.addLink({ slug: 'a' })
    const holder = Bun.spawn({
      cmd: [
        process.execPath,
        '-e',
        `import { openDuckDb } from ${JSON.stringify(join(import.meta.dir, '../engine/duckdb/index.ts'))}
         globalThis.held = await openDuckDb(${JSON.stringify(statisticsFile(dir))})
         console.log('held')
         setInterval(() => {}, 1000)`,
      ],
      stdout: 'pipe',
    })
    const reader = holder.stdout.getReader()
    await reader.read()
    start()
    await site.visit('/a')
    statistics.wake()
    await until(() => statistics.state().store === 'locked')
    await expect(totalsOf(statistics.client, ALL)).rejects.toThrow(StatisticsUnavailable)
    expect(statistics.state()).toMatchObject({ running: true, restarts: 0 })
    expect((await site.visit('/a')).status).toBe(302)
    expect(seq).toBeGreaterThan(SEQS_PER_WORKSPACE)
    holder.kill('SIGKILL')
    await stored()
    expect(await totalsOf(statistics.client, ALL)).toMatchObject({ clicks: 2 })
  })

  test('that is damaged is reported, and never replaced', async () => {
    await site.addLink({ slug: 'a' })
    const garbage = 'not a database '.repeat(2_000)
    writeFileSync(statisticsFile(dir), garbage)
    start()
    await site.visit('/a')
    statistics.wake()
    await until(() => statistics.state().store === 'corrupt')
    await expect(totalsOf(statistics.client, ALL)).rejects.toThrow(StatisticsUnavailable)
    expect(readFileSync(statisticsFile(dir), 'utf8')).toBe(garbage)
    rmSync(statisticsFile(dir))
    await stored()
    expect(await totalsOf(statistics.client, ALL)).toMatchObject({ clicks: 1 })
  })

  test('that is missing is created from the journal', async () => {
    await site.addLink({ slug: 'a' })
    await site.visit('/a')
    expect(existsSync(statisticsFile(dir))).toBe(false)
    start()
    await stored()
    await statistics.stop()
    const database = await openDuckDb(statisticsFile(dir), { readonly: true })
    const connection = await database.connect()
    // None of it is missing.
    expect(await connection.run('SELECT since FROM state')).toEqual([[0n]])
    database.close()
  })
})

test('a data directory with a long path has its socket in another directory', () => {
  expect(socketPath('/data')).toBe('/data/statistics.sock')
  const long = `/${'d'.repeat(120)}`
  expect(socketPath(long)).toBe(socketPath(long))
  expect(Buffer.byteLength(socketPath(long))).toBeLessThan(100)
  expect(socketPath(`${long}x`)).not.toBe(socketPath(long))
})
