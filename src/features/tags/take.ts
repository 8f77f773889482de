import type { Clock } from '../../lib/base/clock.ts'
import type { Ids } from '../../lib/base/ids.ts'
import { foldForSearch } from '../../lib/validation/text.ts'
import type { Transaction } from '../../platform/storage/index.ts'
import { COLORS, type Color } from './colors.ts'
import { findTags, insertTags, type NamedTag } from './store.ts'

/** Dependencies of creating tags. */
export interface TagMaker {
  ids: Pick<Ids, 'next'>
  clock: Clock
}

/** The default color of a tag, derived from its name; never grey, which can only be chosen. */
export function colorOf(key: string): Color {
  return COLORS[Bun.hash.crc32(key) % (COLORS.length - 1)] as Color
}

/** How many are inserted at once. */
const INSERTED_MAX = 100

/** The tags with these names, by their keys; missing ones are created for links of their folders. @throws AppError PLAN_LIMIT_REACHED */
export async function takeTags(
  { ids, clock }: TagMaker,
  tx: Transaction,
  workspaceNo: number,
  tags: readonly { tag: string; key: string; folder: string | null }[],
): Promise<Map<string, NamedTag>> {
  // Of names that differ in case the first is used.
  const names = new Map<string, (typeof tags)[number]>()
  for (const tag of tags) if (!names.has(tag.key)) names.set(tag.key, tag)
  const find = (keys: Iterable<string>) => findTags(tx, workspaceNo, [...keys])
  const taken = new Map((await find(names.keys())).map((tag) => [tag.key, tag]))
  const missing = [...names].filter(([key]) => !taken.has(key))
  const now = clock.now()
  const rows = missing.map(([key, { tag: name, folder }]) => ({
    id: ids.next('tag'),
    key,
    name,
    search_text: foldForSearch(name),
    colour: colorOf(key),
    folder_id: folder,
    created_at: now,
    updated_at: now,
  }))
  for (let at = 0; at < rows.length; at += INSERTED_MAX) {
    await insertTags(tx, workspaceNo, rows.slice(at, at + INSERTED_MAX))
  }
  // Another transaction of the same commit may have created one in between.
  for (const tag of await find(missing.map(([key]) => key))) taken.set(tag.key, tag)
  return taken
}
