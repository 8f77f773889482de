import type { Click, StoredClick } from '../types.ts'
import { KIND, KIND_NAMES, NO_PERSON, SLOT_MS, SLOTS_PER_DAY, TEXT_COLUMNS } from './schema.ts'

/** One of {@link TEXT_COLUMNS}. */
export type TextColumn = (typeof TEXT_COLUMNS)[number]

const CAPACITY = 163_840

/**
 * Clicks that will be written together, column by column: most values are references to strings
 * that many clicks share, so that a full batch takes some 30 MB. Used again for the next batch.
 */
export interface Batch {
  readonly size: number
  /** Clicks that it takes; more are refused with an error. */
  readonly capacity: number
  readonly link: Float64Array
  /** Milliseconds since the Unix epoch. */
  readonly time: Float64Array
  /** Undefined content where `seen` is 0. */
  readonly visitor: BigUint64Array
  /** 1: the visitor may be told apart. */
  readonly seen: Uint8Array
  readonly kind: Uint8Array
  readonly qr: Uint8Array
  readonly domain: Int32Array
  readonly text: Readonly<Record<TextColumn, (string | null)[]>>
  /** Worked out when it is written. */
  readonly n: Uint32Array
  readonly firsts: Uint16Array
  readonly firstSlot: Uint8Array
  /** Time of the earliest and the latest click. */
  readonly earliest: number
  readonly latest: number
  add(click: Click): void
  clear(): void
  /** A click as reports would give it; after it was written. */
  clickAt(index: number): StoredClick
}

/** An empty batch. */
export function createBatch(capacity = CAPACITY): Batch {
  const text = Object.fromEntries(
    TEXT_COLUMNS.map((name) => [name, new Array<string | null>(capacity).fill(null)]),
  ) as Record<TextColumn, (string | null)[]>
  const texts = TEXT_COLUMNS.map((name) => text[name])
  const link = new Float64Array(capacity)
  const time = new Float64Array(capacity)
  const visitor = new BigUint64Array(capacity)
  const seen = new Uint8Array(capacity)
  const kind = new Uint8Array(capacity)
  const qr = new Uint8Array(capacity)
  const domain = new Int32Array(capacity)
  const n = new Uint32Array(capacity)
  const firsts = new Uint16Array(capacity)
  const firstSlot = new Uint8Array(capacity)
  let size = 0
  let earliest = Number.POSITIVE_INFINITY
  let latest = 0

  return {
    get size() {
      return size
    },
    capacity,
    link,
    time,
    visitor,
    seen,
    kind,
    qr,
    domain,
    text,
    n,
    firsts,
    firstSlot,
    get earliest() {
      return earliest
    },
    get latest() {
      return latest
    },
    add(click) {
      if (size === capacity) throw new RangeError('The batch is full')
      const at = size++
      const moment = click.time
      link[at] = click.linkSeq
      time[at] = moment
      if (moment < earliest) earliest = moment
      if (moment > latest) latest = moment
      if (click.visitor === null) seen[at] = 0
      else {
        seen[at] = 1
        visitor[at] = click.kind === 'person' ? click.visitor : click.visitor ^ NO_PERSON
      }
      kind[at] = KIND[click.kind]
      qr[at] = click.trigger === 'qr' ? 1 : 0
      domain[at] = click.domainNo
      for (let i = 0; i < TEXT_COLUMNS.length; i++) {
        ;(texts[i] as (string | null)[])[at] = click[TEXT_COLUMNS[i] as TextColumn]
      }
    },
    clear() {
      // The strings go with it: an idle process holds none.
      for (const column of texts) column.fill(null, 0, size)
      size = 0
      earliest = Number.POSITIVE_INFINITY
      latest = 0
    },
    clickAt(at) {
      const values = {} as Record<TextColumn, string | null>
      for (const name of TEXT_COLUMNS) values[name] = text[name][at] as string | null
      return {
        time: time[at] as number,
        n: n[at] as number,
        linkSeq: link[at] as number,
        domainNo: domain[at] as number,
        visitor: seen[at] === 1 ? (visitor[at] as bigint) : null,
        kind: KIND_NAMES[kind[at] as 0 | 1 | 2],
        trigger: qr[at] === 1 ? 'qr' : 'click',
        ...values,
      }
    },
  }
}

/** Slots since the epoch of a time in milliseconds. */
export function slotOf(time: number): number {
  return Math.floor(time / SLOT_MS)
}

/** Days since the epoch, UTC, of a slot. */
export function dayOf(slot: number): number {
  return Math.floor(slot / SLOTS_PER_DAY)
}
