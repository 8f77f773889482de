import { AppError, invalid } from '../errors/index.ts'
import type { LinkCaller, LinkContext } from './context.ts'
import { findLinkAt } from './find.ts'
import type { Link } from './schemas.ts'
import { slugKey } from './slug.ts'
import { findCounters } from './store.ts'

/** The slug of a short address, and its domain; null: it is none. */
function addressOf({ domains }: Pick<LinkContext, 'domains'>, text: string) {
  const url = URL.parse(/^https?:\/\//i.test(text) ? text : `https://${text}`)
  const slug = url && decoded(url.pathname.slice(1))
  if (url === null || !slug) return null
  const domainNo = domains.noOf(url.host)
  const isExact = domainNo !== undefined && domains.isCaseSensitive(domainNo)
  return { key: slugKey(slug.normalize('NFC'), isExact), domainNo }
}

function decoded(path: string): string | null {
  try {
    return decodeURIComponent(path)
  } catch {
    return null
  }
}

/**
 * The link that a short address leads to, by slug or alias.
 * @throws AppError VALIDATION_FAILED (INVALID_URL), LINK_NOT_FOUND
 */
export async function lookUp(ctx: LinkContext, caller: LinkCaller, url: string): Promise<Link> {
  const address = addressOf(ctx, url)
  if (address === null) throw invalid({ field: 'url', code: 'INVALID_URL' })
  const { read } = ctx.storage
  const { key, domainNo } = address
  const row = domainNo === undefined ? undefined : await findLinkAt(read, { key, domainNo }, caller)
  if (row === undefined) throw new AppError('LINK_NOT_FOUND')
  return ctx.render(row, await findCounters(read, row.seq), ctx.clock.now())
}
