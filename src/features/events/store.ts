import { sql as raw, type Selectable } from 'kysely'
import type { View } from '../../lib/base/view.ts'
import {
  type AuditTable,
  isDeletedSeen,
  isSeen,
  prepare,
  SEQS_PER_WORKSPACE,
  type Sql,
  type Transaction,
} from '../../platform/storage/index.ts'

/** What the feed of a workspace has: numbers of audit entries. */
export interface FeedState {
  /** The newest entry. */
  made: number
  /** Up to this entry, events have expired. */
  expired: number
}

const state = prepare<{ workspaceNo: number }, FeedState>((db, p) =>
  db
    .selectFrom('workspaces')
    .select(['audit_made as made', 'events_expired as expired'])
    .where('no', '=', p.workspaceNo),
)

/** Undefined: the workspace was deleted. */
export async function feedState(sql: Sql, workspaceNo: number): Promise<FeedState | undefined> {
  return (await sql.run(state, { workspaceNo }))[0]
}

/** The id of the instance's feed, which a restore and a move renew. */
export async function feedIdOf({ db }: Sql): Promise<string> {
  const row = db.selectFrom('instance').select('value').where('name', '=', 'feed')
  return (await row.executeTakeFirstOrThrow()).value
}

/** The newest entries of some workspaces. */
export function newestOf({ db }: Sql, workspaceNos: readonly number[]) {
  return db
    .selectFrom('workspaces')
    .select(['no', 'audit_made as made'])
    .where('no', 'in', workspaceNos)
    .execute()
}

/** Entries of a workspace, by number: after one, up to and including another. */
interface EntryRange {
  workspaceNo: number
  after: number
  upTo: number
}

/** The most bytes of events that are read together, unless a single one has more. */
const BYTES_MAX = 4 * 1024 * 1024

/** What an event is made of. */
const BYTES = raw<number>`octet_length(object) + octet_length(${raw.ref('before')})`

/**
 * The first events of a range, in order, and whether more may follow. `actions`: only these, each
 * found by the index of actions; null: all, by reading the range.
 */
export async function eventsIn(
  sql: Sql,
  { workspaceNo, after, upTo }: EntryRange,
  actions: readonly string[] | null,
  limit: number,
): Promise<{ rows: Selectable<AuditTable>[]; isCut: boolean }> {
  const low = workspaceNo * SEQS_PER_WORKSPACE
  const events = () =>
    sql.db
      .selectFrom('audit')
      .select(['seq', BYTES.as('bytes')])
      .where('seq', '>', low + after)
      .where('seq', '<=', low + upTo)
      .where('object', 'is not', null)
      .orderBy('seq')
      .limit(limit)
  const found = await Promise.all(
    actions === null
      ? [events().execute()]
      : actions.map((action) => events().where('action', '=', action).execute()),
  )
  const first = found
    .flat()
    .sort((a, b) => a.seq - b.seq)
    .slice(0, limit)
  let bytes = 0
  const tooLong = first.findIndex((event, i) => {
    bytes += Number(event.bytes)
    return bytes > BYTES_MAX && i > 0
  })
  const seqs = first.slice(0, tooLong === -1 ? limit : tooLong).map(({ seq }) => seq)
  const isCut = first.length === limit || seqs.length < first.length
  if (seqs.length === 0) return { rows: [], isCut }
  const rows = sql.db.selectFrom('audit').selectAll().where('seq', 'in', seqs).orderBy('seq')
  return { rows: await rows.execute(), isCut }
}

/** The events that are entries with these numbers, in order. */
export function eventsOf({ db }: Sql, workspaceNo: number, numbers: readonly number[]) {
  const seqs = numbers.map((number) => workspaceNo * SEQS_PER_WORKSPACE + number)
  return db
    .selectFrom('audit')
    .selectAll()
    .where('seq', 'in', seqs)
    .where('object', 'is not', null)
    .orderBy('seq')
    .execute()
}

/** Those of some links that are in one of these folders now, also when they are deleted. */
export async function linksInFolders(
  { db }: Sql,
  ids: readonly string[],
  folders: readonly string[],
): Promise<Set<string>> {
  if (ids.length === 0 || folders.length === 0) return new Set()
  const found = await Promise.all(
    (['links', 'deleted_links'] as const).map((table) =>
      db
        .selectFrom(table)
        .select('id')
        .where('id', 'in', ids)
        .where('folder_id', 'in', folders)
        .execute(),
    ),
  )
  return new Set(found.flat().map(({ id }) => id))
}

/** Those of some links that a reader can see now, also deleted ones. */
export async function linksSeen(
  { db }: Sql,
  ids: readonly string[],
  view: View,
): Promise<Set<string>> {
  if (ids.length === 0) return new Set()
  const [links, deleted] = await Promise.all([
    db
      .selectFrom('links')
      .select('id')
      .where('id', 'in', ids)
      .where(isSeen(view, 'links'))
      .execute(),
    db
      .selectFrom('deleted_links')
      .select('id')
      .where('id', 'in', ids)
      .where(isDeletedSeen(view))
      .execute(),
  ])
  return new Set([...links, ...deleted].map(({ id }) => id))
}

/** Those of some jobs that are known, and touched no link in one of these folders. */
export async function jobsOutside(
  { db }: Sql,
  ids: readonly string[],
  folders: readonly string[],
): Promise<Set<string>> {
  if (ids.length === 0) return new Set()
  const rows = await db
    .selectFrom('jobs as j')
    .select('j.id')
    .where('j.id', 'in', ids)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('job_folders as f')
            .select('f.job_id')
            .whereRef('f.job_id', '=', 'j.id')
            .where('f.folder_id', 'in', folders),
        ),
      ),
    )
    .execute()
  return new Set(rows.map(({ id }) => id))
}

/** Workspaces that have events to look through, from a number on. */
export function workspacesWithEvents({ db }: Sql, aboveNo: number, limit: number) {
  return db
    .selectFrom('workspaces')
    .select(['no', 'events_expired as expired'])
    .where('no', '>', aboveNo)
    .whereRef('events_expired', '<', 'audit_made')
    .orderBy('no')
    .limit(limit)
    .execute()
}

/** The first entries after one, with their times. */
export function timesAfter({ db }: Sql, workspaceNo: number, after: number, limit: number) {
  const low = workspaceNo * SEQS_PER_WORKSPACE
  return db
    .selectFrom('audit')
    .select(['seq', 'at'])
    .where('seq', '>', low + after)
    .where('seq', '<', low + SEQS_PER_WORKSPACE)
    .orderBy('seq')
    .limit(limit)
    .execute()
}

/** Lets the events after an entry, up to another, expire: the entries stay, without the object. */
export async function expireEvents(
  tx: Transaction,
  { workspaceNo, after, upTo }: EntryRange,
): Promise<void> {
  const low = workspaceNo * SEQS_PER_WORKSPACE
  const { numUpdatedRows } = await tx.db
    .updateTable('workspaces')
    .set({ events_expired: upTo })
    .where('no', '=', workspaceNo)
    .where('events_expired', '=', after)
    .executeTakeFirst()
  // Another node was first.
  if (numUpdatedRows === 0n) return
  await tx.db
    .updateTable('audit')
    .set({ object: raw<null>`NULL` })
    .where('seq', '>', low + after)
    .where('seq', '<=', low + upTo)
    .where('object', 'is not', null)
    .execute()
}
