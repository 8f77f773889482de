import { accessSync, constants, existsSync, statfsSync } from 'node:fs'
import type { Clock } from '../base/clock.ts'
import type { Journal } from '../clicks/index.ts'
import type { Cluster } from '../cluster/index.ts'
import type { CachedResolver } from '../redirect/index.ts'
import type { Statistics } from '../statistics/process/index.ts'
import { type Storage, StorageUnavailable } from '../storage/index.ts'
import type { WorkerState } from '../workers/index.ts'
import { degraded, failed, type HealthCheck, OK } from './health.ts'

/** A longer lag of the counters is reported. */
const LAG_DEGRADED_SECONDS = 60

/** Whether clicks reach the disk. */
export function journalCheck(journal: Pick<Journal, 'healthy'>): HealthCheck {
  return {
    name: 'journal',
    check: () => (journal.healthy ? OK : failed('not_writable')),
  }
}

/** Whether clicks are counted. Redirects don't need it, so it never makes the instance unready. */
export function workerCheck(worker: { state(): WorkerState }): HealthCheck {
  return {
    name: 'click_worker',
    check: () => (worker.state().backlogSeconds > LAG_DEGRADED_SECONDS ? degraded('behind') : OK),
  }
}

/**
 * Whether clicks reach the statistics. Neither redirects nor links need them, so they never make
 * the instance unready: what waits is kept in the journal.
 */
export function statisticsCheck(statistics: Pick<Statistics, 'state'>): HealthCheck {
  return {
    name: 'statistics',
    check() {
      const { running, restarts, store, backlogSeconds, since } = statistics.state()
      if (store !== 'ok' && store !== 'opening') return degraded(store)
      // It has never come so far as to open its file.
      if (store === 'opening' && restarts > 0 && !running) return degraded('not_starting')
      if (backlogSeconds > LAG_DEGRADED_SECONDS) return degraded('behind')
      // Nothing to be done about it: told, and no alarm.
      return since > 0 ? { status: 'ok', reason: 'incomplete' } : OK
    },
  }
}

type LinkMemory = Pick<CachedResolver, 'state'>

/** How long it is reported that visits were refused. */
const REFUSED_MS = 10_000

/**
 * Whether the shared database takes writes. While it doesn't, a node that remembers links continues to
 * redirect, so it stays in service: `degraded`. One that remembers nothing is of no use.
 */
export function sharedStorageCheck(
  storage: Pick<Storage, 'probe'>,
  memory: LinkMemory,
): HealthCheck {
  return {
    name: 'storage',
    async check() {
      try {
        await storage.probe()
      } catch {
        return memory.state().entries > 0 ? degraded('away') : failed('away')
      }
      return memory.state().away ? degraded('away') : OK
    },
  }
}

/**
 * Whether the node could redirect without its database: `unfilled`, it has not read the links yet;
 * `refusing`, visits were refused just now, because their links aren't in memory. That more links
 * exist than there is room for is reported as `part`, without an alarm.
 */
export function linksCheck(memory: LinkMemory, clock: Clock): HealthCheck {
  let before = 0
  let refusedAt = -Infinity
  return {
    name: 'links',
    check() {
      const { refused, filled } = memory.state()
      if (refused !== before) refusedAt = clock.now()
      before = refused
      if (clock.now() - refusedAt < REFUSED_MS) return degraded('refusing')
      if (filled === 'none') return degraded('unfilled')
      return filled === 'part' ? { status: 'ok', reason: 'part' } : OK
    },
  }
}

/**
 * Whether Redis answers. Without it limits are kept by shares, and links are read twice a second
 * instead of being remembered: slower, but right; so it never makes a node unready.
 */
export function redisCheck(cluster: Pick<Cluster, 'state'>): HealthCheck {
  return {
    name: 'redis',
    check() {
      const { up, heard } = cluster.state()
      if (!up) return degraded('away')
      return heard ? OK : degraded('deaf')
    },
  }
}

/** So many writes that fail in a row make the instance unready. */
const FAILED_WRITES = 3

/** Counts the writes that failed since the last one that succeeded. */
export function countFailedWrites<S extends Pick<Storage, 'write'>>(
  storage: S,
): { storage: S; failures(): number } {
  let failures = 0
  const write: Storage['write'] = async (work, options) => {
    try {
      const result = await storage.write(work, options)
      failures = 0
      return result
    } catch (error) {
      if (error instanceof StorageUnavailable) failures++
      throw error
    }
  }
  return { storage: { ...storage, write }, failures: () => failures }
}

/** Whether a write would succeed now, and those of others do: a few damaged pages spare the probe. */
export function storageCheck(
  storage: Pick<Storage, 'probe'>,
  failures: () => number = () => 0,
): HealthCheck {
  return {
    name: 'storage',
    async check() {
      try {
        await storage.probe()
      } catch {
        return failed('not_writable')
      }
      if (failures() < FAILED_WRITES) return OK
      return failed('writes_fail')
    },
  }
}

/** Less free space than this is reported, in bytes. */
const DISK_LOW_BYTES = 512 * 1024 * 1024
/** With less than this, writes are about to fail. */
const DISK_FULL_BYTES = 1024 * 1024

/** How much space is left on the disk of the data. */
export function diskCheck(dataDir: string, freeBytes = freeBytesOf): HealthCheck {
  return {
    name: 'disk',
    check() {
      // What is open goes on working for a while, and is lost with the process.
      if (!existsSync(dataDir)) return failed('missing')
      const free = freeBytes(dataDir)
      if (free < DISK_FULL_BYTES) return failed('full')
      if (free < DISK_LOW_BYTES) return degraded('low')
      // The open files may still take what is written; new ones can't be made.
      return isAllowed(dataDir, constants.W_OK) ? OK : degraded('read_only')
    },
  }
}

/** Whether this user may use a file so (see access(2)). */
export function isAllowed(path: string, mode: number): boolean {
  try {
    accessSync(path, mode)
    return true
  } catch {
    return false
  }
}

/** Bytes that this user may still write to the file system of `path`. */
export function freeBytesOf(path: string): number {
  const { bavail, bsize } = statfsSync(path)
  return bavail * bsize
}

/** Whether the secret would be found again by the next start. */
export function secretCheck(file: string | null): HealthCheck {
  return {
    name: 'secret',
    check() {
      if (file === null) return OK
      if (!existsSync(file)) return degraded('missing')
      return isAllowed(file, constants.R_OK) ? OK : degraded('unreadable')
    },
  }
}
