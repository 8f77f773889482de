import { SEQS_PER_WORKSPACE } from '../../storage/index.ts'
import type { Batch } from '../store/batch.ts'
import { TEXT_COLUMNS } from '../store/schema.ts'

/** Spellings of values that are remembered: few values, and each of them often. */
const SPELLINGS_REMEMBERED = 50_000

/** Spells clicks as lines of JSONCompactEachRow, in the order of the table's columns. */
export function createRowWriter() {
  const known = new Map<string, string>()

  function spell(value: string | null): string {
    if (value === null) return ',""'
    let spelling = known.get(value)
    if (spelling === undefined) {
      // Half a surrogate pair is no text for ClickHouse.
      spelling = `,${JSON.stringify(value.toWellFormed())}`
      if (known.size >= SPELLINGS_REMEMBERED) known.clear()
      known.set(value, spelling)
    }
    return spelling
  }

  return (batch: Batch, at: number, number: number): string => {
    const seq = batch.link[at] as number
    const visitor = batch.seen[at] === 1 ? String(batch.visitor[at]) : '0'
    let line = `[${Math.floor(seq / SEQS_PER_WORKSPACE)},${seq % SEQS_PER_WORKSPACE}`
    line += `,${batch.time[at]},${number},${visitor},${batch.kind[at]}`
    line += batch.qr[at] === 1 ? ',true' : ',false'
    line += `,${batch.domain[at]}`
    for (const name of TEXT_COLUMNS) line += spell(batch.text[name][at] as string | null)
    return `${line}]\n`
  }
}
