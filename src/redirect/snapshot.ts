import { createReadStream } from 'node:fs'
import { open, rename, rm } from 'node:fs/promises'
import { createInterface } from 'node:readline'
import { BEFORE } from './cached-resolver.ts'
import type { LinkRow } from './resolver.ts'
import { CachedSlug } from './slug-cache.ts'

/** How much of the cache is written down. */
export interface SnapshotBounds {
  entriesMax: number
  bytesMax: number
}

const BOUNDS: SnapshotBounds = { entriesMax: 50_000, bytesMax: 32 * 1024 * 1024 }
/** So many lines are made in one turn of the event loop: a quarter of a millisecond. */
const LINES_A_TURN = 200
const VERSION = 1

/** A slug as a line of JSON; an array, because most of a line would be names otherwise. */
type Line = [
  domainNo: number,
  slugKey: string,
  readAt: number,
  linkSeq: number,
  target: string | null,
  status: number,
  link: LinkRow | null,
]

/**
 * Whether a slug may be in a file: nothing that is blocked or that a password protects. Limited
 * ones would be no use: they need the database anyway.
 */
function isKept({ link_seq, link, block_id }: CachedSlug): boolean {
  if (link_seq === null || block_id !== null) return false
  return link === null || (link.password_hash === null && link.max_clicks === null)
}

/**
 * Writes the hottest entries to a file, which takes the place of the one before when it is whole.
 * Returns how many there are.
 * @throws when the file can't be written; the one before stays.
 */
export async function writeSnapshot(
  file: string,
  entries: Iterable<CachedSlug>,
  { entriesMax, bytesMax }: SnapshotBounds = BOUNDS,
): Promise<number> {
  const next = `${file}.next`
  const handle = await open(next, 'w', 0o600)
  try {
    let written = 0
    let bytes = 0
    let lines = `${JSON.stringify({ version: VERSION })}\n`
    let taken = 0
    for (const entry of entries) {
      if (written >= entriesMax || bytes >= bytesMax) break
      if (++taken % LINES_A_TURN === 0) {
        bytes += lines.length
        await handle.write(lines)
        lines = ''
      }
      if (!entry.kept || !isKept(entry)) continue
      lines += `${JSON.stringify(lineOf(entry))}\n`
      written++
    }
    await handle.write(lines)
    await handle.close()
    await rename(next, file)
    return written
  } catch (error) {
    await handle.close().catch(() => {})
    await rm(next, { force: true })
    throw error
  }
}

/** What a snapshot holds; nothing where there is none, or none that can be read. */
export async function readSnapshot(file: string): Promise<CachedSlug[]> {
  const entries: CachedSlug[] = []
  let first = true
  try {
    const lines = createInterface({ input: createReadStream(file), crlfDelay: Infinity })
    for await (const line of lines) {
      const value = JSON.parse(line)
      if (first && value.version !== VERSION) return []
      if (!first) entries.push(entryOf(value))
      first = false
    }
  } catch {
    // Half a file can't be (it is renamed when it is whole), and a broken one is worth nothing.
    return []
  }
  return entries
}

function lineOf(entry: CachedSlug): Line {
  const { domainNo, slugKey, readAt, link_seq, target_url, redirect_status, link } = entry
  return [domainNo, slugKey, readAt, link_seq as number, target_url, redirect_status, link]
}

function entryOf([domainNo, slugKey, readAt, link_seq, target_url, status, link]: Line) {
  const found = {
    link_seq,
    target_url,
    redirect_status: status,
    special: link ? 1 : 0,
    block_id: null,
    link,
  }
  return new CachedSlug(domainNo, slugKey, found, readAt, BEFORE)
}

/** Keeps a file with the hottest entries up to date. */
export interface Snapshots {
  /** Writes it once more. */
  close(): Promise<void>
}

/** Writes a snapshot every `everyMs` milliseconds; `failed` is told when it couldn't be. */
export function keepSnapshots(
  file: string,
  resolver: { hottest(): Iterable<CachedSlug> },
  { everyMs = 60_000, failed }: { everyMs?: number; failed: (error: unknown) => void },
): Snapshots {
  let writing: Promise<unknown> | undefined
  const write = () => {
    writing ??= writeSnapshot(file, resolver.hottest())
      .catch(failed)
      .finally(() => {
        writing = undefined
      })
    return writing
  }
  const timer = setInterval(write, everyMs).unref()
  return {
    async close() {
      clearInterval(timer)
      await writing
      await write()
    },
  }
}
