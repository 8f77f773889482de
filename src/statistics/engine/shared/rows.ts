import { SEQS_PER_WORKSPACE } from '../../../platform/storage/index.ts'
import { KIND_NAMES, TEXT_COLUMNS } from '../../columns.ts'
import type { StoredClick } from '../../types.ts'

/** A click's values in the order of `CLICK_COLUMNS`; the visitor as signed decimal text. */
export type ClickRow = (string | number | boolean | null)[]

/** Half a surrogate pair and U+0000 are text in JavaScript, but not in databases. */
const UNFIT = /\p{Surrogate}|\0/u

/** The row of a click. */
export function rowOf(click: StoredClick): ClickRow {
  const { linkSeq, time, n, visitor, kind, trigger, domainNo } = click
  const row: ClickRow = [
    Math.floor(linkSeq / SEQS_PER_WORKSPACE),
    linkSeq,
    time,
    n,
    visitor === null ? null : String(BigInt.asIntN(64, visitor)),
    KIND_NAMES.indexOf(kind),
    trigger === 'qr',
    domainNo,
  ]
  for (const name of TEXT_COLUMNS) {
    const value = click[name]
    row.push(value === null ? null : fit(value))
  }
  return row
}

function fit(text: string): string {
  return UNFIT.test(text) ? text.toWellFormed().replaceAll('\0', '\uFFFD') : text
}
