import { DEFAULT_DOMAIN } from '../domains/index.ts'
import type { ErrorDetail } from '../errors/index.ts'
import { Fault } from '../validation/fault.ts'
import { freeSlugs, slugOwner } from './addresses.ts'
import type { LinkDraft } from './check-routes.ts'
import type { LinkCaller, LinkContext } from './context.ts'
import { checkDomain } from './rules.ts'
import { parseSlug, type SlugName } from './slug.ts'
import { findLink } from './store.ts'

/** What is wrong with a draft, and free slugs if its own is taken. */
interface LinkCheck {
  problems: ErrorDetail[]
  suggestions: string[]
}

/** Checks a draft without taking anything. Finds nothing that a creation wouldn't refuse. */
export async function checkLink(
  ctx: LinkContext,
  caller: LinkCaller,
  { destination_url: url, ...draft }: LinkDraft,
): Promise<LinkCheck> {
  const problems: ErrorDetail[] = []
  const passes = <T>(field: string, result: T | Fault): result is T => {
    if (!(result instanceof Fault)) return true
    const { code, params } = result
    problems.push({ field, code, ...(params && { params }) } as ErrorDetail)
    return false
  }
  const { rules } = ctx
  if (url !== undefined) passes('destination_url', rules.checkUrl(url))
  const domain = draft.domain === undefined ? undefined : checkDomain(draft.domain, rules.domains)
  const hasDomain = passes('domain', domain)
  const slug = draft.slug === undefined ? undefined : parseSlug(draft.slug)
  if (slug === undefined || !passes('slug', slug) || !hasDomain) {
    return { problems, suggestions: [] }
  }
  const taken = await checkAddress(ctx, caller, slug, domain, draft.exclude_id)
  return { problems: [...problems, ...taken.problems], suggestions: taken.suggestions }
}

async function checkAddress(
  { random, storage: { read } }: LinkContext,
  { workspace }: LinkCaller,
  slug: SlugName,
  domainNo: number | undefined,
  exceptId: string | undefined,
): Promise<LinkCheck> {
  const own = exceptId === undefined ? undefined : await findLink(read, exceptId, workspace.no)
  const address = { ...slug, domainNo: domainNo ?? own?.domain_no ?? DEFAULT_DOMAIN }
  const owner = await slugOwner(read, address)
  const isFree =
    owner === undefined ||
    (owner.block_id === null && owner.link_seq === null && owner.workspace_no === workspace.no) ||
    (own !== undefined && own.seq === owner.link_seq)
  if (isFree) return { problems: [], suggestions: [] }
  return {
    problems: [{ field: 'slug', code: owner.block_id === null ? 'SLUG_TAKEN' : 'SLUG_BLOCKED' }],
    suggestions: await freeSlugs(random, read, address),
  }
}
