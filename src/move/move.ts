import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { type DataDirLock, lockDataDir, lockState } from '../operations/lock.ts'
import { type ClickHouse, openClickHouse } from '../statistics/engine/clickhouse/client.ts'
import { migrateClickHouse } from '../statistics/engine/clickhouse/schema.ts'
import { migrateScaled } from '../storage/index.ts'
import {
  checkClickHouse,
  checkSource,
  checkTarget,
  checkUnused,
  MoveRefused,
  nameOfSource,
} from './checks.ts'
import { type ClickStore, moveClicks } from './clicks.ts'
import { clicksInClickHouse } from './clicks-clickhouse.ts'
import { clicksInPostgres } from './clicks-postgres.ts'
import { isSame } from './digest.ts'
import { moveInstanceFacts } from './instance.ts'
import { type Moved, moveTables, type Progress } from './rows.ts'
import { openSource } from './source.ts'
import { tablesOf } from './tables.ts'
import { openTarget, type Target } from './target.ts'

/** What is moved, and where to. Addresses may hold passwords. */
export interface MoveOptions {
  /** The embedded instance's data directory; its server may run. */
  dataDir: string
  /** The environment's secret; null: the data directory's. */
  given: string | null
  geoipDatabase: string | null
  /** PostgreSQL: `postgres://…`. */
  to: string
  /** ClickHouse, for the clicks; null: PostgreSQL has them, too. */
  clickHouse: string | null
  progress: Progress
}

/** What a move came to. */
export interface MoveResult {
  /** The server was running: what it has written since `asOf` isn't in the target. */
  wasRunning: boolean
  /** Milliseconds since the Unix epoch. */
  asOf: number
  tables: Moved[]
  /** Every table has the same rows on both sides. */
  isComplete: boolean
}

/** Where a data directory keeps a move's copies, which go with it. */
export function movingDirectory(dataDir: string): string {
  return join(dataDir, 'moving')
}

/**
 * Makes a database, and ClickHouse, what an embedded instance was at one moment after the call. It
 * may be broken off anywhere and called again: what is the same already stays. The instance is only
 * read; it can't be started meanwhile if it didn't run.
 * @throws MoveRefused; DataDirLocked; UnfitDatabase; StatisticsBusy; what the driver says
 */
export async function moveInstance(options: MoveOptions): Promise<MoveResult> {
  const { dataDir } = options
  const secret = await checkSource(dataDir, options.given)
  const moving = movingDirectory(dataDir)
  mkdirSync(moving, { recursive: true, mode: 0o700 })
  const own = lockMoving(moving)
  let lock: DataDirLock | undefined
  try {
    const wasRunning = lockState(dataDir).held
    if (!wasRunning) lock = lockDataDir(dataDir)
    const scratch = join(moving, 'copy')
    return await intoTarget(options, { source: nameOfSource(dataDir, secret), scratch, wasRunning })
  } finally {
    lock?.release()
    own.release()
    rmSync(moving, { recursive: true, force: true })
  }
}

function lockMoving(moving: string): DataDirLock {
  try {
    return lockDataDir(moving)
  } catch (error) {
    throw (error as Error).name === 'DataDirLocked' ? new MoveRefused('MOVE_RUNNING') : error
  }
}

interface Begun {
  source: string
  scratch: string
  wasRunning: boolean
}

async function intoTarget(options: MoveOptions, begun: Begun): Promise<MoveResult> {
  await migrateScaled(options.to)
  const target = await openTarget(options.to)
  // Clicks have a connection of their own: they are copied beside the other tables.
  const other = await openTarget(options.to)
  const clickHouse = options.clickHouse === null ? null : openClickHouse(options.clickHouse)
  try {
    const clicks = options.clickHouse === null ? 'postgres' : nameOfClickHouse(options.clickHouse)
    const state = await checkTarget(target, begun.source)
    if (clickHouse !== null) {
      await migrateClickHouse(clickHouse)
      if (state?.clicks !== clicks) await checkClickHouse(clickHouse)
    }
    await target.begin({ source: begun.source, clicks })
    // An earlier move may have brought them to where they aren't wanted any more.
    if (clickHouse !== null) await target.all('TRUNCATE clicks, daily')
    return await copy(options, begun, target, storeOf(other, clickHouse))
  } finally {
    await Promise.all([target.close(), other.close(), clickHouse?.close()])
  }
}

function storeOf(target: Target, clickHouse: ClickHouse | null): ClickStore {
  return clickHouse === null ? clicksInPostgres(target) : clicksInClickHouse(clickHouse)
}

async function copy(
  options: MoveOptions,
  { scratch, wasRunning }: Begun,
  target: Target,
  clicks: ClickStore,
): Promise<MoveResult> {
  const { dataDir, geoipDatabase, to: url, given, progress } = options
  const source = await openSource({ dataDir, scratch, geoipDatabase })
  try {
    const known = await tablesOf(source, target)
    await moveInstanceFacts(source, target, { url, dataDir, scratch, given })
    const [rows, ofClicks] = await both(
      moveTables(known, target, progress),
      moveClicks(source.clicks, clicks, { progress }),
    )
    const tables = [...rows, ...ofClicks]
    const isComplete = tables.every((table) => isSame(table.source, table.target))
    // One that was starting when the move began has not heard of it.
    await checkUnused(target)
    if (isComplete) {
      // So that the first questions are planned well, and find the search index in order.
      const filled = rows.filter(({ copied }) => copied > 0).map(({ table }) => table)
      if (filled.length > 0) await target.all(`VACUUM (ANALYZE) ${filled.join(', ')}`)
      await target.end()
    }
    return { wasRunning, asOf: source.asOf, tables, isComplete }
  } finally {
    source.close()
  }
}

/** Waits for both, so that nobody works on what is closed when one fails. */
async function both<A, B>(a: Promise<A>, b: Promise<B>): Promise<[A, B]> {
  await Promise.allSettled([a, b])
  return [await a, await b]
}

/** Which ClickHouse it is, without who asks it. */
function nameOfClickHouse(url: string): string {
  const { host, pathname } = new URL(url)
  return `clickhouse ${host}${pathname}`
}
