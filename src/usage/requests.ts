/** How many requests of keys came in a minute. */
export interface RequestMinute {
  /** The minute's start, RFC 3339. */
  minute: string
  /** Answered, whatever the answer. */
  allowed: number
  /** Refused with 429. */
  limited: number
}

const MINUTES = 60
const MINUTE_MS = 60_000

/**
 * Counts the API requests of each workspace, minute by minute, for the last hour: in this process's
 * memory, of `workspacesMax` workspaces at most, the one that came first being forgotten for another.
 * A restart begins anew.
 */
export function createRequestCounts({ now }: { now(): number }, workspacesMax = 10_000) {
  /** Minutes since the epoch, the oldest first. */
  const counts = new Map<number, { at: number; allowed: number; limited: number }[]>()

  return {
    note(workspaceNo: number, status: number): void {
      const at = Math.floor(now() / MINUTE_MS)
      let minutes = counts.get(workspaceNo)
      if (minutes === undefined) {
        if (counts.size >= workspacesMax) counts.delete(counts.keys().next().value as number)
        minutes = []
        counts.set(workspaceNo, minutes)
      }
      let last = minutes.at(-1)
      // A clock that steps back goes on with the minute that it had.
      if (last === undefined || last.at < at) {
        last = { at, allowed: 0, limited: 0 }
        if (minutes.push(last) > MINUTES) minutes.shift()
      }
      last[status === 429 ? 'limited' : 'allowed']++
    },
    /** 60 minutes, the oldest first; the last one is the one that runs. */
    lastHour(workspaceNo: number): RequestMinute[] {
      const known = new Map(counts.get(workspaceNo)?.map((minute) => [minute.at, minute]))
      const first = Math.floor(now() / MINUTE_MS) - MINUTES + 1
      return Array.from({ length: MINUTES }, (_, i) => {
        const { allowed = 0, limited = 0 } = known.get(first + i) ?? {}
        return { minute: new Date((first + i) * MINUTE_MS).toISOString(), allowed, limited }
      })
    },
    get size() {
      return counts.size
    },
  }
}

export type RequestCounts = ReturnType<typeof createRequestCounts>
