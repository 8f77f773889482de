import { AppError } from '../errors/index.ts'
import { watchEnd } from './shared/streams.ts'

/** How many exports a workspace may have under way. */
export const EXPORTS_PER_WORKSPACE = 4
/** When to come back, in seconds, for whom there is no room. */
const FULL_RETRY_SECONDS = 10

/** The exports that are under way. */
export interface Exports {
  /**
   * Takes a place until the stream is over, or at once free again when the signal aborts.
   * @throws AppError RATE_LIMITED, and whatever `begin` throws
   */
  run(
    workspaceNo: number,
    begin: () => Promise<ReadableStream<Uint8Array>>,
    signal?: AbortSignal,
  ): Promise<ReadableStream<Uint8Array>>
}

/** Counts exports: each keeps the statistics busy for as long as it lasts. */
export function createExports(): Exports {
  const running = new Map<number, number>()

  function add(workspaceNo: number, change: 1 | -1): void {
    const count = (running.get(workspaceNo) ?? 0) + change
    if (count === 0) running.delete(workspaceNo)
    else running.set(workspaceNo, count)
  }

  return {
    async run(workspaceNo, begin, signal) {
      if ((running.get(workspaceNo) ?? 0) >= EXPORTS_PER_WORKSPACE) {
        throw new AppError('RATE_LIMITED', {
          params: { seconds: FULL_RETRY_SECONDS },
          headers: { 'Retry-After': String(FULL_RETRY_SECONDS) },
        })
      }
      add(workspaceNo, 1)
      let isOver = false
      const over = () => {
        if (isOver) return
        isOver = true
        signal?.removeEventListener('abort', over)
        add(workspaceNo, -1)
      }
      signal?.addEventListener('abort', over)
      try {
        const { body, end } = watchEnd(await begin())
        void end.then(over)
        return body
      } catch (error) {
        over()
        throw error
      }
    },
  }
}
