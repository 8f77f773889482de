import { type Child, type ChildOptions, type ChildState, createChild } from './child.ts'
import type { FromWorker, ToWorker } from './messages.ts'

/** What is known of the click worker. */
export type WorkerState = ChildState

/** Keeps the click worker running while there is something to count. */
export interface Supervisor extends Pick<Child, 'poke' | 'state' | 'stop'> {
  /** A link was deleted: its counters can go. */
  linkGone(seq: number): void
}

/** What the supervisor works with. `watermark`: up to where the journal was counted before. */
export interface SupervisorOptions
  extends Pick<ChildOptions, 'command' | 'journal' | 'watermark' | 'clock' | 'logger'> {
  /** The worker has come further. */
  counted?: () => void
}

const GONE_AT_ONCE = 10_000

/** Starts nothing until there is a poke, or a backlog from before. */
export function createSupervisor({ counted, ...options }: SupervisorOptions): Supervisor {
  const gone: number[] = []
  const child = createChild({
    ...options,
    name: 'click worker',
    heard(message) {
      const { watermark, countedUpTo, skipped } = message as FromWorker
      if (counted !== undefined) queueMicrotask(counted)
      return { watermark, upTo: countedUpTo, skipped }
    },
    poked: (): ToWorker =>
      gone.length === 0 ? { kind: 'poke' } : { kind: 'poke', gone: gone.splice(0, GONE_AT_ONCE) },
    pending: () => gone.length > 0,
  })
  return {
    poke: child.poke,
    state: child.state,
    stop: child.stop,
    linkGone(seq) {
      gone.push(seq)
      child.poke()
    },
  }
}
