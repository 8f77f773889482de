import type { Clock } from '../../../lib/base/clock.ts'
import type { Maintenance } from '../types.ts'

/** A round every hour, and one at the start. */
const EVERY_MS = 3_600_000

/** Days for which the clicks of workspaces are kept. */
export type Retention = readonly (readonly [workspaceNo: number, days: number])[]

/** One step of a kind of work. False: there is nothing left to do. */
export type MaintenanceTask = (now: number, retention: Retention) => Promise<boolean>
interface RoundsOptions {
  clock: Clock
  /** They run one after another, each until nothing is left to do. Every step can be repeated. */
  tasks: readonly MaintenanceTask[]
  /** False: the round is not for this process. */
  begin?(): Promise<boolean>
  /** Called after a round that has done something. */
  changed?(): Promise<unknown>
}

/** Runs tasks in rounds. */
export function createRounds({ clock, tasks, begin, changed }: RoundsOptions): Maintenance {
  let retention: Retention = []
  let known = ''
  /** The running round; null: no round is running. */
  let current: AsyncGenerator<void> | null = null
  /** The retention has changed during a round: another one follows. */
  let isOutdated = false
  let doneAt = Number.NEGATIVE_INFINITY

  async function* round(): AsyncGenerator<void> {
    if (begin !== undefined && !(await begin())) return
    let hasChanged = false
    for (const task of tasks) {
      for (let isMore = true; isMore; yield) {
        isMore = await task(clock.now(), retention)
        hasChanged ||= isMore
      }
    }
    if (hasChanged) await changed?.()
  }

  return {
    get due() {
      return current !== null || Math.abs(clock.now() - doneAt) >= EVERY_MS
    },
    async step() {
      current ??= round()
      // After an error the next round tries again: storing clicks comes first.
      let isDone: boolean | undefined = true
      try {
        isDone = (await current.next()).done
      } finally {
        if (isDone) {
          doneAt = isOutdated ? Number.NEGATIVE_INFINITY : clock.now()
          current = null
          isOutdated = false
        }
      }
    },
    setRetention(all) {
      const next = JSON.stringify(all)
      if (next === known) return
      known = next
      retention = all.filter((entry): entry is readonly [number, number] => entry[1] !== null)
      if (current !== null) isOutdated = true
      else doneAt = Number.NEGATIVE_INFINITY
    },
  }
}
