import type { Cursors } from '../../http/cursor.ts'
import { pageOf } from '../../http/page.ts'
import type { Clock } from '../../lib/base/clock.ts'
import { AppError } from '../../lib/errors/index.ts'
import { formatTimestamp } from '../../lib/validation/timestamp.ts'
import { DEFAULT_DOMAIN, type Domains } from '../../model/domains/index.ts'
import type { Storage } from '../../platform/storage/index.ts'
import { isCounted, missedPath } from './missed-path.ts'
import {
  addMisses,
  existing,
  listMisses,
  type MissedPath,
  type MissOrder,
  type MissPosition,
  positionOf,
  purgeMisses,
} from './missed-store.ts'

/** Paths that this process keeps until they are written, of a domain and in all. */
const UNWRITTEN = { ofDomain: 256, all: 1_024 }
/** Longer paths aren't counted; a slug has at most 512 bytes. Cursors have room for it. */
const PATH_BYTES_MAX = 600
const KEPT_MS = 90 * 86_400_000
const WRITE_EVERY_MS = 5_000

/** Dependencies of {@link createMisses}. */
interface MissesDeps {
  storage: Pick<Storage, 'reports' | 'write'>
  clock: Clock
  cursors: Cursors
  domains: Pick<Domains, 'isCaseSensitive' | 'isShared' | 'noOf'>
}

/** What a page of a list is requested with. */
interface MissQuery {
  limit: number
  cursor?: string | undefined
  sort: MissOrder
}

export type Misses = ReturnType<typeof createMisses>

/**
 * Counts visits to paths that led nowhere, without anything about the visitor. A visit only changes
 * a bounded map; all nodes add theirs to the same rows every few seconds. A killed process loses
 * what it hasn't written yet.
 */
export function createMisses(deps: MissesDeps) {
  const { storage, clock, domains } = deps
  const unwritten = new UnwrittenMisses()
  let writing = Promise.resolve()

  /** Writes the counts. Never rejects: what can't be written is kept. */
  function write(): Promise<void> {
    writing = writing.then(async () => {
      const rows = unwritten.take()
      // The storage logs its failures itself.
      await writeRows(storage, rows).catch(() => rows.forEach((row) => void unwritten.add(row)))
    })
    return writing
  }

  async function list(domainNo: number, { limit, cursor, sort }: MissQuery) {
    const binding = JSON.stringify(['misses', domainNo, sort])
    const below =
      cursor === undefined ? null : (deps.cursors.decode(cursor, binding) as MissPosition)
    await write()
    const since = clock.now() - KEPT_MS
    const options = { order: sort, below, since, limit: limit + 1 }
    const rows = await listMisses(storage.reports, domainNo, options)
    const cursorOf = (row: MissedPath) => deps.cursors.encode(positionOf(row, sort), binding)
    const page = pageOf(rows, limit, cursorOf)
    return { ...page, data: page.data.map(missOf) }
  }

  return {
    /** Counts a visit to a path that no link has. */
    note(request: Request, domainNo: number): void {
      if (!isCounted(request)) return
      const missed = missedPath(request.url, domains.isCaseSensitive(domainNo))
      const now = clock.now()
      if (missed !== null) {
        unwritten.add({ domain_no: domainNo, ...missed, count: 1, first_at: now, last_at: now })
      }
    },
    write,
    /** Writes the counts regularly. Returns the function that stops it. */
    start(): () => void {
      const timer = setInterval(write, WRITE_EVERY_MS)
      timer.unref()
      return () => clearInterval(timer)
    },
    list,
    /** The paths of a host that all workspaces share. @throws AppError DOMAIN_NOT_FOUND */
    listShared(host: string | undefined, query: MissQuery) {
      const no = host === undefined ? DEFAULT_DOMAIN : domains.noOf(host)
      if (no === undefined || !domains.isShared(no)) throw new AppError('DOMAIN_NOT_FOUND')
      return list(no, query)
    },
    /** Deletes paths that weren't requested for 90 days. */
    purge: () => storage.write((tx) => purgeMisses(tx, clock.now() - KEPT_MS)),
    /** Visits that weren't counted: too many paths at a time, or too long ones. */
    dropped: () => unwritten.dropped,
  }
}

/** Counts that are yet to be written. A full one accepts no further paths. */
class UnwrittenMisses {
  #byDomain = new Map<number, Map<string, MissedPath>>()
  #size = 0
  dropped = 0

  add(row: MissedPath): void {
    const ofDomain = this.#byDomain.get(row.domain_no)
    const known = ofDomain?.get(row.path_key)
    if (known !== undefined) {
      known.count += row.count
      known.last_at = Math.max(known.last_at, row.last_at)
    } else if (this.#hasRoom(ofDomain?.size ?? 0) && isShort(row)) {
      this.#size++
      if (ofDomain !== undefined) ofDomain.set(row.path_key, row)
      else this.#byDomain.set(row.domain_no, new Map([[row.path_key, row]]))
    } else this.dropped += row.count
  }

  #hasRoom(ofDomain: number): boolean {
    return this.#size < UNWRITTEN.all && ofDomain < UNWRITTEN.ofDomain
  }

  /** Takes all of them, in the order in which all nodes write them. */
  take(): MissedPath[] {
    const rows = [...this.#byDomain.values()].flatMap((paths) => [...paths.values()])
    this.#byDomain = new Map()
    this.#size = 0
    return rows.sort((a, b) => a.domain_no - b.domain_no || (a.path_key < b.path_key ? -1 : 1))
  }
}

function isShort({ path, path_key }: MissedPath): boolean {
  return [path, path_key].every((text) => Buffer.byteLength(text) <= PATH_BYTES_MAX)
}

async function writeRows(storage: Pick<Storage, 'write'>, rows: readonly MissedPath[]) {
  if (rows.length === 0) return
  await storage.write(async (tx) => {
    await tx.lock('misses')
    const known = await existing(
      tx,
      rows.map(({ domain_no }) => domain_no),
    )
    const kept = rows.filter(({ domain_no: no }) => no === DEFAULT_DOMAIN || known.has(no))
    if (kept.length > 0) await addMisses(tx, kept)
  })
}

function missOf({ path, count, first_at, last_at }: MissedPath) {
  return {
    path,
    count,
    first_at: formatTimestamp(first_at),
    last_at: formatTimestamp(last_at),
  }
}
