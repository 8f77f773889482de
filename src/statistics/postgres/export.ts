import { sql } from 'kysely'
import { createForm } from '../reports/export/form.ts'
import { createLinkIds } from '../reports/export/link-ids.ts'
import type { LinkFacts } from '../reports/names.ts'
import { streamOf } from '../shared/streams.ts'
import { TEXT_COLUMNS } from '../store/schema.ts'
import type { ClickPosition, ExportFormat, Selection } from '../types.ts'
import type { Ask } from './counts.ts'
import { page } from './lists.ts'
import { createParquet } from './parquet.ts'
import { ofLinks } from './where.ts'

/** Clicks of one query: some megabytes. */
const CLICKS_PER_PAGE = 5_000
const COLUMNS = sql.raw(`time, n, link_seq, domain_no, kind, qr, ${TEXT_COLUMNS.join(', ')}`)

type Row = ClickPosition & {
  link_seq: number
  domain_no: number
  kind: number
  qr: boolean
} & Record<(typeof TEXT_COLUMNS)[number], string | null>

/** What exports work with. */
export interface ExportOptions {
  askUntil(signal?: AbortSignal): Ask
  /** Where a Parquet file is put together. */
  directory: string
  facts: LinkFacts
}

/**
 * Writes exports, oldest click first, up to the newest that is stored when they begin. Each page is a
 * query of its own behind the last one's end: one transaction over all of it, as slow as its reader,
 * would keep PostgreSQL from tidying up, and a connection of PgBouncer's, all the while.
 */
export function createExport({ askUntil, directory, facts }: ExportOptions) {
  const writeParquet = createParquet(directory)
  return (selection: Selection, format: ExportFormat, signal?: AbortSignal) =>
    streamOf((until) => {
      const pages = pagesOf(askUntil(until), selection)
      return format === 'parquet' ? parquet(pages, until) : lines(pages, format)
    }, signal)

  async function* lines(
    pages: AsyncIterable<unknown[][]>,
    format: 'csv' | 'ndjson',
  ): AsyncGenerator<Uint8Array, undefined> {
    const encoder = new TextEncoder()
    const form = createForm(format, await facts.domains())
    const ids = createLinkIds(facts)
    if (form.head !== '') yield encoder.encode(form.head)
    for await (const rows of pages) {
      await ids.learn(rows)
      yield encoder.encode(form.lines(rows, ids.known))
    }
    return undefined
  }

  async function* parquet(
    pages: AsyncIterable<unknown[][]>,
    signal: AbortSignal,
  ): AsyncGenerator<Uint8Array, undefined> {
    const ids = createLinkIds(facts)
    const hosts = await facts.domains()
    const named = async function* () {
      for await (const rows of pages) {
        await ids.learn(rows)
        yield { rows, ids: ids.known, hosts }
      }
    }
    yield* writeParquet(named(), signal)
    return undefined
  }
}

/** Pages of clicks, as `createForm` takes them. */
async function* pagesOf(ask: Ask, asked: Selection): AsyncGenerator<unknown[][]> {
  const [newest] = await ask<{ time: number | null }>(
    sql`SELECT max(time) AS time FROM clicks WHERE ${ofLinks({ ...asked, linkSeqs: null })}`,
  )
  const selection = { ...asked, to: Math.min(asked.to, (newest?.time ?? -1) + 1) }
  let after: ClickPosition | null = null
  for (;;) {
    const from: number = after === null ? selection.from : after.time
    if (from >= selection.to) return
    const rows: Row[] = await ask<Row>(
      page(COLUMNS, { ...selection, from }, { after, limit: CLICKS_PER_PAGE }),
    )
    if (rows.length > 0) yield rows.map(formed)
    const last = rows.at(-1)
    if (last === undefined || rows.length < CLICKS_PER_PAGE) return
    after = { time: last.time, n: last.n }
  }
}

function formed(row: Row): unknown[] {
  const { time, n, link_seq, domain_no, kind, qr } = row
  // Its slot and the milliseconds within it: no slot is needed here.
  const values: unknown[] = [0, time, n, link_seq, domain_no, kind, qr]
  for (const name of TEXT_COLUMNS) values.push(row[name])
  return values
}
