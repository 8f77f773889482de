import { SEQS_PER_WORKSPACE } from '../../storage/index.ts'
import { type Batch, dayOf, slotOf, type TextColumn } from './batch.ts'
import { ALL_FIRSTS, FIRST, SLOTS_PER_DAY } from './schema.ts'
import { createSeenSet } from './seen.ts'

/** What tells, besides the workspace, in which way a click is a first. */
const GROUPS = [
  ['language', FIRST.language],
  ['referrer', FIRST.referrer],
  ['utm_source', FIRST.utm_source],
  ['utm_medium', FIRST.utm_medium],
  ['utm_campaign', FIRST.utm_campaign],
  ['referrer_path', FIRST.referrer_path],
] as const satisfies readonly (readonly [TextColumn, number])[]

/** The text columns that {@link FIRST} has bits for, and these bits. */
export const FIRST_COLUMNS: readonly (readonly [TextColumn, number])[] = GROUPS

/**
 * The hash of a column's text as SQL works it out; null's is 0. Texts that differ have different
 * ones (MD5, its latter half).
 */
export const textHashSql = (column: TextColumn) =>
  `CASE WHEN ${column} IS NULL THEN 0::UBIGINT ELSE md5_number_lower(${column}) END`

/**
 * Stored clicks that were a first in some way, column by column; numbers of 64 bits as two halves,
 * the lower one first.
 */
export interface StoredFirsts {
  rows: number
  link: Uint32Array
  slot: Int32Array
  visitor: Uint32Array
  firsts: Uint16Array
  /** {@link textHashSql} of {@link FIRST_COLUMNS}; only those are looked at whose bit is set. */
  texts: readonly Uint32Array[]
}

/** With more keys than this (38 MB, some 400,000 clicks of different people) they are let go. */
const KEYS_AT_MOST = 2_000_000
/** Random, one for each of the groups. */
const GROUP_SALTS = [0x7ed55d16, 0xc761c23c, 0x165667b1, 0xd3a2646c, 0xfd7046c5, 0xb55a4f09]
/** Texts whose hashes are remembered, for each column. */
const TEXTS_REMEMBERED = 50_000

/** Tells which clicks are the first of their visitor on a UTC day, in each way of {@link FIRST}. */
export interface Firsts {
  /**
   * True: it knows all firsts of the days from this one on (days since the epoch), so that nothing
   * stored need be read for a batch.
   */
  knowsFrom(day: number): boolean
  /** From now on all firsts from this day on are told to it: none of them is stored yet. */
  beginAt(day: number): void
  /** For a batch whose days it doesn't know: forgets what it has, and is then told. */
  forget(): void
  tell(stored: StoredFirsts): void
  /**
   * Marks the firsts of a batch in its own columns. Exact, whatever the order of the clicks'
   * times, but for two keys of 64 bits that are the same by chance.
   */
  mark(batch: Batch): void
}

/**
 * Keeps one key for each first: the visitor's hash, XOR a hash of what it is a first of. The
 * visitor's is random, so that such keys meet by chance as rarely as visitors themselves do.
 */
export function createFirsts(): Firsts {
  const seen = createSeenSet()
  let since = Number.POSITIVE_INFINITY
  const hashes = GROUPS.map(createTextHashes)
  const scratch = new BigUint64Array(1)
  const halves = new Uint32Array(scratch.buffer)
  let scopeWorkspace = -1
  let scopeDay = -1
  let scopeLow = 0
  let scopeHigh = 0

  /** Sets the hash of the workspace and day that the next keys belong to. */
  function setScope(workspace: number, day: number): void {
    if (workspace === scopeWorkspace && day === scopeDay) return
    scopeWorkspace = workspace
    scopeDay = day
    scratch[0] = Bun.hash.wyhash(`${workspace} ${day}`)
    scopeLow = halves[0] as number
    scopeHigh = halves[1] as number
  }

  /** `link`: the lower half of its `seq`; the upper one is the workspace's, and in the scope. */
  function addLink(low: number, high: number, link: number): boolean {
    return seen.add(low ^ scramble(link), high ^ scramble(link ^ 0x5bd1e995), 0)
  }

  /** A text's hash, made the group's own: the same text may be a referrer and a source. */
  function addText(low: number, high: number, group: number, a: number, b: number): boolean {
    return seen.add(low ^ a ^ (GROUP_SALTS[group] as number), high ^ ~b, 0)
  }

  return {
    knowsFrom: (day) => day >= since,
    beginAt(day) {
      seen.clear()
      since = day
    },
    forget() {
      seen.clear()
      since = Number.POSITIVE_INFINITY
    },
    tell({ rows, link, slot, visitor, firsts, texts }) {
      for (let at = 0; at < rows; at++) {
        const moment = slot[at] as number
        const bits = firsts[at] as number
        setScope(link[at * 2 + 1] as number, dayOf(moment))
        const low = (visitor[at * 2] as number) ^ scopeLow
        const high = (visitor[at * 2 + 1] as number) ^ scopeHigh
        if (bits & FIRST.workspace) seen.add(low, high, moment % SLOTS_PER_DAY)
        if (bits & FIRST.link) addLink(low, high, link[at * 2] as number)
        for (let group = 0; group < GROUPS.length; group++) {
          if ((bits & (GROUPS[group] as (typeof GROUPS)[number])[1]) === 0) continue
          const hash = texts[group] as Uint32Array
          addText(low, high, group, hash[at * 2] as number, hash[at * 2 + 1] as number)
        }
      }
    },
    mark(batch) {
      const columns = GROUPS.map(([column]) => batch.text[column])
      const visitors = new Uint32Array(batch.visitor.buffer)
      for (let at = 0; at < batch.size; at++) {
        if (batch.seen[at] === 0) {
          batch.firsts[at] = 0
          batch.firstSlot[at] = 0
          continue
        }
        const slot = slotOf(batch.time[at] as number)
        const link = batch.link[at] as number
        setScope(Math.floor(link / SEQS_PER_WORKSPACE), dayOf(slot))
        const low = (visitors[at * 2] as number) ^ scopeLow
        const high = (visitors[at * 2 + 1] as number) ^ scopeHigh
        const came = seen.get(low, high)
        if (came === -1) seen.add(low, high, slot % SLOTS_PER_DAY)
        let bits = came === -1 ? FIRST.workspace : 0
        if (addLink(low, high, link >>> 0)) bits |= FIRST.link
        for (let group = 0; group < GROUPS.length; group++) {
          const value = (columns[group] as (string | null)[])[at] as string | null
          const hash = hashes[group] as TextHashes
          const where = hash.of(value)
          if (addText(low, high, group, hash.low[where] as number, hash.high[where] as number)) {
            bits |= (GROUPS[group] as (typeof GROUPS)[number])[1]
          }
        }
        batch.firsts[at] = came === -1 ? ALL_FIRSTS : bits
        batch.firstSlot[at] = came === -1 ? slot % SLOTS_PER_DAY : came
      }
      // What doesn't fit is read again from the file: slower, and as exact.
      if (seen.size > KEYS_AT_MOST) this.forget()
    },
  }
}

interface TextHashes {
  readonly low: Uint32Array
  readonly high: Uint32Array
  /** Where the two halves of a value's hash stand. */
  of(value: string | null): number
}

function createTextHashes(): TextHashes {
  const low = new Uint32Array(TEXTS_REMEMBERED + 1)
  const high = new Uint32Array(TEXTS_REMEMBERED + 1)
  const places = new Map<string, number>()
  const digest = new Uint32Array(4)
  return {
    low,
    high,
    of(value) {
      if (value === null) return 0
      let at = places.get(value)
      if (at !== undefined) return at
      if (places.size === TEXTS_REMEMBERED) places.clear()
      at = places.size + 1
      places.set(value, at)
      Bun.CryptoHasher.hash('md5', value, digest)
      low[at] = digest[2] as number
      high[at] = digest[3] as number
      return at
    },
  }
}

/** The finaliser of MurmurHash3: each bit of `n` moves half of the result's. */
function scramble(n: number): number {
  let h = n
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b)
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35)
  return (h ^ (h >>> 16)) >>> 0
}
