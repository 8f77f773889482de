import { type Asker, recordChange } from '../audit/index.ts'
import type { Clock } from '../base/clock.ts'
import type { Ids } from '../base/ids.ts'
import { AppError } from '../errors/index.ts'
import type { Cursors } from '../http/cursor.ts'
import { pageOf } from '../http/page.ts'
import type { Storage, Transaction } from '../storage/index.ts'
import { foldForSearch } from '../validation/text.ts'
import { type Colour, colourOf } from './colours.ts'
import type { Tag, TagList } from './schemas.ts'
import {
  countLinks,
  deleteTag,
  findTag,
  findTagById,
  insertTag,
  listTags,
  type TagRow,
  updateTag,
} from './store.ts'

/** Who reads tags. */
interface TagCaller {
  readonly workspace: { readonly no: number }
  /** Links of these folders are not counted. */
  readonly hiddenFolders?: readonly string[] | undefined
}

/** Who changes a tag. */
type TagAsker = TagCaller & Pick<Asker, 'actor'>

/** A tag, and the version that its ETag tells. */
export interface VersionedTag {
  tag: Tag
  version: number
}

type IfMatch = (version: number) => boolean
type Name = { tag: string; key: string }

export type TagService = ReturnType<typeof createTagService>

/**
 * The tags of workspaces. Links have the number of a tag, so that a rename, a merge and a deletion
 * change the rows of tags alone, however many links there are.
 */
export function createTagService(deps: {
  storage: Storage
  clock: Clock
  ids: Pick<Ids, 'next'>
  cursors: Cursors
}) {
  const { storage, clock, ids, cursors } = deps

  /** @throws AppError TAG_NOT_FOUND */
  async function found(sqlx: Transaction | Storage['read'], no: number, id: string) {
    const row = await findTagById(sqlx, no, id)
    if (row === undefined) throw new AppError('TAG_NOT_FOUND')
    return row
  }

  /** A tag that a request wants to change. @throws AppError TAG_NOT_FOUND, PRECONDITION_FAILED */
  async function toChange(tx: Transaction, no: number, id: string, ifMatch: IfMatch) {
    await tx.lockWorkspace(no)
    const row = await found(tx, no, id)
    if (!ifMatch(row.version)) throw new AppError('PRECONDITION_FAILED')
    return row
  }

  /** What the entry of the audit log has in common. */
  function entry(workspaceNo: number, { id, name }: Pick<TagRow, 'id' | 'name'>) {
    return { workspaceNo, at: clock.now(), target: { type: 'tag' as const, id, label: name } }
  }

  /** How many links have at least one of some tags: asked before a transaction, for it takes long. */
  const linksOf = ({ workspace, hiddenFolders = [] }: TagCaller, ...ids: string[]) =>
    countLinks(storage.reports, workspace.no, ids, hiddenFolders)

  return {
    linksOf,

    /** Tags by name. @throws AppError BAD_REQUEST (INVALID_CURSOR) */
    async list(
      { workspace, hiddenFolders = [] }: TagCaller,
      query: { search?: string | undefined; limit: number; cursor?: string | undefined },
    ): Promise<TagList> {
      const { limit, cursor } = query
      const term = foldForSearch(query.search ?? '')
      const binding = JSON.stringify(['tags', workspace.no, term])
      const afterKey = cursor === undefined ? null : (cursors.decode(cursor, binding)[0] as string)
      const rows = await listTags(storage.reports, {
        workspaceNo: workspace.no,
        term,
        afterKey,
        limit: limit + 1,
        hiddenFolders,
      })
      const page = pageOf(rows, limit, ({ key }) => cursors.encode([key], binding))
      const tagOf = ({ id, name, colour, links }: (typeof rows)[number]) => ({
        ...{ id, name, links },
        colour: colour as Colour,
      })
      return { ...page, data: page.data.map(tagOf) }
    },

    /** @throws AppError TAG_NOT_FOUND */
    async get(caller: TagCaller, id: string): Promise<VersionedTag> {
      const row = await found(storage.read, caller.workspace.no, id)
      return shown(row, await linksOf(caller, id))
    },

    /** @throws AppError TAG_TAKEN */
    async create(
      tx: Transaction,
      { workspace, actor }: TagAsker,
      {
        name: { tag: name, key },
        colour = colourOf(key),
      }: { name: Name; colour?: Colour | undefined },
    ): Promise<VersionedTag> {
      await tx.lockWorkspace(workspace.no)
      const now = clock.now()
      const id = ids.next('tag')
      const row = { id, key, name, colour, search_text: foldForSearch(name) }
      const times = { created_at: now, updated_at: now }
      if (!(await insertTag(tx, { ...row, ...times, workspace_no: workspace.no }))) {
        throw new AppError('TAG_TAKEN')
      }
      const after = { name, colour }
      await recordChange(tx, actor, { ...entry(workspace.no, row), action: 'tag.created', after })
      return { tag: { id, name, colour, links: 0 }, version: 1 }
    },

    /** Gives a tag another name or colour. @throws AppError TAG_NOT_FOUND, PRECONDITION_FAILED, TAG_TAKEN */
    async update(
      tx: Transaction,
      asker: TagAsker,
      id: string,
      {
        links,
        ...patch
      }: {
        name?: Name | undefined
        colour?: Colour | undefined
        /** How many links have it. */
        links: number
      },
      ifMatch: IfMatch,
    ): Promise<VersionedTag> {
      const { no } = asker.workspace
      const row = await toChange(tx, no, id, ifMatch)
      const name = patch.name?.tag ?? row.name
      const key = patch.name?.key ?? row.key
      const colour = patch.colour ?? row.colour
      if (name === row.name && colour === row.colour) return shown(row, links)
      if (key !== row.key && (await findTag(tx, no, key)) !== undefined) {
        throw new AppError('TAG_TAKEN')
      }
      const version = row.version + 1
      const changed = { key, name, colour, search_text: foldForSearch(name), version }
      await updateTag(tx, row, { ...changed, updated_at: clock.now() })
      await recordChange(tx, asker.actor, {
        ...entry(no, row),
        action: 'tag.updated',
        before: {
          ...(name !== row.name && { name: row.name }),
          ...(colour !== row.colour && { colour: row.colour }),
        },
        after: { ...(name !== row.name && { name }), ...(colour !== row.colour && { colour }) },
      })
      return shown({ ...row, ...changed }, links)
    },

    /**
     * Gives the links of a tag another one instead; the first is gone.
     * @throws AppError TAG_NOT_FOUND for either, PRECONDITION_FAILED
     */
    async merge(
      tx: Transaction,
      asker: TagAsker,
      id: string,
      { into: intoId, links }: { into: string; links: number },
      ifMatch: IfMatch,
    ): Promise<VersionedTag> {
      const { no } = asker.workspace
      const row = await toChange(tx, no, id, ifMatch)
      const into = await found(tx, no, intoId)
      if (into.id === row.id) return shown(row, links)
      const { key, name, search_text } = into
      await updateTag(tx, row, { key, name, search_text, merged_into: into.no })
      await recordChange(tx, asker.actor, {
        ...entry(no, row),
        action: 'tag.merged',
        before: { name: row.name },
        after: { name: into.name },
      })
      return shown(into, links)
    },

    /** Takes a tag off its links. @throws AppError TAG_NOT_FOUND, PRECONDITION_FAILED */
    async remove(tx: Transaction, asker: TagAsker, id: string, ifMatch: IfMatch): Promise<void> {
      const { no } = asker.workspace
      const row = await toChange(tx, no, id, ifMatch)
      await deleteTag(tx, row)
      await recordChange(tx, asker.actor, {
        ...entry(no, row),
        action: 'tag.deleted',
        before: { name: row.name, colour: row.colour },
      })
    },
  }
}

function shown({ id, name, colour, version }: TagRow, links: number): VersionedTag {
  return { tag: { id, name, colour: colour as Colour, links }, version }
}
