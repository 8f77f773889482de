import { type AuditRow, entryNumber, listEntries, withNames } from '../audit/index.ts'
import type { Caller } from '../http/types.ts'
import type { LinkCaller, LinkContext } from './context.ts'
import { shown } from './history.ts'
import { GRACE_MS } from './remove.ts'
import { type LinkRow, sees } from './store.ts'

/** Entries per query. */
const PAGE_ENTRIES = 500

/**
 * The history of all links of a workspace that the caller can see, newest first, as lines of JSON;
 * deleted links are included until they are purged.
 */
export async function* historyLines(
  ctx: LinkContext,
  caller: LinkCaller & Pick<Caller, 'scopes'>,
  until: AbortSignal,
): AsyncGenerator<Uint8Array, undefined> {
  const { reports } = ctx.storage
  const encoder = new TextEncoder()
  const about = { workspaceNo: caller.workspace.no, action: 'link' }
  for (let below: number | null = null; ; ) {
    until.throwIfAborted()
    const rows: AuditRow[] = await listEntries(reports, about, below, PAGE_ENTRIES)
    const ids = await visible(ctx, caller, [...new Set(rows.map((row) => row.target_id))])
    const seen = rows.filter((row) => ids.has(row.target_id))
    // As in the history of one link: email addresses need the scope of the audit log.
    const named = caller.scopes.has('audit:read') ? seen : await withNames(reports, seen)
    const lines = named.map((row) => JSON.stringify({ link_id: row.target_id, ...shown(row) }))
    if (lines.length > 0) yield encoder.encode(`${lines.join('\n')}\n`)
    const last = rows.at(-1)
    if (last === undefined || rows.length < PAGE_ENTRIES) return undefined
    below = entryNumber(last)
  }
}

/** Those of some links that the caller can see, including restorable ones. */
async function visible(
  { storage, clock }: LinkContext,
  caller: LinkCaller,
  ids: readonly string[],
): Promise<Set<string>> {
  if (ids.length === 0) return new Set()
  const { db } = storage.reports
  const links = await db
    .selectFrom('links')
    .select(['id', 'folder_id'])
    .where('id', 'in', ids)
    .where('workspace_no', '=', caller.workspace.no)
    .execute()
  const deleted = await db
    .selectFrom('deleted_links')
    .select(['id', 'row'])
    .where('id', 'in', ids)
    .where('workspace_no', '=', caller.workspace.no)
    .where('deleted_at', '>', clock.now() - GRACE_MS)
    .execute()
  return new Set([
    ...links.filter((link) => sees(caller, link)).map(({ id }) => id),
    ...deleted.filter(({ row }) => sees(caller, JSON.parse(row) as LinkRow)).map(({ id }) => id),
  ])
}
