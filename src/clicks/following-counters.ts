import { databaseFiles, inodeOf, isDamage } from '../platform/storage/index.ts'
import type { CounterStore } from './types.ts'

/** The counters of a data directory, whichever file they are. */
export interface FollowingCounters extends CounterStore {
  /** Whether the last attempt to use them has shown that they are damaged, lost, or not ours. */
  damaged(): boolean
}

/**
 * Opens the counters with the first use, and again whenever another file has taken their place. The
 * serving process makes damaged ones anew, so until then each use fails.
 * @param open opens the file, and fills it if it is new
 */
export function followCounters(
  dataDir: string,
  open: () => Promise<CounterStore>,
): FollowingCounters {
  const file = databaseFiles(dataDir).counters
  let opened: { store: CounterStore; inode: number | null } | undefined
  let isDamaged = false

  async function close(): Promise<void> {
    const last = opened
    opened = undefined
    await last?.store.close()
  }

  async function use<T>(work: (store: CounterStore) => Promise<T>): Promise<T> {
    try {
      if (opened !== undefined && opened.inode !== inodeOf(file)) await close()
      if (opened === undefined) {
        const inode = inodeOf(file)
        if (inode === null) throw new CountersLost(`${file} is missing`)
        opened = { inode, store: await open() }
      }
      const result = await work(opened.store)
      isDamaged = false
      return result
    } catch (error) {
      isDamaged = error instanceof CountersLost || isDamage(error) || isOfOthers(error)
      // What is left of the connection can't be trusted.
      if (isDamaged) await close().catch(() => {})
      throw error
    }
  }

  return {
    watermark: () => use((store) => store.watermark()),
    quotas: (months) => use((store) => store.quotas(months)),
    apply: (batch) => use((store) => store.apply(batch)),
    maintain: (changed, now) => use((store) => store.maintain(changed, now)),
    close,
    damaged: () => isDamaged,
  }
}

class CountersLost extends Error {
  override name = 'CountersLost'
}

function isOfOthers(error: unknown): boolean {
  return (error as { code?: string }).code === 'DATA_MIXED'
}
