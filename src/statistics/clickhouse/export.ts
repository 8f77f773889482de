import { createForm } from '../reports/export/form.ts'
import { createLinkIds } from '../reports/export/link-ids.ts'
import type { LinkFacts } from '../reports/names.ts'
import { streamOf } from '../shared/streams.ts'
import { TEXT_COLUMNS } from '../store/schema.ts'
import { EXPORT_COLUMNS, type ExportFormat, type Selection } from '../types.ts'
import type { ClickHouse } from './client.ts'
import { raw, type Sql, sql } from './sql.ts'
import { fitting, MODE, meant, ofLinks } from './where.ts'

/** Clicks put in order at once. */
const CLICKS_PER_PART = 500_000
const SLOT_MS = 900_000
/** Ids of links asked for at once. */
const NAMES_AT_ONCE = 5_000
/** Clicks of a row group: what a reader holds at once. */
const ROWS_PER_GROUP = 100_000
/** The server sorts what is larger than this on its disk. */
const SORTED_IN_MEMORY_BYTES = '268435456'

// As `createForm` takes its rows.
const COLUMNS = raw(
  `intDiv(time, ${SLOT_MS}), time % ${SLOT_MS}, n,
   toInt64(workspace) * 4294967296 + link, domain, kind, qr,
   ${TEXT_COLUMNS.map((name) => `nullIf(toString(${name}), '')`).join(', ')}`,
)

/** Writes exports, oldest click first; clicks of one part are of one moment. */
export function createExport(clickHouse: ClickHouse, names: LinkFacts) {
  return (
    selection: Selection,
    format: ExportFormat,
    signal?: AbortSignal,
  ): ReadableStream<Uint8Array> => {
    return streamOf(
      (until) =>
        format === 'parquet' ? parquet(selection, until) : lines(selection, format, until),
      signal,
    )
  }

  async function* lines(
    selection: Selection,
    format: 'csv' | 'ndjson',
    signal: AbortSignal,
  ): AsyncGenerator<Uint8Array, undefined> {
    const encoder = new TextEncoder()
    const form = createForm(format, await names.domains())
    const ids = createLinkIds(names)
    const stored = await storedNow(selection, signal)
    if (form.head !== '') yield encoder.encode(form.head)
    for (const part of await partsOf(stored, signal)) {
      const query = sql`SELECT ${COLUMNS} FROM clicks WHERE ${meant(part)} ORDER BY time, n`
      for await (const rows of clickHouse.stream(query, signal)) {
        await ids.learn(rows)
        yield encoder.encode(form.lines(rows, ids.known))
      }
    }
    return undefined
  }

  /** The selection without what is newer than all that is stored now. */
  async function storedNow(selection: Selection, signal: AbortSignal): Promise<Selection> {
    const { from, to } = selection
    const [row] = await clickHouse.rows(
      sql`SELECT max(time) FROM clicks WHERE ${ofLinks(selection)}`,
      signal,
    )
    return { ...selection, to: Math.min(to, Math.max(from, Number(row?.[0] ?? 0) + 1)) }
  }

  /** Consecutive ranges of time with about as many clicks as are put in order at once. */
  async function partsOf(selection: Selection, signal: AbortSignal): Promise<Selection[]> {
    const parts: Selection[] = []
    let { from } = selection
    let gathered = 0
    const slots = sql`SELECT intDiv(time, ${SLOT_MS}) AS slot, count() FROM clicks
      WHERE ${meant(selection)} GROUP BY slot ORDER BY slot`
    for await (const rows of clickHouse.stream(slots, signal)) {
      for (const [slot, count] of rows) {
        const start = Number(slot) * SLOT_MS
        if (gathered > 0 && gathered + Number(count) > CLICKS_PER_PART && start > from) {
          parts.push({ ...selection, from, to: start })
          from = start
          gathered = 0
        }
        gathered += Number(count)
      }
    }
    parts.push({ ...selection, from })
    return parts
  }

  /** The server writes it: sorted, and sent once it is complete. The names stand in the query. */
  async function* parquet(
    asked: Selection,
    signal: AbortSignal,
  ): AsyncGenerator<Uint8Array, undefined> {
    // Names are looked up first: a click that came since then might be on a link without one.
    const selection = await storedNow(asked, signal)
    const hosts = await names.domains()
    const ids = new Map<number, string>()
    const links = sql`SELECT DISTINCT toInt64(workspace) * 4294967296 + link FROM clicks
      WHERE ${meant(selection)}`
    for await (const rows of clickHouse.stream(links, signal)) {
      for (let at = 0; at < rows.length; at += NAMES_AT_ONCE) {
        const seqs = rows.slice(at, at + NAMES_AT_ONCE).map(([seq]) => Number(seq))
        for (const [seq, id] of await names.links(seqs)) ids.set(seq, id)
      }
    }
    const computed: Partial<Record<(typeof EXPORT_COLUMNS)[number], Sql>> = {
      id: raw("concat(toString(time), '-', toString(n))"),
      clicked_at: raw("fromUnixTimestamp64Milli(time, 'UTC')"),
      link: named(raw('toInt64(toInt64(workspace) * 4294967296 + link)'), ids),
      domain: named(raw('toInt64(domain)'), hosts),
      kind: raw("transform(kind, [0, 1, 2], ['person', 'bot', 'preview'], '')"),
      trigger: raw("if(qr, 'qr', 'click')"),
    }
    const columns = EXPORT_COLUMNS.map((name) => {
      const value = computed[name] ?? raw(`nullIf(toString(c.${name}), '')`)
      return sql`${value} AS ${raw(`\`${name}\``)}`
    })
    const list = columns.reduce((all, column) => sql`${all}, ${column}`)
    yield* clickHouse.bytes(
      sql`SELECT ${list} FROM (SELECT * FROM clicks WHERE ${fitting(selection)}
          AND ${MODE[selection.bots]}) AS c
        ORDER BY c.time, c.n FORMAT Parquet`,
      {
        output_format_parquet_compression_method: 'zstd',
        output_format_parquet_row_group_size: String(ROWS_PER_GROUP),
        output_format_parquet_string_as_string: 1,
        max_bytes_before_external_sort: SORTED_IN_MEMORY_BYTES,
      },
      signal,
    )
    return undefined
  }
}

/** A number's name; null: it has none. Names hold no quotes: ids and hosts. */
function named(value: Sql, names: ReadonlyMap<number, string>): Sql {
  if (names.size === 0) return raw("CAST(NULL, 'Nullable(String)')")
  const known = [...names].filter(([, name]) => /^[\w.:-]+$/.test(name))
  const from = raw(`[${known.map(([no]) => no).join(',')}]`)
  const to = raw(`[${known.map(([, name]) => `'${name}'`).join(',')}]`)
  return sql`nullIf(transform(${value}, ${from}, ${to}, ''), '')`
}
