import { createReadStream } from 'node:fs'
import { open, rename, rm } from 'node:fs/promises'
import { createInterface } from 'node:readline'
import type { ListedSlug } from './fetch-slug.ts'
import type { LinkRow } from './resolver.ts'

/** Lines written per event-loop turn: a quarter of a millisecond. */
const LINES_A_TURN = 200
/** The first line: files with another one are ignored. */
const HEADER = '{"version":3}\n'

/** A slug read from the database at a time, in milliseconds since the Unix epoch. */
export type SavedSlug = ListedSlug & { readAt: number }

/**
 * Writes links to a file, which replaces the old one when it is complete. Blocked,
 * password-protected and limited links are left out: they need the database anyway. Returns how
 * many it contains.
 * @throws when the file can't be written; the old one stays
 */
export async function writeSnapshot(file: string, slugs: Iterable<SavedSlug>): Promise<number> {
  const next = `${file}.next`
  const handle = await open(next, 'w', 0o600)
  let written = 0
  try {
    let lines = HEADER
    for (const slug of slugs) {
      if (slug.block_id !== null) continue
      if (slug.link !== null && needsDatabase(slug.link)) continue
      lines += lineOf(slug)
      if (++written % LINES_A_TURN > 0) continue
      await handle.write(lines)
      lines = ''
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

/** The links of a snapshot; none if there is no readable file. */
export async function readSnapshot(file: string): Promise<SavedSlug[]> {
  const slugs: SavedSlug[] = []
  let header: string | undefined
  try {
    for await (const line of createInterface({ input: createReadStream(file) })) {
      if (header !== undefined) slugs.push(savedOf(line))
      header ??= `${line}\n`
      if (header !== HEADER) return []
    }
  } catch {
    // Files are renamed when complete, so this one is damaged: it is useless.
    return []
  }
  return slugs
}

function needsDatabase({ password_hash, max_clicks }: LinkRow): boolean {
  return password_hash !== null || max_clicks !== null
}

/** A line has the values in this order: with names it would be twice as long. */
const FIELDS = [
  'slugKey',
  'domainNo',
  'readAt',
  'link_seq',
  'target_url',
  'redirect_status',
  'special',
  'link',
] as const satisfies (keyof SavedSlug)[]

function lineOf(slug: SavedSlug): string {
  return `${JSON.stringify(FIELDS.map((name) => slug[name]))}\n`
}

function savedOf(line: string): SavedSlug {
  const values = JSON.parse(line) as unknown[]
  const saved = Object.fromEntries(FIELDS.map((name, i) => [name, values[i]]))
  return { ...(saved as Omit<SavedSlug, 'block_id'>), block_id: null }
}
