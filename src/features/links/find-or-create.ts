import { sql } from 'kysely'
import { assertPermits } from '../../http/admission.ts'
import { isPartial } from '../../lib/base/view.ts'
import { invalid } from '../../lib/errors/index.ts'
import { foldCase } from '../../lib/validation/text.ts'
import { DEFAULT_DOMAIN } from '../../model/domains/index.ts'
import { isSeen, type Transaction } from '../../platform/storage/index.ts'
import { idsOfFolder } from '../folders/index.ts'
import { isTag, numbersOfTags } from '../tags/index.ts'
import { addressesOf, addressOn, identity, placeAliases } from './addresses.ts'
import type { LinkContext, LinkWriter } from './context.ts'
import { create } from './create.ts'
import type { PreparedCreate } from './fields.ts'
import { rendered } from './find.ts'
import type { LinkRow } from './row.ts'
import { leadsTo } from './row-tests.ts'
import { parseList, withFields, withUtmFields } from './rows.ts'
import type { Link } from './schemas.ts'
import { LINK_COLUMNS } from './store.ts'

/** What a creation does if the same link exists; absent: it makes another one. */
export type IfExists = 'return' | undefined

/** Links to one destination that are compared by what the database can't compare. */
const COMPARED_MAX = 1_000

/**
 * Makes a link, or returns the newest one that the caller can see with the same destination, domain
 * and all other given fields. Then nothing is written.
 * @throws AppError as {@link create} does; VALIDATION_FAILED (CONFLICTING_PARAMETERS);
 *   INSUFFICIENT_SCOPE
 */
export async function findOrCreate(
  ctx: LinkContext,
  tx: Transaction,
  caller: LinkWriter,
  given: PreparedCreate,
  ifExists: IfExists,
): Promise<{ link: Link; isNew: boolean }> {
  if (ifExists === undefined) return { link: await create(ctx, tx, caller, given), isNew: true }
  // A key that only creates links may not learn about others.
  if (caller.scopes !== undefined && !caller.scopes.has('links:write')) {
    assertPermits({ scopes: caller.scopes }, 'links:read')
  }
  // Only a guess could tell whether a link has the same one.
  if (typeof given.password_hash === 'string') {
    const params = { other: 'if_exists' }
    throw invalid({ field: 'password', code: 'CONFLICTING_PARAMETERS', params })
  }
  // Otherwise two concurrent requests would both find none.
  await tx.lockWorkspace(caller.workspace.no)
  const row = await findSame(ctx, tx, caller, given)
  return row === undefined
    ? { link: await create(ctx, tx, caller, given), isNew: true }
    : { link: await rendered(ctx, row), isNew: false }
}

async function findSame(
  ctx: LinkContext,
  tx: Transaction,
  caller: LinkWriter,
  given: PreparedCreate,
): Promise<LinkRow | undefined> {
  const { no } = caller.workspace
  const fields = withUtmFields(ctx, given, given.destination_url.given)
  const { slug, aliases, tags, social, folder_id, imported_clicks: _, ...others } = fields
  const main = addressOn(fields.domain ?? DEFAULT_DOMAIN, slug?.slug ?? '', ctx.domains)
  // Only the columns of given fields.
  const { destination_url, target_url, ...columns } = withFields({} as LinkRow, others)
  const tests = [leadsTo('l', target_url), sql`l.domain_no = ${main.domainNo}`]
  for (const [column, value] of Object.entries(columns)) {
    // As if the field were absent.
    if (value !== null) tests.push(sql`${sql.ref(`l.${column}`)} = ${value}`)
  }
  if (slug !== undefined) tests.push(sql`l.slug_key = ${main.key}`)
  if (isPartial(caller)) tests.push(isSeen(caller))
  if (typeof folder_id === 'string') {
    const ids = await idsOfFolder(tx, no, folder_id)
    if (ids.length === 0) return undefined
    tests.push(sql`l.folder_id IN (${sql.join(ids)})`)
  }
  for (const numbers of await numbersOfTags(tx, no, tags?.map(({ key }) => key) ?? [])) {
    if (numbers.length === 0) return undefined
    tests.push(sql`EXISTS (SELECT 1 FROM link_tags t WHERE t.workspace_no = ${no}
      AND ${isTag('t', numbers)} AND t.link_seq = l.seq)`)
  }
  const wanted = aliases && placeAliases(main, aliases, ctx.domains).map(identity)
  const hasSame = (row: LinkRow) =>
    (tags === undefined ||
      haveSame(
        parseList(row.tags).map(foldCase),
        tags.map(({ key }) => key),
      )) &&
    (wanted === undefined ||
      haveSame(addressesOf(row, ctx.domains).aliases.map(identity), wanted)) &&
    (!social || withFields(row, { social }).social === row.social)
  const { rows } = await sql<LinkRow>`SELECT ${LINK_COLUMNS} FROM links l
    WHERE l.workspace_no = ${no} AND ${sql.join(tests, sql` AND `)}
    ORDER BY l.seq DESC LIMIT ${needsRows() ? COMPARED_MAX : 1}`.execute(tx.db)
  return rows.find(hasSame)

  function needsRows(): boolean {
    return tags !== undefined || wanted !== undefined || Boolean(social)
  }
}

/** Whether two lists without repetition have the same items. */
function haveSame(some: readonly string[], others: readonly string[]): boolean {
  return some.length === others.length && new Set(some).isSupersetOf(new Set(others))
}
