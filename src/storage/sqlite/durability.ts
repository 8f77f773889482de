import { close, fdatasync, open } from 'node:fs'
import { promisify } from 'node:util'
import { StorageUnavailable } from '../storage.ts'

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
