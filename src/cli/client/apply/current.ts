import type { Link, List, Slugline } from '../../../../sdk/typescript/src/index.ts'
import { CommandError } from '../../context.ts'
import { PATIENT } from '../remote.ts'

const PAGE = 100
/** The longest query; header fields have at most 16 KiB. */
const QUERY_BYTES_MAX = 8_000
/** The most items of a list that are read. */
const ITEMS_MAX = 100_000

/** The links that have one of these external ids now, by it; archived ones, too. */
export async function currentLinks(
  { links }: Slugline,
  externalIds: readonly string[],
): Promise<Map<string, Link>> {
  const found = new Map<string, Link>()
  for (const ids of queriesOf(externalIds)) {
    const query = { external_id: ids, archived: 'any', limit: PAGE } as const
    const { data } = await links.list(query, PATIENT).page()
    for (const link of data) found.set(link.external_id as string, link)
  }
  return found
}

/** Splits ids into queries that are short enough. */
function* queriesOf(ids: readonly string[]): Generator<string[]> {
  let query: string[] = []
  let bytes = 0
  for (const id of ids) {
    const size = `&external_id=${encodeURIComponent(id)}`.length
    if (query.length === PAGE || (query.length > 0 && bytes + size > QUERY_BYTES_MAX)) {
      yield query
      query = []
      bytes = 0
    }
    query.push(id)
    bytes += size
  }
  if (query.length > 0) yield query
}

/** The links whose external id begins with this; archived ones, too. @throws CommandError */
export async function linksWithPrefix({ links }: Slugline, prefix: string): Promise<Link[]> {
  // The search finds it anywhere in several fields: what it finds is more than enough.
  const query = { search: prefix, archived: 'any', sort: 'created_at', order: 'asc' } as const
  const list = links.list({ ...query, total: 'quick', limit: PAGE }, PATIENT)
  const found = await allOf(list, 'links')
  return found.filter(({ external_id }) => external_id?.startsWith(prefix))
}

/** All folders: their names by id. */
export async function folderNames({ folders }: Slugline): Promise<Map<string, string>> {
  const all = await allOf(folders.list({ limit: PAGE }, PATIENT), 'folders')
  return new Map(all.map(({ id, name }) => [id, name]))
}

/** The ids of the folders with this id or name, any case: several may have the same name. */
export function foldersNamed(names: ReadonlyMap<string, string>, folder: string): string[] {
  if (names.has(folder)) return [folder]
  const wanted = folder.trim().toLowerCase()
  return [...names].filter(([, name]) => name.toLowerCase() === wanted).map(([id]) => id)
}

async function allOf<T>(list: List<T>, what: string): Promise<T[]> {
  const found: T[] = []
  for await (const item of list) {
    if (found.push(item) <= ITEMS_MAX) continue
    throw new CommandError(`More than ${ITEMS_MAX} ${what} are found`, 1, 'TOO_MANY_FOUND')
  }
  return found
}
