import type { IfMatch } from '../../http/callers.ts'
import { pageOf } from '../../http/page.ts'
import { versionedOf } from '../../http/respond.ts'
import type { ServiceContext } from '../../http/service-context.ts'
import { withContext } from '../../lib/base/verbs.ts'
import { type Reader, viewOf } from '../../lib/base/view.ts'
import { AppError } from '../../lib/errors/index.ts'
import { foldForSearch } from '../../lib/validation/text.ts'
import type { Sql, Transaction } from '../../platform/storage/index.ts'
import { changedFields, type Fields, recordObject, type Writer } from '../audit/index.ts'
import type { Color } from './colors.ts'
import type { Tag, TagList, TagSort } from './schemas.ts'
import {
  countLinks,
  deleteTag,
  findHiddenKeys,
  findTag,
  findTags,
  insertTags,
  listTags,
  type TagRow,
  updateTag,
} from './store.ts'
import { colorOf } from './take.ts'

/** Who changes a tag. */
type TagPrincipal = Reader & Pick<Writer, 'actor'>

type Name = { tag: string; key: string }

/** A change of a tag. */
interface TagChange {
  name?: Name | undefined
  /** Null: the default color of its name. */
  color?: Color | null | undefined
  /** How many links have it. */
  links: number
}

export type TagService = ReturnType<typeof createTagService>

/**
 * The tags of workspaces. Links refer to tags by number, so that renaming, merging and deleting
 * change only rows of tags, however many links there are.
 */
export function createTagService(deps: ServiceContext) {
  return withContext(deps, { linksOf, list, get, create, update, merge, remove })
}

/** How many links have any of these tags: counted before the transaction, because it is slow. */
function linksOf({ storage }: ServiceContext, reader: Reader, ...ids: string[]): Promise<number> {
  return countLinks(storage.reports, reader.workspace.no, ids, viewOf(reader))
}

/** Tags in their order. @throws AppError BAD_REQUEST (INVALID_CURSOR) */
async function list(
  { storage, cursors }: ServiceContext,
  caller: Reader,
  query: {
    search?: string | undefined
    name?: readonly Name[] | undefined
    sort: TagSort
    limit: number
    cursor?: string | undefined
  },
): Promise<TagList> {
  const { sort, limit, cursor } = query
  const term = foldForSearch(query.search ?? '')
  const keys = query.name?.map(({ key }) => key) ?? null
  const { no } = caller.workspace
  const binding = JSON.stringify(['tags', no, term, keys, ...(sort === 'name' ? [] : [sort])])
  const [key, links] = cursor === undefined ? [] : cursors.decode(cursor, binding)
  const after = key === undefined ? null : { key: String(key), links: Number(links) }
  const rows = await listTags(storage.reports, {
    workspaceNo: no,
    term,
    keys,
    sort,
    after,
    limit: limit + 1,
    view: viewOf(caller),
  })
  const page = pageOf(rows, limit, (last) =>
    cursors.encode(sort === 'name' ? [last.key] : [last.key, last.links], binding),
  )
  return { ...page, data: page.data.map((row) => toTag(row, row.links)) }
}

/** @throws AppError TAG_NOT_FOUND */
async function get(ctx: ServiceContext, caller: Reader, id: string): Promise<Tag> {
  const row = await findVisible(ctx.storage.read, caller, id)
  return toTag(row, await linksOf(ctx, caller, id))
}

/** @throws AppError TAG_TAKEN, PLAN_LIMIT_REACHED */
async function create(
  { clock, ids }: ServiceContext,
  tx: Transaction,
  caller: TagPrincipal,
  fields: { name: Name; color?: Color | null | undefined },
): Promise<Tag> {
  const { no } = caller.workspace
  await tx.lockWorkspace(no)
  const now = clock.now()
  const { tag: name, key } = fields.name
  const color = fields.color ?? colorOf(key)
  const id = ids.next('tag')
  const row = { id, key, name, colour: color, search_text: foldForSearch(name), folder_id: null }
  const times = { created_at: now, updated_at: now }
  if ((await insertTags(tx, no, [{ ...row, ...times }])) === 0) {
    throw new AppError('TAG_TAKEN')
  }
  const tag = toTag({ ...row, ...times, version: 1 }, 0)
  const event = { after: { name, color }, object: eventObjectOf(tag) }
  await recordObject(tx, caller, 'tag.created', row, now, event)
  return tag
}

/** Changes name or color. @throws AppError TAG_NOT_FOUND, PRECONDITION_FAILED, TAG_TAKEN */
async function update(
  { clock }: ServiceContext,
  tx: Transaction,
  caller: TagPrincipal,
  id: string,
  { links, ...patch }: TagChange,
  ifMatch: IfMatch,
): Promise<Tag> {
  const { no } = caller.workspace
  const row = await lockForChange(tx, caller, id, ifMatch)
  const before = { name: row.name, color: row.colour }
  const { tag: name, key } = patch.name ?? { tag: row.name, key: row.key }
  const color = patch.color === null ? colorOf(key) : (patch.color ?? row.colour)
  const changes = changedFields(before, { name, color })
  if (Object.keys(changes.after).length === 0) return toTag(row, links)
  if (key !== row.key && (await findTags(tx, no, [key])).length > 0) {
    throw new AppError('TAG_TAKEN')
  }
  const now = clock.now()
  const changed = {
    key,
    name,
    colour: color,
    search_text: foldForSearch(name),
    updated_at: Math.max(now, row.updated_at),
    version: row.version + 1,
  }
  await updateTag(tx, row, changed)
  const tag = toTag({ ...row, ...changed }, links)
  const action = name === row.name ? 'tag.updated' : 'tag.renamed'
  await recordObject(tx, caller, action, row, now, { ...changes, object: eventObjectOf(tag) })
  return tag
}

/**
 * Merges a tag into another one, which its links get instead.
 * @throws AppError TAG_NOT_FOUND for either, PRECONDITION_FAILED
 */
async function merge(
  { clock }: ServiceContext,
  tx: Transaction,
  caller: TagPrincipal,
  id: string,
  { into: intoId, links }: { into: string; links: number },
  ifMatch: IfMatch,
): Promise<Tag> {
  const row = await lockForChange(tx, caller, id, ifMatch)
  const into = await findVisible(tx, caller, intoId)
  if (into.id === row.id) return toTag(row, links)
  const { key, name, search_text } = into
  await updateTag(tx, row, { key, name, search_text, merged_into: into.no })
  await recordObject(tx, caller, 'tag.merged', row, clock.now(), {
    before: { name: row.name },
    after: { name: into.name },
    object: { ...eventObjectOf(toTag(row, 0)), merged_into: into.id },
  })
  return toTag(into, links)
}

/** Deletes a tag, also from its links. @throws AppError TAG_NOT_FOUND, PRECONDITION_FAILED */
async function remove(
  { clock }: ServiceContext,
  tx: Transaction,
  caller: TagPrincipal,
  id: string,
  ifMatch: IfMatch,
): Promise<void> {
  const row = await lockForChange(tx, caller, id, ifMatch)
  await deleteTag(tx, row)
  await recordObject(tx, caller, 'tag.deleted', row, clock.now(), {
    before: { name: row.name, color: row.colour },
    object: eventObjectOf(toTag(row, 0)),
  })
}

/** @throws AppError TAG_NOT_FOUND */
async function findVisible(sqlx: Sql, caller: Reader, id: string): Promise<TagRow> {
  const row = await findTag(sqlx, seenBy(caller), 'id', id)
  if (row === undefined) throw new AppError('TAG_NOT_FOUND')
  return row
}

/** The id of the tag with a key that a reader can see. */
export async function findTagId(sqlx: Sql, reader: Reader, key: string) {
  return (await findTag(sqlx, seenBy(reader), 'key', key))?.id
}

/** Those of some keys whose tags exist but are hidden from a reader. */
export async function hiddenTags(
  sqlx: Sql,
  reader: Reader,
  keys: readonly string[],
): Promise<Set<string>> {
  return new Set(await findHiddenKeys(sqlx, seenBy(reader), keys))
}

/** Those of some ids whose tags exist and can be seen by a reader. */
export async function visibleTags(
  sqlx: Sql,
  reader: Reader,
  ids: readonly string[],
): Promise<Set<string>> {
  const found = await Promise.all(ids.map((id) => findTag(sqlx, seenBy(reader), 'id', id)))
  return new Set(found.flatMap((row) => row?.id ?? []))
}

function seenBy(reader: Reader) {
  return { workspaceNo: reader.workspace.no, view: viewOf(reader) }
}

/** A tag to be changed. @throws AppError TAG_NOT_FOUND, PRECONDITION_FAILED */
async function lockForChange(tx: Transaction, caller: TagPrincipal, id: string, ifMatch: IfMatch) {
  await tx.lockWorkspace(caller.workspace.no)
  const row = await findVisible(tx, caller, id)
  if (!ifMatch(row.version)) throw new AppError('PRECONDITION_FAILED')
  return row
}

/** A tag in events: without the number of its links, which changes without an event. */
function eventObjectOf({ links: _, ...object }: Tag): Fields {
  return object
}

function toTag(
  row: Pick<TagRow, 'id' | 'name' | 'colour' | 'created_at' | 'updated_at' | 'version'>,
  links: number,
): Tag {
  const { id, name, colour } = row
  return { id, name, color: colour as Color, links, ...versionedOf(row) }
}
