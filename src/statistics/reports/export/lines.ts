import { KIND_NAMES, SLOT_MS, TEXT_COLUMNS } from '../../store/schema.ts'
import { EXPORT_COLUMNS } from '../../types.ts'
import { type Cells, copyCell, createCells } from './cells.ts'
import type { ExportedClicks } from './clicks.ts'
import { writeClock, writeNumber } from './digits.ts'
import type { Form } from './form.ts'
import { createFieldWriter, GROWTH } from './form-bytes.ts'
import type { LinkCells } from './link-cells.ts'

/** Bytes of a piece: whoever passes it on does nothing else meanwhile. */
const PIECE_BYTES = 64 * 1024
/** Of a column: quotes, an apostrophe, and what stands for nothing. */
const AROUND_BYTES = 8
/** Of a click's id and its time. */
const NUMBERS_BYTES = 100
const DASH = 45

/** Writes clicks as lines, in pieces. */
export interface LineWriter {
  /** The pieces that have become full. */
  write(clicks: ExportedClicks, links: LinkCells): Generator<Uint8Array, void>
  /** What is left. */
  end(): Uint8Array
}

/** @param hosts of domains, by their number */
export function createLineWriter(form: Form, hosts: ReadonlyMap<number, string>): LineWriter {
  const { before, end, quote, field } = form
  const writeField = createFieldWriter(form)
  const of = (name: (typeof EXPORT_COLUMNS)[number]) => before[EXPORT_COLUMNS.indexOf(name)]
  const textsBefore = TEXT_COLUMNS.map((name) => of(name) as string)
  /** What is written before each text, and instead of none. */
  const texts = createCells(textsBefore)
  const nulls = createCells(textsBefore.map((text) => `${text}${field(null)}`))
  const head = createCells([`${of('id')}${quote}`, `${quote}${of('clicked_at')}${quote}`])
  const link = createCells([`${quote}${of('link')}`])
  const kinds = createCells([...KIND_NAMES, null].map((kind) => `${of('kind')}${field(kind)}`))
  const triggers = createCells(['click', 'qr'].map((it) => `${of('trigger')}${field(it)}`))
  const tail = createCells([end])
  const domains = createCells([...hosts.values(), null].map((it) => `${of('domain')}${field(it)}`))
  const domainPlaces = new Map([...hosts.keys()].map((no, place) => [no, place]))
  const lineBytes =
    NUMBERS_BYTES +
    before.reduce((sum, text) => sum + text.length + AROUND_BYTES, end.length) +
    longest(domains)

  let out = new Uint8Array(PIECE_BYTES)
  let at = 0
  /** The slot whose day and hour these are, and how many minutes it begins behind the hour. */
  let slot = Number.NaN
  let hour = createCells([''])
  let minutes = 0

  function enter(next: number): void {
    slot = next
    const start = new Date(slot * SLOT_MS)
    // Without minutes, seconds, milliseconds and zone.
    hour = createCells([start.toISOString().slice(0, -10)])
    minutes = start.getUTCMinutes()
  }

  /** Writes clicks from one on, as many as there is room for. Returns the next one. */
  function fill(clicks: ExportedClicks, { cells, places }: LinkCells, from: number): number {
    const { count, starts, sizes, lengths } = clicks
    const { length: columns } = lengths
    let to = at
    let row = from
    for (; row < count; row++) {
      const place = places[row] as number
      const linkBytes = (cells.starts[place + 1] as number) - (cells.starts[place] as number)
      const room = lineBytes + linkBytes + (sizes[row] as number) * GROWTH
      if (to + room > out.length) {
        if (to > 0) break
        out = new Uint8Array(room)
      }
      if (clicks.slot[row] !== slot) enter(clicks.slot[row] as number)
      const ms = clicks.ms[row] as number
      to = copyCell(head, 0, out, to)
      to = writeNumber(slot * SLOT_MS + ms, out, to)
      out[to++] = DASH
      to = writeNumber(clicks.n[row] as number, out, to)
      to = copyCell(head, 1, out, to)
      to = copyCell(hour, 0, out, to)
      to = writeClock(minutes, ms, out, to)
      to = copyCell(link, 0, out, to)
      to = copyCell(cells, place, out, to)
      to = copyCell(domains, domainPlaces.get(clicks.domain[row] as number) ?? hosts.size, out, to)
      to = copyCell(kinds, Math.min(clicks.kind[row] as number, KIND_NAMES.length), out, to)
      let text = starts[row] as number
      for (let column = 0; column < columns; column++) {
        // Behind the reason.
        if (column === 1) to = copyCell(triggers, clicks.qr[row] as number, out, to)
        const length = ((lengths[column] as Uint32Array)[row] as number) - 1
        if (length < 0) {
          to = copyCell(nulls, column, out, to)
          continue
        }
        to = copyCell(texts, column, out, to)
        to = writeField(clicks.texts, text, text + length, out, to)
        text += length
      }
      to = copyCell(tail, 0, out, to)
    }
    at = to
    return row
  }

  function take(): Uint8Array {
    const piece = out.subarray(0, at)
    out = new Uint8Array(PIECE_BYTES)
    at = 0
    return piece
  }

  return {
    *write(clicks, links) {
      for (let row = 0; ; ) {
        row = fill(clicks, links, row)
        if (row === clicks.count) return
        yield take()
      }
    },
    end: take,
  }
}

function longest({ starts, size }: Cells): number {
  let most = 0
  for (let i = 0; i < size; i++) {
    most = Math.max(most, (starts[i + 1] as number) - (starts[i] as number))
  }
  return most
}
