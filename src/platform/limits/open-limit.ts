import { watchEnd } from '../../lib/base/streams.ts'
import { AppError } from '../../lib/errors/index.ts'

/** `Retry-After` when too many streams are open. */
const RETRY_SECONDS = 10

/** Who opens a stream. */
interface Opener {
  readonly workspace: { readonly no: number }
  readonly person?: { readonly id: string } | null | undefined
}

/** The share of the free places that one workspace or person may have, so that some stay free. */
const SHARE = 1 / 4

/** Limits concurrent streams: `each` per workspace and per person, `inAll` in total. */
export function createOpenLimit(each: number, inAll: number) {
  const counts = new Map<string, number>()
  let open = 0
  /** Takes a place, and returns the function that releases it. @throws AppError RATE_LIMITED */
  function take({ workspace, person }: Opener): () => void {
    const keys = [`workspace ${workspace.no}`, ...(person ? [`person ${person.id}`] : [])]
    const most = Math.max(...keys.map((key) => counts.get(key) ?? 0))
    if (most >= each || most >= (inAll - open) * SHARE) {
      throw new AppError('RATE_LIMITED', {
        params: { seconds: RETRY_SECONDS },
        headers: { 'Retry-After': String(RETRY_SECONDS) },
      })
    }
    for (const key of keys) counts.set(key, (counts.get(key) ?? 0) + 1)
    open++
    let isReleased = false
    return () => {
      if (isReleased) return
      isReleased = true
      open--
      for (const key of keys) {
        const left = (counts.get(key) ?? 1) - 1
        if (left === 0) counts.delete(key)
        else counts.set(key, left)
      }
    }
  }

  return {
    get open() {
      return open
    },
    take,
    /**
     * A stream that holds a place until it ends or `signal` aborts. @throws AppError RATE_LIMITED
     */
    async stream(
      opener: Opener,
      make: () => ReadableStream<Uint8Array> | Promise<ReadableStream<Uint8Array>>,
      signal?: AbortSignal,
    ): Promise<ReadableStream<Uint8Array>> {
      const release = take(opener)
      signal?.addEventListener('abort', release)
      try {
        const { body, end } = watchEnd(await make())
        void end.then(release)
        return body
      } catch (error) {
        release()
        throw error
      }
    },
  }
}
