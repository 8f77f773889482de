import { z } from '@hono/zod-openapi'
import type { FolderList } from '../folders/schemas.ts'
import type { Link, LinkList } from '../links/index.ts'
import type { TagList } from '../tags/schemas.ts'
import { type Call, get, refusal } from './call.ts'

const ID = /^lnk_[0-9a-z]{26}$/
const FOLDER_ID = /^fld_[0-9a-z]{26}$/
/** URLs leave these segments out of a path, encoded or not. */
const DOTS = /^\.{1,2}$/

/** The argument for one link. */
export const LINK = z
  .string()
  .min(1)
  .max(8_192)
  .describe('The link: its id (lnk_…), its short URL, its slug, or external: and its external id.')

/** The path of a link; only a slug or an address needs a request, and the scope links:read. */
export async function linkPath(call: Call, name: string): Promise<string> {
  const given = name.trim()
  if (ID.test(given)) return `/links/${given}`
  const externalId = externalIdOf(given)
  if (externalId !== undefined && !DOTS.test(externalId)) {
    return `/links/external/${encodeURIComponent(externalId)}`
  }
  return `/links/${(await findLink(call, given)).id}`
}

// No slug contains a colon.
const externalIdOf = (name: string) => /^external:(.+)$/s.exec(name)?.[1]

/** The id of a link. */
export async function linkId(call: Call, name: string): Promise<string> {
  const given = name.trim()
  return ID.test(given) ? given : (await findLink(call, given)).id
}

/** A link by its id, short URL, slug, alias or external id. */
export async function findLink(call: Call, name: string): Promise<Link> {
  const given = name.trim()
  if (ID.test(given)) return get(call, `/links/${given}`)
  if (/^https?:\/\//i.test(given)) return get(call, '/links/lookup', { url: given })
  const external_id = externalIdOf(given)
  const by = external_id === undefined ? { slug: given.replace(/^\/+/, '') } : { external_id }
  const { data } = await get<LinkList>(call, '/links', { ...by, archived: 'any' })
  const [found] = data
  if (found === undefined) throw refusal('LINK_NOT_FOUND', `No link is called “${given}”.`)
  if (data.length === 1) return found
  const addresses = data.map(({ short_url }) => short_url)
  throw refusal('AMBIGUOUS_LINK', 'Several links have this slug.', addresses)
}

/** The id of a folder by its id or name. */
export async function folderId(call: Call, folder: string): Promise<string> {
  return FOLDER_ID.test(folder) ? folder : (await named(call, 'folder', folder)).id
}

/** A tag or a folder by its id or name. */
export async function named(call: Call, kind: 'tag' | 'folder', name: string) {
  const list = await get<TagList | FolderList>(call, `/${kind}s`, { search: name, limit: 100 })
  const wanted = name.toLowerCase()
  const same = list.data.filter((one) => one.id === wanted || one.name.toLowerCase() === wanted)
  const [only] = same
  if (only === undefined) {
    throw refusal(`${kind.toUpperCase()}_NOT_FOUND`, `No ${kind} is called “${name}”.`)
  }
  if (same.length === 1) return only
  const ids = same.map(({ id }) => id)
  throw refusal('AMBIGUOUS_FOLDER', `Several folders are called “${name}”.`, ids)
}
