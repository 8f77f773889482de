import { type LinkChange, type Storage, StorageUnavailable } from '../storage/index.ts'
import type { Bus, BusListener } from './bus.ts'

/** Invalidates changed links on all nodes. */
export type LinkInvalidation = ReturnType<typeof createLinkInvalidation>

/** A cache of links. */
export interface LinkMemory extends Pick<BusListener, 'hearing'> {
  changed(changes: readonly LinkChange[]): void
  /** Messages may have been lost: all entries have to be checked. */
  lost(): void
}

/** Means all links: more were changed than could be sent one by one. */
const EVERYTHING = '*'
const CHANGES_A_MESSAGE = 1_000
/** The most changes kept while nothing can be sent. */
const UNSENT_MOST = 10_000

/**
 * Connects this node's cache of links with those of other nodes. Changes that can't be sent are
 * kept and sent when Redis is back: the others may have been connected all the time.
 * @param memory absent in a process that only changes links, such as a command
 */
export function createLinkInvalidation(bus: Bus, nodeId: string, memory?: LinkMemory) {
  let queue: LinkChange[] = []
  let unsent: LinkChange[] | typeof EVERYTHING = []
  const sending = new Set<Promise<void>>()

  function send(changes: readonly LinkChange[] | typeof EVERYTHING): void {
    const work = deliver(changes).finally(() => sending.delete(work))
    sending.add(work)
  }

  async function deliver(changes: readonly LinkChange[] | typeof EVERYTHING): Promise<void> {
    if (changes === EVERYTHING) {
      const sent = await bus.publish(JSON.stringify([nodeId, EVERYTHING]))
      if (!sent) unsent = EVERYTHING
      return
    }
    for (let i = 0; i < changes.length; i += CHANGES_A_MESSAGE) {
      const some = changes.slice(i, i + CHANGES_A_MESSAGE)
      if (!(await bus.publish(JSON.stringify([nodeId, some])))) keep(some)
    }
  }

  function keep(changes: readonly LinkChange[]): void {
    if (unsent === EVERYTHING) return
    if (unsent.length + changes.length > UNSENT_MOST) unsent = EVERYTHING
    else unsent.push(...changes)
  }

  function sendUnsent(): void {
    if (unsent.length === 0) return
    const changes = unsent
    unsent = []
    send(changes)
  }

  function receive(message: string): void {
    const [from, changes] = JSON.parse(message) as [string, LinkChange[] | typeof EVERYTHING]
    if (from === nodeId || memory === undefined) return
    if (changes === EVERYTHING) memory.lost()
    else memory.changed(changes)
  }

  bus.listen({
    connected() {
      memory?.lost()
    },
    hearing(heard) {
      memory?.hearing(heard)
    },
    // Also without an interruption of the subscription: a single message may fail.
    echoed: sendUnsent,
    received: receive,
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
