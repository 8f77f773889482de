import type { Link, Slugline } from '../../../sdk/typescript/src/index.ts'
import { CommandError } from '../context.ts'

/** The description of the argument for a link. */
export const LINK_ARGUMENT = 'link ID, slug, short link or external:ID'

const ID = /^lnk_[0-9a-z]{26}$/

/** The link of an id, a slug, an alias, a short URL or `external:` and an external id. @throws CommandError */
export async function findLink({ links }: Slugline, text: string): Promise<Link> {
  if (ID.test(text)) return links.get(text)
  if (/^https?:\/\//i.test(text)) return links.lookUp({ url: text })
  // No slug contains a colon. In a path, `..` as an external id would lead elsewhere.
  const external = /^external:(.+)$/s.exec(text)?.[1]
  const by = external === undefined ? { slug: [text] } : { external_id: [external] }
  const { data } = await links.list({ ...by, archived: 'any' }).page()
  const [found] = data
  if (found === undefined) throw new CommandError(`Link “${text}” not found`, 1, 'LINK_NOT_FOUND')
  if (data.length > 1) {
    const addresses = data.map(({ short_url }) => short_url).join(', ')
    throw new CommandError(`${data.length} links have this slug; use a short link: ${addresses}`, 2)
  }
  return found
}

/** The id of {@link findLink}. @throws CommandError */
export async function findLinkId(slugline: Slugline, text: string): Promise<string> {
  return ID.test(text) ? text : (await findLink(slugline, text)).id
}

/** The id of a folder by its id or name. @throws CommandError */
export async function findFolderId({ folders }: Slugline, folder: string): Promise<string> {
  if (/^fld_[0-9a-z]{26}$/.test(folder)) return folder
  const { data } = await folders.list({ search: folder, limit: 100 }).page()
  const named = data.filter(({ name }) => name.toLowerCase() === folder.toLowerCase())
  const [only] = named
  if (only === undefined) {
    throw new CommandError(`Folder “${folder}” not found`, 1, 'FOLDER_NOT_FOUND')
  }
  if (named.length > 1) {
    const ids = named.map(({ id }) => id).join(', ')
    throw new CommandError(`${named.length} folders are named ${folder}; use an ID: ${ids}`, 2)
  }
  return only.id
}
