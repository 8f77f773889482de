import { DEFAULT_DOMAIN } from '../domains/index.ts'
import type { ErrorDetail } from '../errors/index.ts'
import { slugOwner } from './addresses.ts'
import { freeSlugs, type LinkCaller, type LinkContext } from './context.ts'
import type { SlugName } from './slug.ts'
import { findLink } from './store.ts'

/** What would be said of an address if a link were to have it, and free slugs instead. */
export interface AddressCheck {
  problems: ErrorDetail[]
  suggestions: string[]
}

/**
 * Whether the workspace could give a link this slug now; `exceptId` is the link that may have it
 * already, whose domain is meant when none is given. Says nothing that creating the link wouldn't say.
 */
export async function checkAddress(
  { random, storage }: Pick<LinkContext, 'random' | 'storage'>,
  { workspace }: LinkCaller,
  { slug, domainNo }: { slug: SlugName; domainNo: number | undefined },
  exceptId: string | undefined,
): Promise<AddressCheck> {
  const sql = storage.read
  const own = exceptId === undefined ? undefined : await findLink(sql, exceptId, workspace.no)
  const address = { ...slug, domainNo: domainNo ?? own?.domain_no ?? DEFAULT_DOMAIN }
  const owner = await slugOwner(sql, address)
  const isFree =
    owner === undefined || (owner.link_seq === null && owner.workspace_no === workspace.no)
  if (isFree) return { problems: [], suggestions: [] }
  if (own !== undefined && own.seq === owner.link_seq) return { problems: [], suggestions: [] }
  return {
    problems: [{ field: 'slug', code: 'SLUG_TAKEN' }],
    suggestions: await freeSlugs(random, sql, address),
  }
}
