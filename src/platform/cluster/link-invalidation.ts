import { type LinkChange, type Storage, StorageUnavailable } from '../storage/index.ts'
import type { Bus } from './bus.ts'

/** Invalidates changed links on all nodes. */
export type LinkInvalidation = ReturnType<typeof createLinkInvalidation>

/** A cache of links. */
export interface LinkMemory {
  changed(changes: readonly LinkChange[]): void
}

const CHANGES_A_MESSAGE = 1_000

/**
 * Connects this node's cache of links with those of other nodes. Messages may be lost: nodes follow
 * all changes in the database, and know them earlier by messages.
 * @param memory absent in a process that only changes links, such as a command
 */
export function createLinkInvalidation(bus: Bus, nodeId: string, memory?: LinkMemory) {
  let queue: LinkChange[] = []
  const sending = new Set<Promise<unknown>>()

  function send(changes: readonly LinkChange[]): void {
    for (let i = 0; i < changes.length; i += CHANGES_A_MESSAGE) {
      const some = changes.slice(i, i + CHANGES_A_MESSAGE)
      const work = bus.publish(JSON.stringify([nodeId, some])).finally(() => sending.delete(work))
      sending.add(work)
    }
  }

  bus.listen({
    received(message) {
      const [from, changes] = JSON.parse(message) as [string, unknown]
      // Nodes of an earlier version also send `*`: all links.
      if (from !== nodeId && Array.isArray(changes)) memory?.changed(changes as LinkChange[])
    },
  })

  return {
    /** Applies the changes on this node and sends them to the others. Never throws. */
    announce(changes: readonly LinkChange[]): void {
      if (changes.length === 0) return
      memory?.changed(changes)
      // The transactions of a commit end together, and are published together.
      if (queue.push(...changes) > changes.length) return
      queueMicrotask(() => {
        const all = queue
        queue = []
        send(all)
      })
    },
    /** Waits until announced changes are sent, or can't be. */
    async flush(): Promise<void> {
      await Promise.resolve()
      while (sending.size > 0) await Promise.all(sending)
    },
  }
}

/**
 * A storage that announces the links changed by its transactions: after the commit, before `write`
 * resolves. Also if the response to a commit was lost, because it may have succeeded.
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
          // A transaction may be retried: only its last run counts.
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
