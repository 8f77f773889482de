import type { z } from '@hono/zod-openapi'
import { csvField } from '../../lib/base/csv.ts'
import { streamOf } from '../../lib/base/streams.ts'
import { createPause } from '../../lib/base/turn.ts'
import type { AppError } from '../../lib/errors/index.ts'
import { hasMessage, type Locale, translate } from '../../lib/i18n/index.ts'
import { describeWarning, isWarning, type Warning } from '../links/index.ts'
import type { RowSchema } from './schemas.ts'
import type { ImportRow } from './store.ts'

type ShownRow = z.output<typeof RowSchema>

/** A row as the API returns it. */
export function renderRow(row: ImportRow, locale: Locale): ShownRow {
  const { n, status, slug, destination_url, link_id, undo } = row
  // The codes were validated when the row was written.
  const notes = JSON.parse(row.reasons) as (Reason | Warning)[]
  const warnings = notes.filter(isWarning).map((warning) => describeWarning(warning, locale))
  return {
    row: n,
    status,
    slug,
    destination_url,
    link_id,
    reasons: notes.flatMap((note) => (isWarning(note) ? [] : describeReason(note, locale))),
    ...(warnings.length > 0 && { warnings }),
    undo,
  }
}

type Reason = NonNullable<AppError['details']>[number]

function describeReason({ field, code, params }: Reason, locale: Locale) {
  // What to do about it was chosen with the import: advice for a single link would be wrong.
  const own = `import.${code}`
  const key = hasMessage(own) ? own : (`detail.${code}` as const)
  return { field, code, message: translate(locale, key, params ?? {}) }
}

/** The columns of the CSV file. */
export const ROW_COLUMNS = [
  'row',
  'status',
  'slug',
  'destination_url',
  'link_id',
  'fields',
  'codes',
  'reasons',
  'undo',
] as const

/** One line per row; several reasons are joined. */
export function csvOf(
  pages: AsyncIterable<ImportRow[]>,
  locale: Locale,
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder()
  async function* parts() {
    yield encoder.encode(`${ROW_COLUMNS.join(',')}\r\n`)
    const pause = createPause()
    for await (const rows of pages) {
      const lines: string[] = []
      for (const row of rows) {
        // Each may have many reasons, which are translated.
        await pause()
        lines.push(lineOf(row, locale))
      }
      yield encoder.encode(lines.join(''))
    }
    return undefined
  }
  return streamOf(parts)
}

function lineOf(stored: ImportRow, locale: Locale): string {
  const row = renderRow(stored, locale)
  const joined = (part: 'field' | 'code' | 'message') =>
    [...row.reasons, ...(row.warnings ?? [])].map((note) => note[part]).join('; ')
  const cells = [
    String(row.row),
    row.status,
    row.slug,
    row.destination_url,
    row.link_id,
    joined('field'),
    joined('code'),
    joined('message'),
    row.undo,
  ]
  return `${cells.map((cell) => csvField(cell)).join(',')}\r\n`
}
