import { type LinkChange, type Storage, StorageUnavailable } from '../storage/index.ts'

/**
 * A storage that tells which links its transactions have changed: after the commit, before `write`
 * resolves. It tells also when a commit's answer was lost, for it may have been made.
 */
export function announcingLinks(
  storage: Storage,
  announce: (changes: readonly LinkChange[]) => void,
): Storage {
  return {
    ...storage,
    async write(work, options) {
      let last: LinkChange[] = []
      try {
        return await storage.write((tx) => {
          // A transaction may be run again: only its last run counts.
          const changes: LinkChange[] = []
          last = changes
          tx.linkChanged = (change) => {
            if (changes.push(change) === 1) tx.afterCommit(() => announce(changes))
          }
          return work(tx)
        }, options)
      } catch (error) {
        if (error instanceof StorageUnavailable) announce(last)
        throw error
      }
    },
  }
}
