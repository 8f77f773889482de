import { csvField } from '../../../lib/base/csv.ts'
import { streamOf } from '../../../lib/base/streams.ts'
import { monthAfter } from '../../intervals.ts'
import { clicks } from '../../reports/lists.ts'
import {
  type ClickPosition,
  EXPORT_COLUMNS,
  type ExportOptions,
  type ListedClick,
  type Selection,
} from '../../types.ts'
import type { Engine, ExportRow, LinkFacts, RowFormat } from '../types.ts'

/** Links whose ids are remembered during an export. */
const IDS_REMEMBERED = 100_000

/** Writes exports of an engine's clicks, with the names that `facts` has. */
export function createExport({ pages }: Pick<Engine, 'pages'>, facts: LinkFacts) {
  return (selection: Selection, { format, raw = false }: ExportOptions, signal?: AbortSignal) =>
    streamOf(async function* (until) {
      const { head, page, end } = await formatOf(format, raw)
      yield head
      const rowsOf = createRows(facts, await facts.domains())
      for await (const clicks of pages(selection, until)) yield page(await rowsOf(clicks))
      yield end()
      return undefined
    }, signal)
}

async function formatOf(format: ExportOptions['format'], raw: boolean): Promise<RowFormat> {
  if (format !== 'parquet') return createLineFormat(format, raw)
  // Loaded when it is first needed: most nodes never write Parquet.
  return (await import('./export-parquet.ts')).createParquetFormat()
}

/**
 * Reads clicks up to the newest one stored at the start. Each page is a query of its own after the last
 * click of the page before: one long transaction or answer, as slow as its reader, would hold
 * resources of the database. Queries cover one month of UTC, which bounds their sorting.
 */
export function queriedPages(
  { dialect, query }: Pick<Engine, 'dialect' | 'query'>,
  limit: number,
): Engine['pages'] {
  return async function* (selection, signal) {
    const context = {
      dialect,
      query: (sql: string, values: readonly string[]) => query(sql, values, signal),
    }
    const [stored = []] = await query(
      `SELECT min(time) AS oldest, max(time) AS newest
       FROM ${dialect.table('clicks', selection.workspaceNo)}
       WHERE workspace = ${selection.workspaceNo}`,
      [],
      signal,
    )
    const [oldest, newest] = stored.map(Number) as [number, number]
    const to = Math.min(selection.to, newest + 1)
    for (let from = Math.max(selection.from, oldest); from < to; from = monthAfter(from)) {
      const month = { ...selection, to: Math.min(to, monthAfter(from)) }
      let after: ClickPosition = { time: from, n: -1 }
      for (;;) {
        signal.throwIfAborted()
        const page = await clicks(context, { ...month, from: after.time }, { after, limit })
        if (page.length > 0) yield page
        const last = page.at(-1)
        if (last === undefined || page.length < limit) break
        after = { time: last.time, n: last.n }
      }
    }
  }
}

/** Adds what links and domains are called. */
function createRows(facts: LinkFacts, hosts: ReadonlyMap<number, string>) {
  const ids = new Map<number, string | null>()
  return async (clicks: readonly ListedClick[]): Promise<ExportRow[]> => {
    if (ids.size > IDS_REMEMBERED) ids.clear()
    const unknown = [...new Set(clicks.map(({ linkSeq }) => linkSeq))].filter(
      (seq) => !ids.has(seq),
    )
    const found = unknown.length === 0 ? new Map() : await facts.links(unknown)
    for (const seq of unknown) ids.set(seq, found.get(seq) ?? null)
    return clicks.map((click) => ({
      ...click,
      id: `${click.time}-${click.n}`,
      clicked_at: new Date(click.time).toISOString(),
      link_id: ids.get(click.linkSeq) ?? null,
      domain: hosts.get(click.domainNo) ?? null,
    }))
  }
}

const COLUMNS = [...EXPORT_COLUMNS]

/** CSV or NDJSON as documented at `EXPORT_COLUMNS`. */
function createLineFormat(format: 'csv' | 'ndjson', raw: boolean): RowFormat {
  const encoder = new TextEncoder()
  const line =
    format === 'csv'
      ? (row: ExportRow) => `${COLUMNS.map((name) => csvField(row[name], raw)).join(',')}\r\n`
      : (row: ExportRow) => `${JSON.stringify(row, COLUMNS)}\n`
  return {
    head: encoder.encode(format === 'csv' ? `${COLUMNS.join(',')}\r\n` : ''),
    page: (rows) => encoder.encode(rows.map(line).join('')),
    end: () => new Uint8Array(),
  }
}
