/** How many requests of keys came in a minute. */
export interface RequestMinute {
  /** The minute's start, RFC 3339. */
  minute: string
  /** Answered, whatever the answer. */
  allowed: number
  /** Refused with 429. */
  limited: number
}

/** Counts the API requests of each workspace, minute by minute, for the last hour. */
export interface RequestCounts {
  note(workspaceNo: number, status: number): void
  /** 60 minutes, the oldest first; the last one is the one that runs. */
  lastHour(workspaceNo: number): RequestMinute[]
}

const MINUTES = 60
const MINUTE_MS = 60_000

interface Ring {
  /** The minute that was counted last, since the epoch. */
  minute: number
  allowed: Uint32Array
  limited: Uint32Array
}

/**
 * Counts in this process's memory: about 600 bytes for each workspace that sent anything lately,
 * and `ringsMax` of them at most, the one that came first being forgotten for another. A restart
 * begins anew.
 */
export function createRequestCounts(
  { now }: { now(): number },
  ringsMax = 10_000,
): RequestCounts & { readonly size: number } {
  const rings = new Map<number, Ring>()

  /** Turns a ring to a minute: what is more than an hour old is cleared. */
  function turn(ring: Ring, minute: number): void {
    const cleared = Math.min(minute - ring.minute, MINUTES)
    for (let i = 1; i <= cleared; i++) {
      ring.allowed[(ring.minute + i) % MINUTES] = 0
      ring.limited[(ring.minute + i) % MINUTES] = 0
    }
    // A clock that steps back goes on with the minute that it had.
    if (cleared > 0) ring.minute = minute
  }

  function ringOf(workspaceNo: number, minute: number): Ring {
    let ring = rings.get(workspaceNo)
    if (ring === undefined) {
      if (rings.size >= ringsMax) rings.delete(rings.keys().next().value as number)
      ring = { minute, allowed: new Uint32Array(MINUTES), limited: new Uint32Array(MINUTES) }
      rings.set(workspaceNo, ring)
    }
    return ring
  }

  return {
    note(workspaceNo, status) {
      const minute = Math.floor(now() / MINUTE_MS)
      const ring = ringOf(workspaceNo, minute)
      if (ring.minute !== minute) turn(ring, minute)
      const counts = status === 429 ? ring.limited : ring.allowed
      const place = ring.minute % MINUTES
      counts[place] = (counts[place] ?? 0) + 1
    },
    lastHour(workspaceNo) {
      const last = Math.floor(now() / MINUTE_MS)
      const ring = rings.get(workspaceNo)
      if (ring !== undefined) turn(ring, last)
      return Array.from({ length: MINUTES }, (_, i) => {
        const minute = last - MINUTES + 1 + i
        const known = ring !== undefined && minute <= ring.minute
        return {
          minute: new Date(minute * MINUTE_MS).toISOString(),
          allowed: known ? (ring.allowed[minute % MINUTES] ?? 0) : 0,
          limited: known ? (ring.limited[minute % MINUTES] ?? 0) : 0,
        }
      })
    },
    get size() {
      return rings.size
    },
  }
}
