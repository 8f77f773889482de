import { notifyManager, QueryClient } from '@tanstack/react-query'
import { ApiError } from '../api/errors.ts'

/** A longer wait shows the error instead. */
const PATIENCE_S = 5

/** Whether a quick retry makes sense. */
function mayPass({ status, code, retryAfterSeconds }: ApiError): boolean {
  if (code === 'TIMEOUT') return false
  if (status === 429) return retryAfterSeconds !== null && retryAfterSeconds <= PATIENCE_S
  return status === 0 || (status >= 502 && (retryAfterSeconds ?? 0) <= PATIENCE_S)
}

// By default in a timer, so after a frame in which nothing has changed.
notifyManager.setScheduler(queueMicrotask)

/** The cache of queries. */
export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 10_000,
      gcTime: 5 * 60_000,
      // A server on this machine or in the local network is reachable while offline, so requests
      // are always sent.
      networkMode: 'always',
      // Refusals are final; temporary failures are retried twice.
      retry: (count, error) => count < 2 && error instanceof ApiError && mayPass(error),
      retryDelay: (count, error) => {
        const asked = error instanceof ApiError ? error.retryAfterSeconds : null
        return asked === null ? 500 * 2 ** count : asked * 1_000
      },
    },
    mutations: { retry: false, networkMode: 'always' },
  },
})
