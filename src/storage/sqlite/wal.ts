import type { Database } from 'bun:sqlite'
import { close, fdatasync, open } from 'node:fs'
import { promisify } from 'node:util'
import { StorageUnavailable } from '../storage.ts'
import { createThread } from './reports.ts'

/** From so many pages (16 MiB) on, the WAL is copied into the database while writes go on. */
const COPY_FROM_PAGES = 4_096
/** When no more than this is left to copy, or rounds don't help, writes wait for the rest. */
const HOLD_BELOW_PAGES = 1_024
const ROUNDS_AT_MOST = 4

interface Progress {
  /** 1: another process is copying. */
  busy: number
  /** Pages in the WAL. */
  log: number
  /** Of these, already in the database. */
  checkpointed: number
}

/** Keeps the write-ahead log short. */
export interface WalKeeper {
  /** Looks whether the WAL is too long; called before a batch. Writes wait for what it returns. */
  beforeBatch(): Promise<void> | undefined
  close(): Promise<void>
}

/**
 * A WAL begins anew only when all of it has been copied at the moment of a write, which never
 * happens by itself under a steady stream of writes: it grew by 150 MB a second. So it is copied
 * by another thread while writes go on, until little is left; for that little, writes wait some
 * milliseconds, and the next one begins the WAL anew (https://www.sqlite.org/wal.html#ckpt).
 */
export function createWalKeeper(file: string, writing: Database): WalKeeper {
  const thread = createThread({ file, options: {} })
  const look = writing.prepare<Progress, []>('PRAGMA wal_checkpoint(NOOP)')
  let copying: Promise<void> | undefined
  let holding: Promise<void> | undefined

  async function copy(): Promise<Progress> {
    const [progress] = (await thread.ask('PRAGMA wal_checkpoint(PASSIVE)')) as Progress[]
    return progress ?? { busy: 1, log: 0, checkpointed: 0 }
  }

  async function shorten(): Promise<void> {
    for (let round = 0; round < ROUNDS_AT_MOST; round++) {
      await copy()
      const { log, checkpointed } = look.get() as Progress
      if (log - checkpointed <= HOLD_BELOW_PAGES) break
    }
    const held = copy().then(() => {})
    holding = held
    await held
  }

  return {
    beforeBatch() {
      if (holding !== undefined) return holding
      if (copying === undefined && (look.get()?.log ?? 0) > COPY_FROM_PAGES) {
        // A checkpoint that fails is tried again with the next batch; writes tell what is wrong.
        copying = shorten()
          .catch(() => {})
          .finally(() => {
            copying = undefined
            holding = undefined
          })
      }
      return undefined
    },
    async close() {
      await copying
      thread.close()
    },
  }
}

const fdatasyncAsync = promisify(fdatasync)

/** Waits for what was written to a file to be on the disk, on the thread pool. */
export interface SharedSync {
  /** Resolves when all that was written before the call would survive a power cut. */
  wait(): Promise<void>
  /** The sync that runs now; never rejects. */
  running(): Promise<void> | undefined
  close(): Promise<void>
}

/**
 * One sync at a time for a file; writers that come while it runs share the next one. Many writers
 * thus pay for one sync together, and none of them on the event loop.
 */
export async function createSharedSync(file: string): Promise<SharedSync> {
  const descriptor = await promisify(open)(file, 'r+')
  let running: Promise<void> | undefined
  let next: Promise<void> | undefined

  async function sync(): Promise<void> {
    try {
      await fdatasyncAsync(descriptor)
    } catch (cause) {
      throw new StorageUnavailable('fdatasync failed', { cause })
    }
  }

  function start(): Promise<void> {
    const mine = sync()
    running = mine
    mine.then(clear, clear)
    return mine
    function clear() {
      if (running === mine) running = undefined
    }
  }

  return {
    running: () => running?.catch(() => {}),
    wait() {
      if (running === undefined) return start()
      if (next === undefined) {
        next = running.then(follow, follow)
      }
      return next
      function follow() {
        next = undefined
        return start()
      }
    },
    async close() {
      await running?.catch(() => {})
      await next?.catch(() => {})
      await promisify(close)(descriptor)
    },
  }
}
