import { z } from '@hono/zod-openapi'
import { type Api, endpoint } from '../../http/index.ts'
import type { ErrorDetail } from '../../lib/errors/index.ts'
import { translate } from '../../lib/i18n/index.ts'
import { Fault } from '../../lib/validation/fault.ts'
import { checkForWorkspace } from '../../lib/validation/requesting-workspace.ts'
import { DEFAULT_DOMAIN } from '../../model/domains/index.ts'
import { isReserved, parseSlug, type SlugName } from '../../model/links/slug.ts'
import { checkDomain } from '../../model/links/values.ts'
import { addressOn } from './addresses.ts'
import type { LinkCaller, LinkContext } from './context.ts'
import type { LinkService } from './service.ts'
import { findLink } from './store.ts'
import { freeSlugs, prefixesAbove, slugOwner } from './taken.ts'

/** The faults of a draft, and free slugs if its own is taken. */
interface LinkCheck {
  problems: ErrorDetail[]
  suggestions: string[]
}

/** Validates a draft without reserving anything. Reports only what a creation would refuse. */
export async function checkLink(
  ctx: LinkContext,
  caller: LinkCaller,
  { destination_url: url, ...draft }: LinkDraft,
): Promise<LinkCheck> {
  const problems: ErrorDetail[] = []
  const passes = <T>(field: string, result: T | Fault): result is T => {
    if (!(result instanceof Fault)) return true
    problems.push(result.of(field))
    return false
  }
  const { rules } = ctx
  if (url !== undefined) passes('destination_url', rules.checkUrl(url))
  const domain = checkForWorkspace(caller.workspace.no, () =>
    draft.domain === undefined ? undefined : checkDomain(draft.domain, rules.domains),
  )
  const hasDomain = passes('domain', domain)
  const slug = draft.slug === undefined ? undefined : parseSlug(draft.slug)
  if (slug === undefined || !passes('slug', slug) || !hasDomain) {
    return { problems, suggestions: [] }
  }
  const taken = await checkAddress(ctx, caller, slug, domain, draft.exclude_id)
  return { problems: [...problems, ...taken.problems], suggestions: taken.suggestions }
}

async function checkAddress(
  { random, domains, storage: { read } }: LinkContext,
  caller: LinkCaller,
  slug: SlugName,
  domainNo: number | undefined,
  exceptId: string | undefined,
): Promise<LinkCheck> {
  const own = exceptId === undefined ? undefined : await findLink(read, exceptId, caller)
  const address = addressOn(domainNo ?? own?.domain_no ?? DEFAULT_DOMAIN, slug.slug, domains)
  if (isReserved(slug.slug, address.domainNo)) {
    return { problems: [{ field: 'slug', code: 'SLUG_RESERVED' }], suggestions: [] }
  }
  const owner = await slugOwner(read, address)
  const isOwn = own !== undefined && own.seq === owner?.link_seq
  const above = await prefixesAbove(read, address, caller.workspace.no)
  const isBlocked = owner?.block_id != null || above.blockId !== null
  const isFree =
    owner === undefined
      ? above.foreign === 0
      : owner.link_seq === null && owner.workspace_no === caller.workspace.no
  if (isOwn || (isFree && !isBlocked)) return { problems: [], suggestions: [] }
  return {
    problems: [{ field: 'slug', code: isBlocked ? 'SLUG_BLOCKED' : 'SLUG_TAKEN' }],
    suggestions: await freeSlugs(random, read, address, caller.workspace.no),
  }
}

const Body = z
  .strictObject({
    destination_url: z.string().optional(),
    slug: z.string().optional(),
    domain: z.string().optional(),
    exclude_id: z
      .string()
      .optional()
      .openapi({ description: 'The link that is being edited: its own slug is not taken.' }),
  })
  .openapi('LinkCheck')

/** The fields of a draft, as typed. */
type LinkDraft = z.output<typeof Body>

const Result = z
  .object({
    problems: z.array(z.object({ field: z.string(), code: z.string(), message: z.string() })),
    suggestions: z.array(z.string()).openapi({ description: 'Free slugs, when it is taken.' }),
  })
  .openapi('LinkCheckResult')

/** The dashboard's validation of a link while it is edited. */
export function registerLinkCheckRoute(api: Pick<Api, 'add'>, deps: { links: LinkService }): void {
  endpoint(api, {
    method: 'post',
    path: '/api/v1/links/check',
    scope: 'links:write',
    safe: true,
    secret: true,
    uncounted: true,
    operationId: 'checkLink',
    tag: 'Links',
    summary: 'Check fields of a link without making it',
    body: Body,
    success: {
      status: 200,
      description: 'What is wrong; nothing when all is well.',
      schema: Result,
    },
    async handler({ body, caller, locale }) {
      const { problems, suggestions } = await deps.links.checkLink(caller, body)
      const said = problems.map(({ field, code, params }) => ({
        field,
        code,
        message: translate(locale, `detail.${code}`, params),
      }))
      return { status: 200, body: { problems: said, suggestions } }
    },
  })
}
