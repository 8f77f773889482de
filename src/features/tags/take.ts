import type { Clock } from '../../lib/base/clock.ts'
import type { Ids } from '../../lib/base/ids.ts'
import { foldForSearch } from '../../lib/validation/text.ts'
import type { Transaction } from '../../platform/storage/index.ts'
import { COLOURS, type Colour } from './colours.ts'
import { findTags, insertTag, type NamedTag } from './store.ts'

/** Dependencies of creating tags. */
export interface TagMaker {
  ids: Pick<Ids, 'next'>
  clock: Clock
}

/** The default colour of a tag, derived from its name; never grey, which can only be chosen. */
export function colourOf(key: string): Colour {
  return COLOURS[Bun.hash.crc32(key) % (COLOURS.length - 1)] as Colour
}

/** The tags with these names, by their keys; missing ones are created for links of their folders. */
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
  for (const [key, { tag: name, folder }] of missing) {
    const now = clock.now()
    await insertTag(tx, {
      workspace_no: workspaceNo,
      id: ids.next('tag'),
      key,
      name,
      search_text: foldForSearch(name),
      colour: colourOf(key),
      folder_id: folder,
      created_at: now,
      updated_at: now,
    })
  }
  // Another transaction of the same commit may have created one in between.
  for (const tag of await find(missing.map(([key]) => key))) taken.set(tag.key, tag)
  return taken
}
