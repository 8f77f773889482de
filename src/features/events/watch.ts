import type { EventSignal, Storage } from '../../platform/storage/index.ts'
import { newestOf } from './store.ts'

/** How often new events are looked for; the signal only makes it faster. */
const POLL_MS = 500

/** A stream's view of the newest entry of its workspace. */
interface Subscriber {
  /** Up to where the stream has read. */
  position: number
  /** Whether there may be more. */
  isNew: boolean
  wake: () => void
}

export type Subscription = ReturnType<ReturnType<typeof createWatch>['subscribe']>

/** Lets streams wait for new events: one query for all of them, twice a second. */
export function createWatch(
  storage: Pick<Storage, 'read'>,
  signal: Pick<EventSignal, 'listen'>,
  pollMs: number = POLL_MS,
) {
  const subscribers = new Map<number, Set<Subscriber>>()
  let isPolling = false
  const notify = (subscriber: Subscriber) => {
    subscriber.isNew = true
    subscriber.wake()
  }
  signal.listen((workspaceNo) => subscribers.get(workspaceNo)?.forEach(notify))

  async function look(): Promise<void> {
    // While the database is unavailable, nothing is committed either.
    const found = await newestOf(storage.read, [...subscribers.keys()]).catch(() => [])
    for (const { no, made } of found) {
      for (const one of subscribers.get(no) ?? []) if (made > one.position) notify(one)
    }
    isPolling = false
    schedule()
  }

  function schedule(): void {
    if (isPolling || subscribers.size === 0) return
    isPolling = true
    setTimeout(() => void look(), pollMs).unref()
  }

  return {
    subscribe(workspaceNo: number) {
      const subscriber: Subscriber = { position: 0, isNew: true, wake() {} }
      const all = subscribers.get(workspaceNo) ?? new Set()
      subscribers.set(workspaceNo, all.add(subscriber))
      schedule()
      return {
        /** Call before reading: what is committed from then on ends the next wait. */
        reading(): void {
          subscriber.isNew = false
        },
        /** Waits for an event after a position, at most `ms`, or until aborted. */
        async wait(position: number, ms: number, aborted: AbortSignal): Promise<void> {
          subscriber.position = position
          if (subscriber.isNew || aborted.aborted) return
          const { promise, resolve } = Promise.withResolvers<void>()
          const timeout = setTimeout(resolve, ms)
          aborted.addEventListener('abort', () => resolve(), { once: true })
          subscriber.wake = resolve
          await promise
          clearTimeout(timeout)
          subscriber.wake = () => {}
        },
        close(): void {
          all.delete(subscriber)
          if (all.size === 0 && subscribers.get(workspaceNo) === all) {
            subscribers.delete(workspaceNo)
          }
        },
      }
    },
  }
}
