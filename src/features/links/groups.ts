import { seesFolder } from '../../lib/base/view.ts'
import { invalid } from '../../lib/errors/index.ts'
import { foldCase } from '../../lib/validation/text.ts'
import type { Sql, Transaction } from '../../platform/storage/index.ts'
import { findFolder } from '../folders/index.ts'
import { type NamedTag, type TagMaker, tagsOfNumbers, takeTags } from '../tags/index.ts'
import type { LinkReader } from './context.ts'
import { nameOfCreator } from './creator.ts'
import type { LinkRow } from './row.ts'
import { parseList } from './rows.ts'

/**
 * Rows with the numbers of their tags, creating new ones, and with folders that the caller can see.
 * @throws AppError VALIDATION_FAILED (FOLDER_NOT_FOUND)
 */
export async function withGroups(
  maker: TagMaker,
  tx: Transaction,
  caller: LinkReader,
  changes: readonly { before: LinkRow; row: LinkRow }[],
): Promise<LinkRow[]> {
  const { no } = caller.workspace
  const folders = changes.map(({ before, row }) =>
    row.folder_id === before.folder_id ? null : row.folder_id,
  )
  for (const id of new Set(folders)) if (id !== null) await assertFolder(tx, caller, id)
  const names = changes.map(({ before, row }) =>
    keysOf(row.tags) === keysOf(before.tags)
      ? null
      : parseList(row.tags).map((tag) => ({ tag, key: foldCase(tag), folder: row.folder_id })),
  )
  const wanted = names.flatMap((some) => some ?? [])
  const none = new Map<string, NamedTag>()
  const taken = wanted.length === 0 ? none : await takeTags(maker, tx, no, wanted)
  return changes.map(({ before, row }, i) => {
    const keys = names[i]?.map(({ key }) => key)
    if (keys === undefined) return row.tags === before.tags ? row : { ...row, tags: before.tags }
    const tags = keys.flatMap((key) => taken.get(key) ?? [])
    return {
      ...row,
      tags: JSON.stringify(tags.map(({ name }) => name)),
      tag_nos: JSON.stringify(tags.map((tag) => tag.no)),
    }
  })
}

/** @throws AppError VALIDATION_FAILED (FOLDER_NOT_FOUND) unless the caller can see the folder */
export async function assertFolder(tx: Transaction, caller: LinkReader, id: string): Promise<void> {
  const { no } = caller.workspace
  const folder = seesFolder(caller, id) ? await findFolder(tx, no, id) : undefined
  if (folder === undefined) throw invalid({ field: 'folder_id', code: 'FOLDER_NOT_FOUND' })
}

function keysOf(tags: string): string {
  return tags === '[]' ? tags : JSON.stringify(parseList(tags).map(foldCase))
}

/** A row stored earlier, with the current names of its tags and creator, and its folder if that still exists. */
export async function withPresentGroups(sql: Sql, row: LinkRow): Promise<LinkRow> {
  const folder =
    row.folder_id === null ? undefined : await findFolder(sql, row.workspace_no, row.folder_id)
  const tags = await tagsOfNumbers(sql, row.workspace_no, JSON.parse(row.tag_nos) as number[])
  const names = new Map(tags.map(({ key, name }) => [key, name]))
  return {
    ...row,
    folder_id: folder?.id ?? null,
    creator_name: await nameOfCreator(sql, row.created_by),
    tag_nos: JSON.stringify(tags.map(({ no }) => no)),
    tags: JSON.stringify([...names.values()]),
  }
}
