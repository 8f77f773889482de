import { AppError, invalid } from '../errors/index.ts'
import { createFetchSlug, findSlug, parsePath } from '../redirect/index.ts'
import type { LinkCaller, LinkContext } from './context.ts'
import type { Link } from './schemas.ts'
import { findCounters, sees, selectLinks } from './store.ts'

/**
 * The link of a short URL, found like by a visit: by slug, alias, or as the prefix above it.
 * @throws AppError VALIDATION_FAILED (INVALID_URL), LINK_NOT_FOUND
 */
export async function lookUp(ctx: LinkContext, caller: LinkCaller, text: string): Promise<Link> {
  const { domains, storage } = ctx
  const url = URL.parse(/^https?:\/\//i.test(text) ? text : `https://${text}`)
  const domainNo = url === null ? undefined : domains.noOf(url.host)
  const isExact = domainNo !== undefined && domains.isCaseSensitive(domainNo)
  const asked = url && parsePath(url.pathname.slice(1), isExact)
  if (!asked) throw invalid({ field: 'url', code: 'INVALID_URL' })
  if (domainNo === undefined) throw new AppError('LINK_NOT_FOUND')
  const visit = { asked, domainNo, slugKey: asked.whole }
  const found = await findSlug({ slug: createFetchSlug(storage) }, visit)
  const row =
    found?.link_seq == null
      ? undefined
      : await selectLinks(storage.read)
          .where('workspace_no', '=', caller.workspace.no)
          .where('seq', '=', found.link_seq)
          .executeTakeFirst()
  if (row === undefined || !sees(caller, row)) throw new AppError('LINK_NOT_FOUND')
  return ctx.render(row, await findCounters(storage.read, row.seq), ctx.clock.now())
}
