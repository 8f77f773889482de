import type { Clock } from '../base/clock.ts'
import type { Ids } from '../base/ids.ts'
import type { Transaction } from '../storage/index.ts'
import { foldForSearch } from '../validation/text.ts'
import { colourOf } from './colours.ts'
import { findTag, insertTag, type NamedTag } from './store.ts'

/** What making a tag needs. */
export interface TagMaker {
  ids: Pick<Ids, 'next'>
  clock: Clock
}

/** The tags with these names; those that a workspace doesn't have yet are made. */
export async function takeTags(
  { ids, clock }: TagMaker,
  tx: Transaction,
  workspaceNo: number,
  tags: readonly { tag: string; key: string }[],
): Promise<NamedTag[]> {
  const taken: NamedTag[] = []
  for (const { tag: name, key } of tags) {
    const find = () => findTag(tx, workspaceNo, key)
    let found = await find()
    if (found === undefined) {
      const now = clock.now()
      await insertTag(tx, {
        workspace_no: workspaceNo,
        id: ids.next('tag'),
        key,
        name,
        search_text: foldForSearch(name),
        colour: colourOf(key),
        created_at: now,
        updated_at: now,
      })
      // Another transaction of the same commit may have made it in between.
      found = await find()
    }
    if (found !== undefined) taken.push(found)
  }
  return taken
}
