import { KIND_NAMES, SLOT_MS, TEXT_COLUMNS } from '../store/schema.ts'
import { EXPORT_COLUMNS } from '../types.ts'

/** How clicks are written, some thousand at a time. */
export interface Form {
  head: string
  /** Rows of `slot, ms, n, link, domain, kind, qr`, {@link TEXT_COLUMNS}; ids of their links. */
  lines(rows: readonly unknown[][], ids: ReadonlyMap<number, string | undefined>): string
}

/** Spellings of values that are remembered: few values, and each of them often. */
const SPELLINGS_REMEMBERED = 20_000

export function createForm(format: 'csv' | 'ndjson', hosts: ReadonlyMap<number, string>): Form {
  const isCsv = format === 'csv'
  const spell = remembered(isCsv ? csvField : JSON.stringify)
  // Between the fields, each with what stands before its value.
  const before = EXPORT_COLUMNS.map((name, i) =>
    isCsv ? (i === 0 ? '' : ',') : `${i === 0 ? '{' : ','}"${name}":`,
  )
  const nothing = isCsv ? '' : 'null'
  const end = isCsv ? '\r\n' : '}\n'
  const field = (value: string | null | undefined) => (value == null ? nothing : spell(value))

  function line(row: readonly unknown[], ids: ReadonlyMap<number, string | undefined>): string {
    const time = Number(row[0]) * SLOT_MS + Number(row[1])
    const own = isCsv
      ? [`${time}-${row[2]}`, new Date(time).toISOString()]
      : [`"${time}-${row[2]}"`, `"${new Date(time).toISOString()}"`]
    const values = [
      own[0],
      own[1],
      field(ids.get(Number(row[3]))),
      field(hosts.get(Number(row[4]))),
      field(KIND_NAMES[Number(row[5])]),
      field(row[7] as string | null),
      field(row[6] === true ? 'qr' : 'click'),
    ]
    let text = ''
    for (let i = 0; i < values.length; i++) text += `${before[i]}${values[i]}`
    for (let i = values.length; i < before.length; i++) {
      text += `${before[i]}${field(row[i + 1] as string | null)}`
    }
    return text + end
  }

  return {
    head: isCsv ? `${EXPORT_COLUMNS.join(',')}\r\n` : '',
    lines(rows, ids) {
      let text = ''
      for (const row of rows) text += line(row, ids)
      return text
    },
  }
}

/**
 * A field of RFC 4180. What a visitor wrote must not be taken for a formula by a spreadsheet: see
 * {@link EXPORT_COLUMNS}.
 */
export function csvField(value: string): string {
  const safe = /^[=+\-@\t\r']/.test(value) ? `'${value}` : value
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

function remembered(spell: (value: string) => string): (value: string) => string {
  const known = new Map<string, string>()
  return (value) => {
    let spelling = known.get(value)
    if (spelling === undefined) {
      spelling = spell(value)
      if (known.size >= SPELLINGS_REMEMBERED) known.clear()
      known.set(value, spelling)
    }
    return spelling
  }
}
