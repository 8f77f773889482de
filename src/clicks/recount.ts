import type { SqliteConnection } from '../storage/index.ts'
import { isPerson } from './classify.ts'
import type { ClickRecord } from './record.ts'
import { readJournal } from './segment-reader.ts'
import type { Position } from './segments.ts'

const DAY_MS = 86_400_000

/** A link's numbers, by its counters or by its raw clicks. */
export interface LinkCounts {
  human: number
  bot: number
  unique: number
}

/** A link whose counters are not what its clicks come to. */
export interface Difference {
  linkSeq: number
  counted: LinkCounts
  clicks: LinkCounts
}

/** What raw clicks say, as of a position in the journal. */
export interface RawCounts {
  position: Position
  /** Time from which all clicks are known; 0: all that there ever were. */
  since: number
  links: Map<number, LinkCounts>
}

/** What a recount came to. */
export interface Recounted {
  /** Links looked at. */
  links: number
  /** Links older than the statistics, of which nothing can be said. */
  older: number
  differences: Difference[]
  /** Time from which all clicks are known, in milliseconds since the Unix epoch; 0: all of them. */
  since: number
}

/** What {@link recount} works with. */
export interface RecountOptions {
  /** Open for writing. */
  counters: SqliteConnection
  main: SqliteConnection
  /** The journal's directory. */
  directory: string
  /** Links compared: first ≤ seq < end. */
  range: readonly [first: number, end: number]
  /** The raw numbers, as of a position at `atLeast` or behind it. */
  raw(atLeast: Position): Promise<RawCounts>
}

/**
 * Compares the links' counters with the raw clicks, and mends those that differ. The counters are
 * locked meanwhile, so that they stand still at one position of the journal, and the click worker
 * waits; what the raw clicks hold beyond it is read from the journal and taken off.
 */
export async function recount(options: RecountOptions): Promise<Recounted> {
  const { counters, range } = options
  const { raw } = counters
  raw.run('BEGIN IMMEDIATE')
  try {
    const position = raw.query('SELECT segment, "offset" FROM journal_watermark').get() as Position
    const clicks = await options.raw(position)
    takeOff(options, clicks, position)
    const compared = compare(options, clicks, range)
    const mend = raw.prepare(
      `INSERT INTO link_counters (link_seq, workspace_no, total, human, bot, unique_visitors)
       VALUES (?1, ?1 / 4294967296, ?2 + ?3, ?2, ?3, ?4)
       ON CONFLICT (link_seq) DO UPDATE SET
         total = ?2 + ?3, human = ?2, bot = ?3, unique_visitors = ?4`,
    )
    for (const { linkSeq, clicks: right } of compared.differences) {
      mend.run(linkSeq, right.human, right.bot, right.unique)
    }
    raw.run('COMMIT')
    return compared
  } catch (error) {
    if (raw.inTransaction) raw.run('ROLLBACK')
    throw error
  }
}

/** Takes off what the raw clicks hold beyond the position of the counters. */
function takeOff({ counters, directory }: RecountOptions, clicks: RawCounts, from: Position): void {
  const wasThere = counters.raw.prepare(
    'SELECT 1 FROM link_visitors WHERE day = ? AND link_seq = ? AND visitor = ?',
  )
  const taken = new Set<string>()
  const take = (record: ClickRecord) => {
    const counts = clicks.links.get(record[2])
    if (counts === undefined) return
    if (!isPerson(record[3], record[5])) {
      counts.bot--
      return
    }
    counts.human--
    const [, time, linkSeq, , visitor] = record
    if (visitor === '') return
    const day = Math.floor(time / DAY_MS)
    const key = `${day} ${linkSeq} ${visitor}`
    if (taken.has(key) || wasThere.get(day, linkSeq, visitor) !== null) return
    taken.add(key)
    counts.unique--
  }
  readJournal(directory, from, () => true, take, clicks.position)
}

function compare(
  { counters, main }: RecountOptions,
  clicks: RawCounts,
  [first, end]: readonly [number, number],
): Recounted {
  const counted = new Map<number, LinkCounts>()
  const rows = counters.raw
    .query<
      { link_seq: number; human: number; bot: number; unique_visitors: number; total: number },
      [number, number]
    >(
      `SELECT link_seq, total, human, bot, unique_visitors FROM link_counters
       WHERE link_seq >= ? AND link_seq < ?`,
    )
    .all(first, end)
  const untrue = new Set<number>()
  for (const { link_seq, human, bot, unique_visitors, total } of rows) {
    counted.set(link_seq, { human, bot, unique: unique_visitors })
    if (total !== human + bot) untrue.add(link_seq)
  }
  const result: Recounted = { links: 0, older: 0, differences: [], since: clicks.since }
  const links = main.raw
    .query<{ seq: number; created_at: number }, [number, number]>(
      'SELECT seq, created_at FROM links WHERE seq >= ?1 AND seq < ?2 ORDER BY seq',
    )
    .all(first, end)
  for (const { seq, created_at } of links) {
    const right = clicks.links.get(seq) ?? NONE
    const found = counted.get(seq) ?? NONE
    if (created_at < clicks.since) {
      result.older++
      continue
    }
    result.links++
    if (
      untrue.has(seq) ||
      right.human !== found.human ||
      right.bot !== found.bot ||
      right.unique !== found.unique
    ) {
      result.differences.push({ linkSeq: seq, counted: found, clicks: right })
    }
  }
  return result
}

const NONE: LinkCounts = { human: 0, bot: 0, unique: 0 }
