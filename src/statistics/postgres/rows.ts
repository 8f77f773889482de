import { sql } from 'kysely'
import { SEQS_PER_WORKSPACE } from '../../storage/index.ts'
import type { Batch } from '../store/batch.ts'
import { TEXT_COLUMNS } from '../store/schema.ts'
import type { Part } from './where.ts'

/** Spellings of values that are remembered: few values, and each of them often. */
const SPELLINGS_REMEMBERED = 50_000

/** An array as PostgreSQL reads it, of one column's values. */
type Column = string

/** Clicks of a batch, column by column. */
export interface ClickColumns {
  numbers: readonly Column[]
  texts: readonly Column[]
}

const NUMBERS = ['link_seq', 'time', 'n', 'visitor', 'workspace_no', 'domain_no', 'kind', 'qr']
const TYPES = ['bigint', 'bigint', 'bigint', 'bigint', 'int', 'int', 'smallint', 'boolean']

/** Spells clicks as arrays: one parameter a column, however many clicks. */
export function createColumnWriter() {
  const known = new Map<string, string>()

  function spell(value: string | null): string {
    if (value === null) return 'NULL'
    let spelling = known.get(value)
    if (spelling === undefined) {
      // Half a surrogate pair, or U+0000, is no text for PostgreSQL.
      const text = value.toWellFormed().replaceAll('\0', '\uFFFD')
      spelling = `"${text.replace(/["\\]/g, '\\$&')}"`
      if (known.size >= SPELLINGS_REMEMBERED) known.clear()
      known.set(value, spelling)
    }
    return spelling
  }

  /** The clicks from ≤ index < to. */
  return (batch: Batch, numbers: Float64Array, from: number, to: number): ClickColumns => {
    const column = (value: (at: number) => string | number): Column => {
      let text = '{'
      for (let at = from; at < to; at++) text += at === from ? value(at) : `,${value(at)}`
      return `${text}}`
    }
    const { link, time, visitor, seen, domain, kind, qr } = batch
    return {
      numbers: [
        column((at) => link[at] as number),
        column((at) => time[at] as number),
        column((at) => numbers[at] as number),
        column((at) =>
          seen[at] === 1 ? String(BigInt.asIntN(64, visitor[at] as bigint)) : 'NULL',
        ),
        column((at) => Math.floor((link[at] as number) / SEQS_PER_WORKSPACE)),
        column((at) => domain[at] as number),
        column((at) => kind[at] as number),
        column((at) => (qr[at] === 1 ? 't' : 'f')),
      ],
      texts: TEXT_COLUMNS.map((name) => {
        const values = batch.text[name]
        return column((at) => spell(values[at] as string | null))
      }),
    }
  }
}

/** Adds clicks to the table. */
export function insertClicks({ numbers, texts }: ClickColumns): Part {
  const names = sql.raw([...NUMBERS, ...TEXT_COLUMNS].join(', '))
  const arrays = [
    ...numbers.map((column, i) => sql`${column}::${sql.raw(TYPES[i] as string)}[]`),
    ...texts.map((column) => sql`${column}::text[]`),
  ]
  return sql`INSERT INTO clicks (${names}) SELECT * FROM unnest(${sql.join(arrays)})`
}
