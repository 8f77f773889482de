import { TEXT_COLUMNS } from '../../columns.ts'
import { selectionSql } from '../../reports/counts.ts'
import type { Bind } from '../../reports/dialect.ts'
import { KIND_SQL, modeSql, TRIGGER_SQL } from '../../reports/values.ts'
import { EXPORT_COLUMNS, type ExportOptions, type Selection } from '../../types.ts'
import { dialect } from './dialect.ts'

const VISITOR_TEXTS: ReadonlySet<string> = new Set(TEXT_COLUMNS)
const FORMULA_STARTS = ['=', '+', '-', '@', '\t', '\r', "''"].map((it) => `'${it}'`).join(', ')

const RFC_3339 = "strftime(make_timestamp(time * 1000), '%Y-%m-%dT%H:%M:%S.%gZ')"
/** TIMESTAMP WITH TIME ZONE, which Parquet stores in UTC. */
const INSTANT = 'make_timestamptz(time * 1000)'

/**
 * The SELECT of an export, oldest first; see {@link EXPORT_COLUMNS}. The temporary tables
 * `export_links` (seq, id) and `export_domains` (no, host) have the names.
 */
export function exportSql(
  bind: Bind,
  selection: Selection,
  { format, raw = false }: ExportOptions,
): string {
  const computed: Partial<Record<(typeof EXPORT_COLUMNS)[number], string>> = {
    id: "concat(time, '-', n)",
    clicked_at: format === 'parquet' ? INSTANT : RFC_3339,
    link: 'export_links.id',
    domain: 'export_domains.host',
    kind: KIND_SQL,
    trigger: TRIGGER_SQL,
  }
  const isSafe = format === 'csv' && !raw
  const columns = EXPORT_COLUMNS.map((name) => {
    const value = computed[name] ?? (isSafe && VISITOR_TEXTS.has(name) ? safeTextSql(name) : name)
    return `${value} AS "${name}"`
  })
  const { bots } = selection
  return `SELECT ${columns.join(', ')} FROM (
      SELECT * FROM clicks WHERE ${selectionSql(dialect, bind, selection)} AND ${modeSql(bots)}
    ) chosen
    LEFT JOIN export_links ON link = seq LEFT JOIN export_domains ON domain = no
    ORDER BY time, n`
}

/** With an apostrophe before what a spreadsheet would run as a formula. */
function safeTextSql(column: string): string {
  return `CASE WHEN substr(${column}, 1, 1) IN (${FORMULA_STARTS})
    THEN '''' || ${column} ELSE ${column} END`
}
