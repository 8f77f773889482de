import type { FolderList } from '../../features/folders/schemas.ts'
import type { Link, LinkList } from '../../features/links/index.ts'
import { CommandError } from '../context.ts'
import { bodyOf, type Remote } from './remote.ts'

/** The description of the argument for a link. */
export const LINK_ARGUMENT = 'link ID, slug, short link or external:ID'

const ID = /^lnk_[0-9a-z]{26}$/

/** The link of an id, a slug, an alias, a short URL or `external:` and an external id. @throws CommandError */
export async function findLink(ask: Remote, text: string): Promise<Link> {
  if (ID.test(text)) return bodyOf(ask(`/links/${text}`))
  if (/^https?:\/\//i.test(text)) return bodyOf(ask('/links/lookup', { url: text }))
  // No slug contains a colon. In a path, `..` as an external id would lead elsewhere.
  const external_id = /^external:(.+)$/s.exec(text)?.[1]
  const by = external_id === undefined ? { slug: text } : { external_id }
  const { data } = await bodyOf<LinkList>(ask('/links', { ...by, archived: 'any' }))
  const [found] = data
  if (found === undefined) throw new CommandError(`Link “${text}” not found`, 1, 'LINK_NOT_FOUND')
  if (data.length > 1) {
    const addresses = data.map(({ short_url }) => short_url).join(', ')
    throw new CommandError(`${data.length} links have this slug; give an address: ${addresses}`, 2)
  }
  return found
}

/** The id of {@link findLink}. @throws CommandError */
export async function findLinkId(ask: Remote, text: string): Promise<string> {
  return ID.test(text) ? text : (await findLink(ask, text)).id
}

/** The id of a folder by its id or name. @throws CommandError */
export async function findFolderId(ask: Remote, folder: string): Promise<string> {
  if (/^fld_[0-9a-z]{26}$/.test(folder)) return folder
  const { data } = await bodyOf<FolderList>(ask('/folders', { search: folder, limit: '100' }))
  const named = data.filter(({ name }) => name.toLowerCase() === folder.toLowerCase())
  const [only] = named
  if (only === undefined) {
    throw new CommandError(`Folder “${folder}” not found`, 1, 'FOLDER_NOT_FOUND')
  }
  if (named.length > 1) {
    const ids = named.map(({ id }) => id).join(', ')
    throw new CommandError(`${named.length} folders are called ${folder}; give an id: ${ids}`, 2)
  }
  return only.id
}
