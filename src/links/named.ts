import type { Sql } from '../storage/index.ts'
import type { NamedLinks } from './filter.ts'
import type { FilterQuery } from './list-query.ts'
import { slugKey } from './slug.ts'

/** The links named by a query, without duplicates; null: none are named. */
export function namedIn({ id, external_id, slug }: FilterQuery): NamedLinks | null {
  if (id === undefined && external_id === undefined && slug === undefined) return null
  const unique = (texts: readonly string[] | undefined) =>
    texts === undefined ? null : [...new Set(texts)].sort()
  return {
    ids: unique(id),
    externalIds: unique(external_id),
    slugKeys: unique(slug?.flatMap(keysOf)),
  }
}

/** The key on case-insensitive domains, and the one on case-sensitive ones. */
function keysOf(text: string): string[] {
  return [slugKey(text), slugKey(text, true)]
}

/** The `seq` of the links of a workspace that have a name of every list. */
export async function findNamed(
  { db }: Sql,
  workspaceNo: number,
  { ids, externalIds, slugKeys }: NamedLinks,
): Promise<number[]> {
  const links = db.selectFrom('links').select('seq').where('workspace_no', '=', workspaceNo)
  const sets: (readonly { seq: number | null }[])[] = []
  if (ids !== null) sets.push(await links.where('id', 'in', ids).execute())
  if (externalIds !== null) sets.push(await links.where('external_id', 'in', externalIds).execute())
  if (slugKeys !== null) {
    const slugs = db.selectFrom('slugs').select('link_seq as seq')
    const own = slugs.where('slug_key', 'in', slugKeys).where('workspace_no', '=', workspaceNo)
    sets.push(await own.where('link_seq', 'is not', null).execute())
  }
  const [first = new Set<number>(), ...others] = sets.map(
    (rows) => new Set(rows.flatMap(({ seq }) => seq ?? [])),
  )
  const common = others.reduce((all, each) => all.intersection(each), first)
  return [...common].sort((a, b) => a - b)
}
