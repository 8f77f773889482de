import { validate } from '../../http/index.ts'
import { pageOf } from '../../http/page.ts'
import { createPause } from '../../lib/base/turn.ts'
import { AppError, invalid } from '../../lib/errors/index.ts'
import type { Sql, Transaction } from '../../platform/storage/index.ts'
import {
  type AuditRow,
  entryNumber,
  entryOf,
  type Fields,
  listEntries,
  withNames,
} from '../audit/index.ts'
import type { LinkContext, LinkReader, LinkWriter } from './context.ts'
import type { PreparedPatch } from './fields.ts'
import { withPresentGroups } from './groups.ts'
import { deletedLinks } from './remove.ts'
import type { LinkRow } from './row.ts'
import { stateOf } from './rows.ts'
import type { HistoryPage, Link } from './schemas.ts'
import { BLANK, findLink } from './store.ts'
import { change } from './update.ts'

/** Entries per query when all are read: each may have more than 100 kB. */
const STEP = 100

/** A link that exists, or was deleted and can still be restored. */
async function linkOrDeleted(
  ctx: Pick<LinkContext, 'clock'>,
  sql: Sql,
  caller: LinkReader,
  id: string,
): Promise<{ row: LinkRow; isDeleted: boolean }> {
  const row = await findLink(sql, id, caller)
  if (row !== undefined) return { row, isDeleted: false }
  const deleted = await deletedLinks(sql, caller, ctx.clock.now())
    .select('row')
    .where('id', '=', id)
    .executeTakeFirst()
  if (deleted === undefined) throw new AppError('LINK_NOT_FOUND')
  // A row of an earlier version lacks newer columns.
  const stored: LinkRow = { ...BLANK, ...JSON.parse(deleted.row) }
  const found = await withPresentGroups(sql, stored)
  return { row: found, isDeleted: true }
}

/**
 * A link's history, newest first; also of a deleted link, until it is purged.
 * @throws AppError LINK_NOT_FOUND, BAD_REQUEST (INVALID_CURSOR)
 */
export async function history(
  ctx: LinkContext,
  caller: LinkReader & Pick<LinkWriter, 'scopes'>,
  id: string,
  { limit, cursor }: { limit: number; cursor?: string | undefined },
): Promise<HistoryPage> {
  const { storage, cursors } = ctx
  const binding = JSON.stringify(['history', caller.workspace.no, id])
  const below = cursor === undefined ? null : (cursors.decode(cursor, binding)[0] as number)
  await linkOrDeleted(ctx, storage.read, caller, id)
  const about = { workspaceNo: caller.workspace.no, target: id }
  const rows = await listEntries(storage.read, about, below, limit + 1)
  const page = pageOf(rows, limit, (last) => cursors.encode([entryNumber(last)], binding))
  // Email addresses need the scope of the audit log, which no key can have.
  const isSeen = caller.scopes?.has('audit:read')
  const seen = isSeen ? page.data : await withNames(storage.read, page.data)
  return { ...page, data: seen.map(toHistoryEntry) }
}

type Entry = HistoryPage['data'][number]

/** An entry as the API returns it. */
export function toHistoryEntry(row: AuditRow): Entry {
  const { id, created_at, actor, action, before, after } = entryOf(row)
  const changes: Record<string, { from: unknown; to: unknown }> = {}
  if (action !== 'link.deleted') {
    for (const field of new Set([...Object.keys(before), ...Object.keys(after)])) {
      changes[field] = { from: before[field] ?? null, to: after[field] ?? null }
    }
  }
  const version = row.version ?? 0
  return { id, created_at, actor, action: action as Entry['action'], changes, version }
}

/**
 * Reads a link's history from version `from` back to `to`: the fields changed in between with their
 * old values, and the earliest version that the history has.
 */
async function readChangesBackTo(
  sql: Sql,
  row: Pick<LinkRow, 'id' | 'workspace_no'>,
  from: number,
  to: number,
): Promise<{ from: number; fields: Fields; reached: number }> {
  const about = { workspaceNo: row.workspace_no, target: row.id }
  const fields: Record<string, unknown> = {}
  const step = Math.min(STEP, from - to + 20)
  let reached = from
  let below: number | null = null
  const pause = createPause()
  for (;;) {
    const rows: AuditRow[] = await listEntries(sql, about, below, step)
    for (const { version, action, before } of rows) {
      await pause()
      if (reached === to) break
      if (version === null || version > reached || action === 'link.deleted') continue
      // The log doesn't reach back further.
      if (version < reached) return { from, fields, reached }
      Object.assign(fields, JSON.parse(before))
      reached = version - 1
    }
    const last = rows.at(-1)
    if (reached === to || last === undefined || rows.length < step) return { from, fields, reached }
    below = entryNumber(last)
  }
}

/** A restore whose history, which may be long, was read before the transaction. */
export type PreparedRestore = {
  version: number
  changes: Awaited<ReturnType<typeof readChangesBackTo>>
  /** How many versions it may go back. */
  reach: number
} | null

/**
 * @param reach how many versions it may go back
 * @throws AppError LINK_NOT_FOUND, VALIDATION_FAILED if the history has no such version
 */
export async function prepareRestore(
  ctx: LinkContext,
  caller: LinkReader,
  id: string,
  version: number | undefined,
  reach = Number.POSITIVE_INFINITY,
): Promise<PreparedRestore> {
  if (version === undefined) return null
  const { row } = await linkOrDeleted(ctx, ctx.storage.read, caller, id)
  const min = Math.max(1, row.version - reach)
  if (version > row.version || version < min) throw noSuchVersion(min, row.version)
  const changes = await readChangesBackTo(ctx.storage.read, row, row.version, version)
  if (changes.reached !== version) throw noSuchVersion(changes.reached, row.version)
  return { version, changes, reach }
}

function noSuchVersion(min: number, max: number): AppError {
  return invalid({ field: 'version', code: 'OUT_OF_RANGE', params: { min, max } })
}

/**
 * Restores a deleted link, or makes an earlier state of a link its newest version, or both.
 * Idempotent.
 * @throws AppError LINK_NOT_FOUND, PRECONDITION_FAILED, PLAN_LIMIT_REACHED, SLUG_TAKEN,
 *   VALIDATION_FAILED if that state isn't valid any more
 */
export async function restore(
  ctx: LinkContext,
  tx: Transaction,
  caller: LinkWriter,
  id: string,
  prepared: PreparedRestore,
  /** Deleting a link doesn't change its version. */
  ifMatch: (version: number, isDeleted: boolean) => boolean,
): Promise<Link> {
  await tx.lockWorkspace(caller.workspace.no)
  const found = await linkOrDeleted(ctx, tx, caller, id)
  const { row } = found
  if (!ifMatch(row.version, found.isDeleted)) throw new AppError('PRECONDITION_FAILED')
  const patch = prepared === null ? {} : await patchTo(ctx, tx, row, prepared)
  return change(ctx, tx, caller, found, patch, 'link.restored')
}

/** The patch from the current to the earlier state, validated like any other. */
async function patchTo(
  ctx: LinkContext,
  tx: Transaction,
  row: LinkRow,
  { version, changes, reach }: NonNullable<PreparedRestore>,
): Promise<PreparedPatch> {
  // Each of many restores would read what those before have made.
  if (version < row.version - reach) throw noSuchVersion(row.version - reach, row.version)
  // Includes changes since the preparation; the older value of a field wins.
  const { fields } = await readChangesBackTo(tx, row, row.version, changes.from)
  const body = differences(stateOf(row, ctx.domains), { ...fields, ...changes.fields })
  // An object with a password would have to be hashed; a history has none.
  const checked = validate(ctx.schemas.patch, body, { workspaceNo: row.workspace_no })
  const { password: _, ...patch } = checked
  const replaced = await tx.db
    .selectFrom('link_passwords')
    .select('password_hash')
    .where('link_seq', '=', row.seq)
    .where('version', '>', version)
    .orderBy('version')
    .limit(1)
    .executeTakeFirst()
  return { ...patch, ...replaced }
}

const ADDRESS: readonly string[] = ['slug', 'aliases', 'domain']
const NOT_WRITABLE: readonly string[] = ['has_password', 'blocked', 'reason']

/** Only differing fields: a destination that is blocked now doesn't prevent restoring a title. */
function differences(now: Fields, then: Fields): Record<string, unknown> {
  const all = { ...now, ...then }
  const names = Object.keys(then).filter(
    (name) =>
      !NOT_WRITABLE.includes(name) && JSON.stringify(then[name]) !== JSON.stringify(now[name]),
  )
  const wanted = new Set(names)
  // They depend on each other: changing only the slug would leave an alias behind.
  if (Object.keys(then).some((name) => ADDRESS.includes(name))) {
    for (const name of ADDRESS) wanted.add(name)
  }
  return Object.fromEntries([...wanted].map((name) => [name, all[name]]))
}
