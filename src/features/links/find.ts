import { type Reader, sees } from '../../lib/base/view.ts'
import { AppError, invalid } from '../../lib/errors/index.ts'
import type { Sql } from '../../platform/storage/index.ts'
import { createFetchSlug, findSlug, isMiss, nearMisses, parsePath } from '../../redirect/index.ts'
import type { LinkContext, LinkReader } from './context.ts'
import type { LinkRow } from './row.ts'
import type { Link } from './schemas.ts'
import { findCounters, findLink, selectLinks } from './store.ts'

/** The caller's link with an address, as its slug or as an alias. */
export function findLinkAt(
  sql: Sql,
  { key, domainNo }: { key: string; domainNo: number },
  reader: Reader,
): Promise<LinkRow | undefined> {
  const query = ownLinks(sql, reader).where('seq', '=', ({ selectFrom }) =>
    selectFrom('slugs')
      .select('link_seq')
      .where('slug_key', '=', key)
      .where('domain_no', '=', domainNo),
  )
  return onlySeen(query, reader)
}

/** The caller's link with an external id. */
export function findLinkByExternalId(
  sql: Sql,
  externalId: string,
  reader: Reader,
): Promise<LinkRow | undefined> {
  return onlySeen(ownLinks(sql, reader).where('external_id', '=', externalId), reader)
}

/** How a request names a link: by its id, or by its external id. */
export type LinkName = string | { readonly external_id: string }

/** The caller's link with a name. */
export function findNamedLink(
  sql: Sql,
  name: LinkName,
  reader: Reader,
): Promise<LinkRow | undefined> {
  return typeof name === 'string'
    ? findLink(sql, name, reader)
    : findLinkByExternalId(sql, name.external_id, reader)
}

/** A link of a workspace. @throws AppError LINK_NOT_FOUND */
export async function get(ctx: LinkContext, caller: LinkReader, name: LinkName): Promise<Link> {
  return rendered(ctx, await findNamedLink(ctx.storage.read, name, caller))
}

/**
 * The link of a short URL, found like by a visit: by slug, alias, or as the prefix above it.
 * @throws AppError VALIDATION_FAILED (INVALID_URL), LINK_NOT_FOUND
 */
export async function lookUp(ctx: LinkContext, caller: LinkReader, text: string): Promise<Link> {
  const { domains, storage } = ctx
  const url = URL.parse(/^https?:\/\//i.test(text) ? text : `https://${text}`)
  const domainNo = url === null ? undefined : domains.noOf(url.host)
  const isExact = domainNo !== undefined && domains.isCaseSensitive(domainNo)
  const path = url?.pathname.slice(1) ?? ''
  const all = [path, ...nearMisses(path).map((reading) => reading.path)].flatMap(
    (reading) => parsePath(reading, isExact) ?? [],
  )
  if (all.length === 0) throw invalid({ field: 'url', code: 'INVALID_URL' })
  if (domainNo === undefined) throw new AppError('LINK_NOT_FOUND')
  const resolver = { slug: createFetchSlug(storage) }
  let found: Awaited<ReturnType<typeof findSlug>> = null
  for (const requested of all) {
    found = await findSlug(resolver, { requested, domainNo, slugKey: requested.whole })
    if (!isMiss(found)) break
  }
  const seq = found?.link_seq ?? null
  if (seq === null) throw new AppError('LINK_NOT_FOUND')
  const query = ownLinks(storage.read, caller).where('seq', '=', seq)
  return rendered(ctx, await onlySeen(query, caller))
}

function ownLinks(sql: Sql, { workspace }: Reader) {
  return selectLinks(sql).where('workspace_no', '=', workspace.no)
}

async function onlySeen(query: ReturnType<typeof ownLinks>, reader: Reader) {
  const row = await query.executeTakeFirst()
  return row !== undefined && sees(reader, row) ? row : undefined
}

/** A found link with its counters. @throws AppError LINK_NOT_FOUND */
export async function rendered({ storage, clock, render }: LinkContext, row: LinkRow | undefined) {
  if (row === undefined) throw new AppError('LINK_NOT_FOUND')
  // Two point reads take half as long as a join over two files.
  return render(row, await findCounters(storage.read, row.seq), clock.now())
}
