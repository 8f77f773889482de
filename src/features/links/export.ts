import type { Caller } from '../../http/callers.ts'
import { csvField } from '../../lib/base/csv.ts'
import { streamOf } from '../../lib/base/streams.ts'
import { createPause } from '../../lib/base/turn.ts'
import { isSlugField } from '../../model/links/slug-settings.ts'
import { createOpenLimit } from '../../platform/limits/index.ts'
import { isSeen } from '../../platform/storage/index.ts'
import { type AuditRow, entryNumber, listEntries, withNames } from '../audit/index.ts'
import type { LinkContext, LinkReader, LinkWriter } from './context.ts'
import { toHistoryEntry } from './history.ts'
import { filterOf, find } from './list.ts'
import type { ListQuery } from './list-query.ts'
import { fetchPage, type PageQuery, type Position } from './page.ts'
import { deletedLinks } from './remove.ts'
import type { Link } from './schemas.ts'

/** The most concurrent exports of a workspace or a person, and in total. */
export const EXPORTS_PER_WORKSPACE = 4
const EXPORTS_MAX = 40
/** Links per query: with 500 the heap grew by 50 MB more. */
const PAGE_LINKS = 100
/** Entries per query: each may have more than 100 kB. */
const PAGE_ENTRIES = 100

/** A count from an import, exported again. */
const IMPORTED = 'clicks.imported'

/** The options of an export. */
export interface LinkExport {
  format: 'csv' | 'ndjson'
  /** For CSV: no apostrophes before what a spreadsheet takes for a formula. */
  raw?: boolean
  /** For CSV: begins with a byte order mark, by which Excel knows UTF-8. */
  bom?: boolean
}

/** The columns of an export: every writable field that links have, and those to compare copies by. */
export function exportColumns(writable: readonly string[]): string[] {
  const stored = writable.filter((field) => !isSlugField(field))
  const named = stored.map((field) => (field === 'password' ? 'has_password' : field))
  return ['id', ...named, IMPORTED, 'created_by', 'created_at']
}

function fieldOf(link: Link, column: string): unknown {
  return column === IMPORTED ? link.clicks.imported : link[column as keyof Link]
}

/** The caller of an export. */
type Exporter = Pick<LinkWriter, 'actor'> &
  LinkReader &
  Pick<Caller, 'scopes'> & { person?: { id: string } }

/**
 * Exports of a workspace, in bounded memory: a page is read when the client has received the
 * previous one. The query is validated first; the export starts when the result is called, which
 * throws AppError RATE_LIMITED if too many are open.
 * @param columns see {@link exportColumns}
 */
export function createExports(ctx: LinkContext, columns: () => readonly string[]) {
  const limit = createOpenLimit(EXPORTS_PER_WORKSPACE, EXPORTS_MAX)

  const open = (
    caller: Omit<Exporter, 'actor'>,
    make: (until: AbortSignal) => AsyncGenerator<Uint8Array, undefined>,
    signal?: AbortSignal,
  ) => limit.stream(caller, () => streamOf(make, signal), signal)

  return {
    /** All links that match at its start. */
    async links(caller: Exporter, query: ListQuery, options: LinkExport, signal?: AbortSignal) {
      const { found } = await find(ctx, filterOf(ctx, caller, query), { ...query, total: 'quick' })
      const pages = walk(ctx, { ...found, descending: query.order === 'desc' })
      return () => open(caller, (until) => write(pages, columns(), options, until), signal)
    },
    /** The history of all links, newest first, as lines of JSON. */
    history: (caller: Omit<Exporter, 'actor'>, signal?: AbortSignal) =>
      open(caller, (until) => historyLines(ctx, caller, until), signal),
  }
}

async function* write(
  pages: AsyncIterable<Link[]>,
  names: readonly string[],
  { format, raw = false, bom = false }: LinkExport,
  until: AbortSignal,
): AsyncGenerator<Uint8Array, undefined> {
  const encoder = new TextEncoder()
  const line =
    format === 'csv'
      ? (link: Link) =>
          `${names.map((name) => csvField(cellOf(fieldOf(link, name)), raw)).join(',')}\r\n`
      : (link: Link) =>
          `${JSON.stringify(Object.fromEntries(names.map((name) => [name, fieldOf(link, name)])))}\n`
  if (format === 'csv') yield encoder.encode(`${bom ? '\ufeff' : ''}${names.join(',')}\r\n`)
  for await (const links of pages) {
    until.throwIfAborted()
    yield encoder.encode(links.map(line).join(''))
  }
  return undefined
}

/** All matching links. Some that change their place in the order meanwhile may be missing. */
async function* walk(
  { storage, render }: LinkContext,
  found: Omit<PageQuery, 'after' | 'offset' | 'limit'>,
): AsyncGenerator<Link[]> {
  for (let after: Position | null = null; ; ) {
    const page = { ...found, after, offset: 0, limit: PAGE_LINKS }
    const rows: Awaited<ReturnType<typeof fetchPage>> = await fetchPage(storage.reports, page)
    if (rows.length > 0) yield rows.map((row) => render(row, row, found.nowMs))
    const last = rows.at(-1)
    if (last === undefined || rows.length < PAGE_LINKS) return
    after = { k: last.k, seq: last.seq }
  }
}

/** Texts unchanged, lists and objects as JSON; null stays null. */
function cellOf(value: unknown): string | null {
  if (value === null || value === undefined) return null
  return typeof value === 'string' ? value : JSON.stringify(value)
}

/**
 * The history of all links of a workspace that the caller can see, newest first, as lines of JSON;
 * deleted links are included until they are purged.
 */
async function* historyLines(
  ctx: LinkContext,
  caller: LinkReader & Pick<Caller, 'scopes'>,
  until: AbortSignal,
): AsyncGenerator<Uint8Array, undefined> {
  const { reports } = ctx.storage
  const encoder = new TextEncoder()
  const about = { workspaceNo: caller.workspace.no, action: ['link'] }
  const pause = createPause()
  for (let below: number | null = null; ; ) {
    until.throwIfAborted()
    const rows: AuditRow[] = await listEntries(reports, about, below, PAGE_ENTRIES)
    const ids = await visible(ctx, caller, [...new Set(rows.map((row) => row.target_id))])
    const seen = rows.filter((row) => ids.has(row.target_id))
    // As in the history of one link: email addresses need the scope of the audit log.
    const named = caller.scopes.has('audit:read') ? seen : await withNames(reports, seen)
    const lines: string[] = []
    for (const row of named) {
      await pause()
      lines.push(`${JSON.stringify({ link_id: row.target_id, ...toHistoryEntry(row) })}\n`)
    }
    if (lines.length > 0) yield encoder.encode(lines.join(''))
    const last = rows.at(-1)
    if (last === undefined || rows.length < PAGE_ENTRIES) return undefined
    below = entryNumber(last)
  }
}

/** Those of some links that the caller can see, including restorable ones. */
async function visible(
  { storage, clock }: LinkContext,
  caller: LinkReader,
  ids: readonly string[],
): Promise<Set<string>> {
  if (ids.length === 0) return new Set()
  const { db } = storage.reports
  const links = await db
    .selectFrom('links')
    .select('id')
    .where('id', 'in', ids)
    .where('workspace_no', '=', caller.workspace.no)
    .where(isSeen(caller, 'links'))
    .execute()
  const deleted = await deletedLinks(storage.reports, caller, clock.now())
    .select('id')
    .where('id', 'in', ids)
    .execute()
  return new Set([...links, ...deleted].map(({ id }) => id))
}
