import { createWorkQueue } from '../../platform/limits/index.ts'
import { StatisticsUnavailable } from '../types.ts'

/** Runs heavy queries one at a time. They may wait as long as they may take. */
export function createQueryQueue(deadlineMs: number) {
  const queue = createWorkQueue(1)
  return {
    /** Workspaces take turns. @throws StatisticsUnavailable after the deadline */
    async run<T>(
      work: (signal: AbortSignal) => Promise<T>,
      left: AbortSignal,
      workspaceNo: number,
    ): Promise<T> {
      let late = AbortSignal.timeout(deadlineMs)
      const until = () => AbortSignal.any([left, late])
      const begin = () => {
        late = AbortSignal.timeout(deadlineMs)
        return work(until())
      }
      try {
        return await queue.run(begin, { group: String(workspaceNo), signal: until() })
      } catch (cause) {
        if (!late.aborted || left.aborted) throw cause
        throw new StatisticsUnavailable('A heavy query takes too long', { cause })
      }
    },
  }
}
