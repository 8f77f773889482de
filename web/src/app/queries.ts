import { QueryClient } from '@tanstack/react-query'
import { ApiError } from '../api/errors.ts'

/** Whoever waits for longer than this sees why instead. */
const PATIENCE_S = 5

/** Whether asking again soon makes sense. */
function mayPass({ status, code, retryAfterSeconds }: ApiError): boolean {
  if (code === 'TIMEOUT') return false
  if (status === 429) return retryAfterSeconds !== null && retryAfterSeconds <= PATIENCE_S
  return status === 0 || (status >= 502 && (retryAfterSeconds ?? 0) <= PATIENCE_S)
}

/** What has been asked, for as long as it is good. */
export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 10_000,
      gcTime: 5 * 60_000,
      // A server on this machine or in this house is there without any network: it is asked anyway,
      // and what fails is said.
      networkMode: 'always',
      // A refusal stays one; what may pass is tried twice more.
      retry: (count, error) => count < 2 && error instanceof ApiError && mayPass(error),
      retryDelay: (count, error) => {
        const asked = error instanceof ApiError ? error.retryAfterSeconds : null
        return asked === null ? 500 * 2 ** count : asked * 1_000
      },
    },
    mutations: { retry: false, networkMode: 'always' },
  },
})
