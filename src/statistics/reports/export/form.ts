import { KIND_NAMES, SLOT_MS, TEXT_COLUMNS } from '../../store/schema.ts'
import { EXPORT_COLUMNS } from '../../types.ts'

/** How the values of a click stand in a line. */
export interface Form {
  head: string
  /** What stands before each column's value, and behind the last. */
  before: readonly string[]
  end: string
  /** What stands around a value in which nothing needs to be changed. */
  quote: string
  /** A value, as it stands there. */
  field(value: string | null | undefined): string
}

/** Lines of CSV (RFC 4180), or of JSON. */
export function formOf(format: 'csv' | 'ndjson'): Form {
  if (format === 'csv') {
    return {
      head: `${EXPORT_COLUMNS.join(',')}\r\n`,
      before: EXPORT_COLUMNS.map((_, i) => (i === 0 ? '' : ',')),
      end: '\r\n',
      quote: '',
      field: (value) => (value == null ? '' : csvField(value)),
    }
  }
  return {
    head: '',
    before: EXPORT_COLUMNS.map((name, i) => `${i === 0 ? '{' : ','}"${name}":`),
    end: '}\n',
    quote: '"',
    field: (value) => (value == null ? 'null' : JSON.stringify(value)),
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

/** Writes lines from values as JavaScript has them, some thousand clicks at a time. */
export interface RowForm {
  head: string
  /** Rows of `slot, ms, n, link, domain, kind, qr`, {@link TEXT_COLUMNS}; ids of their links. */
  lines(rows: readonly unknown[][], ids: ReadonlyMap<number, string | undefined>): string
}

/** Spellings of values that are remembered: few values, and each of them often. */
const SPELLINGS_REMEMBERED = 20_000

export function createForm(format: 'csv' | 'ndjson', hosts: ReadonlyMap<number, string>): RowForm {
  const { head, before, end, quote, field: spelled } = formOf(format)
  const field = remembered(spelled)

  function line(row: readonly unknown[], ids: ReadonlyMap<number, string | undefined>): string {
    const time = Number(row[0]) * SLOT_MS + Number(row[1])
    const values = [
      `${quote}${time}-${row[2]}${quote}`,
      `${quote}${new Date(time).toISOString()}${quote}`,
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
    head,
    lines(rows, ids) {
      let text = ''
      for (const row of rows) text += line(row, ids)
      return text
    },
  }
}

function remembered(spell: Form['field']): Form['field'] {
  const known = new Map<string | null | undefined, string>()
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
