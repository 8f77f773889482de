import { accessSync, constants, existsSync, statfsSync } from 'node:fs'
import type { Journal } from '../../clicks/index.ts'
import type { WorkerState } from '../../clicks/workers/index.ts'
import type { Clock } from '../../lib/base/clock.ts'
import type { Cluster } from '../../platform/cluster/index.ts'
import {
  type AttachedCounters,
  type Storage,
  StorageUnavailable,
} from '../../platform/storage/index.ts'
import type { CachedResolver } from '../../redirect/index.ts'
import type { Statistics } from '../../statistics/process/index.ts'
import { degraded, failed, type HealthCheck, OK } from './health.ts'

/** A larger lag of the counters is reported. */
const LAG_DEGRADED_SECONDS = 60

/** Whether clicks reach the disk. */
export function journalCheck(journal: Pick<Journal, 'healthy'>): HealthCheck {
  return {
    name: 'journal',
    check: () => (journal.healthy ? OK : failed('not_writable')),
  }
}

/**
 * Whether the numbers of links can be read. `rebuilding`: damaged or lost ones are made anew from the
 * stored clicks, and are too low until then.
 */
export function countersCheck(counters: Pick<AttachedCounters, 'state'>): HealthCheck {
  return {
    name: 'counters',
    check() {
      const state = counters.state()
      return state === 'ok' ? OK : degraded(state)
    },
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
 * the instance unready: waiting clicks are kept in the journal.
 */
export function statisticsCheck(statistics: Pick<Statistics, 'state'>): HealthCheck {
  return {
    name: 'statistics',
    check() {
      const { running, restarts, store, backlogSeconds, since, logCut } = statistics.state()
      if (store !== 'ok' && store !== 'opening') return degraded(store)
      // It has never opened its file.
      if (store === 'opening' && restarts > 0 && !running) return degraded('not_starting')
      if (backlogSeconds > LAG_DEGRADED_SECONDS) return degraded('behind')
      // Neither can be changed, so they are reported without an alarm.
      if (since > 0) return { status: 'ok', reason: 'incomplete' }
      return logCut ? { status: 'ok', reason: 'log_cut' } : OK
    },
  }
}

type LinkMemory = Pick<CachedResolver, 'state'>

/** How long refused visits are reported. */
const REFUSED_MS = 10_000
/** A node that has read no changes of links for longer is reported; it reads twice a second. */
const BEHIND_MS = 5_000

/**
 * Whether the shared database accepts writes. Otherwise a node with links in memory continues to
 * redirect, so it stays in service: `degraded`. One without is useless.
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
      return memory.state().databaseDown ? degraded('away') : OK
    },
  }
}

/**
 * Whether the node could redirect without its database. `unfilled`: it has not read the links yet,
 * or not again after a gap in their changes; `behind`: it can't follow their changes; `refusing`:
 * visits were refused recently, because their links aren't in memory. `part`, without an alarm:
 * there are more links than fit into memory.
 */
export function linksCheck(memory: LinkMemory, clock: Clock): HealthCheck {
  let before = 0
  let refusedAt = -Infinity
  return {
    name: 'links',
    check() {
      const { refused, filled, knownAt } = memory.state()
      if (refused !== before) refusedAt = clock.now()
      before = refused
      if (clock.now() - refusedAt < REFUSED_MS) return degraded('refusing')
      if (filled === 'none') return degraded('unfilled')
      if (clock.now() - knownAt > BEHIND_MS) return degraded('behind')
      return filled === 'part' ? { status: 'ok', reason: 'part' } : OK
    },
  }
}

/**
 * Whether Redis responds. Without it each node enforces its share of limits, and changes of
 * links apply up to a second later: it never makes a node unready.
 */
export function redisCheck(cluster: Pick<Cluster, 'state'>): HealthCheck {
  return {
    name: 'redis',
    check() {
      const { up, subscribed } = cluster.state()
      if (!up) return degraded('away')
      return subscribed ? OK : degraded('deaf')
    },
  }
}

/** The number of consecutive failed writes that makes the instance unready. */
const FAILED_WRITES = 3

/** Counts the failed writes since the last successful one. */
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

/** Whether a write would succeed now and recent ones did: a probe may miss a few damaged pages. */
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

/** Less free space is reported, in bytes. */
const DISK_LOW_BYTES = 512 * 1024 * 1024
/** With less, writes are about to fail. */
const DISK_FULL_BYTES = 1024 * 1024

/** Free space on the disk of the data directory. */
export function diskCheck(dataDir: string, freeBytes = freeBytesOf): HealthCheck {
  return {
    name: 'disk',
    check() {
      // Open files work for a while, but are lost with the process.
      if (!existsSync(dataDir)) return failed('missing')
      const free = freeBytes(dataDir)
      if (free < DISK_FULL_BYTES) return failed('full')
      if (free < DISK_LOW_BYTES) return degraded('low')
      // Open files may still be writable, but new ones can't be created.
      return isAllowed(dataDir, constants.W_OK) ? OK : degraded('read_only')
    },
  }
}

/** Whether this user has access to a file with this mode (see access(2)). */
export function isAllowed(path: string, mode: number): boolean {
  try {
    accessSync(path, mode)
    return true
  } catch {
    return false
  }
}

/** Bytes that this user can still write to the file system of `path`. */
export function freeBytesOf(path: string): number {
  const { bavail, bsize } = statfsSync(path)
  return bavail * bsize
}

/** Whether the next start would find the secret. */
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
