import { AppError } from '../errors/index.ts'
import { StatisticsUnavailable } from './types.ts'

/** After how many seconds a client should retry when statistics are unavailable. */
const RETRY_SECONDS = 5
/** After how many seconds a client should retry when too many streams are open. */
const FULL_RETRY_SECONDS = 10

/** The answer to a question. @throws AppError SERVICE_UNAVAILABLE for StatisticsUnavailable */
export async function ask<T>(question: Promise<T>): Promise<T> {
  try {
    return await question
  } catch (error) {
    if (!(error instanceof StatisticsUnavailable)) throw error
    throw new AppError('SERVICE_UNAVAILABLE', {
      headers: { 'Retry-After': String(RETRY_SECONDS) },
      cause: error,
    })
  }
}

/** Limits how many streams a workspace has open, and all workspaces together. */
export interface OpenLimit {
  readonly open: number
  /** Returns a function that releases the place. @throws AppError RATE_LIMITED */
  take(workspaceNo: number): () => void
}

/** Begins with none open. */
export function createOpenLimit(perWorkspace: number, inAll = Infinity): OpenLimit {
  const counts = new Map<number, number>()
  let open = 0
  return {
    get open() {
      return open
    },
    take(workspaceNo) {
      const count = counts.get(workspaceNo) ?? 0
      if (count >= perWorkspace || open >= inAll) {
        throw new AppError('RATE_LIMITED', {
          params: { seconds: FULL_RETRY_SECONDS },
          headers: { 'Retry-After': String(FULL_RETRY_SECONDS) },
        })
      }
      counts.set(workspaceNo, count + 1)
      open++
      let isReleased = false
      return () => {
        if (isReleased) return
        isReleased = true
        open--
        const left = (counts.get(workspaceNo) ?? 1) - 1
        if (left === 0) counts.delete(workspaceNo)
        else counts.set(workspaceNo, left)
      }
    },
  }
}
