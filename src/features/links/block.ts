import { nextTurn } from '../../lib/base/turn.ts'
import { AppError, invalid } from '../../lib/errors/index.ts'
import { compose } from '../../lib/validation/text.ts'
import type { LinkBlock } from '../../model/blocks/list.ts'
import { DEFAULT_DOMAIN, type Domains } from '../../model/domains/index.ts'
import { splitHost } from '../../model/links/slug.ts'
import type { Sql, Transaction } from '../../platform/storage/index.ts'
import { type Actor, recordChange } from '../audit/index.ts'
import {
  addressesOf,
  addressOn,
  allOf,
  type Cases,
  deleteSlug,
  retargetSlug,
  slugChanged,
} from './addresses.ts'
import { eventObjectOf } from './event-object.ts'
import type { Address, LinkRow } from './row.ts'
import { blockOf, type RenderLink, targetOf, targetOfEntry } from './rows.ts'
import { selectLinks } from './store.ts'
import { slugOwner } from './taken.ts'

/** What to block: a link by its id, or an address, which may have no link. */
type Named = { id: string } | { address: Address }

/** Finds the numbers of hosts, and tells which are case-sensitive. */
type NamingDomains = Pick<Domains, 'noOf' | 'knows' | 'isCaseSensitive'>

/**
 * Parses the id of a link, a slug of the default domain, `host/slug`, or a short URL.
 * @throws AppError VALIDATION_FAILED
 */
export function parseNamed(text: string, domains: NamingDomains): Named {
  if (text.startsWith('lnk_')) return { id: text }
  const url = /^https?:/i.test(text) ? URL.parse(text) : null
  const plain = url === null ? text : `${url.host}${decoded(url.pathname)}`
  const path = plain.trim().replace(/[/+]+$/, '')
  const named = splitHost(path, domains)
  // Text like a host counts as one: an unused address must not be blocked by mistake.
  if (named.host === null && (url !== null || HOST_LIKE.test(path))) {
    throw invalidValue('UNKNOWN_DOMAIN')
  }
  const domainNo = named.host === null ? DEFAULT_DOMAIN : domains.noOf(named.host)
  if (domainNo === undefined) throw invalidValue('UNKNOWN_DOMAIN')
  const slug = compose(named.slug)
  if (slug === '') throw invalidValue('INVALID_SLUG')
  return { address: addressOn(domainNo, slug, domains) }
}

/** The error for a value that can't be blocked. */
export function invalidValue(code: 'UNKNOWN_DOMAIN' | 'INVALID_SLUG' | 'INVALID_VALUE'): AppError {
  return invalid({ field: 'value', code })
}

const HOST_LIKE = /^[^/]*[.:][^/]*\//

function decoded(path: string): string {
  try {
    return decodeURIComponent(path)
  } catch {
    return path
  }
}

/** What blocking a link depends on. */
export interface BlockContext {
  domains: Cases
  render: RenderLink
}

/** A link of any workspace, existing or deleted. */
interface Found {
  row: LinkRow
  isDeleted: boolean
}

/**
 * Blocks all addresses of a link, or an address without one. Returns the link.
 * @throws AppError LINK_NOT_FOUND, ALREADY_BLOCKED
 */
export async function blockLink(
  { domains: cases, render }: BlockContext,
  tx: Transaction,
  actor: Actor,
  named: Named,
  block: LinkBlock & { id: string; at: number },
): Promise<LinkRow | null> {
  let found = await findLocked(cases, tx, named)
  if (found === null && 'address' in named) {
    if (await blockFreeSlug(tx, named.address, block.id)) return null
    // It is blocked already, or a link has taken it in the meantime.
    found = await findLocked(cases, tx, named)
  }
  if (found === null) throw new AppError('address' in named ? 'ALREADY_BLOCKED' : 'LINK_NOT_FOUND')
  if (found.row.block !== null) throw new AppError('ALREADY_BLOCKED')
  const row = await write(render, tx, actor, found, block)
  for (const address of allOf(addressesOf(row, cases))) {
    if (found.isDeleted) await blockFreeSlug(tx, address, block.id)
    else await retargetSlug(tx, address, targetOf(row))
  }
  return row
}

/** Removes the block of a link's addresses, wherever they are now. */
export async function unblockLink(
  { domains: cases, render }: BlockContext,
  tx: Transaction,
  actor: Actor,
  block: { id: string; link_id: string | null },
  at: number,
): Promise<void> {
  const found = block.link_id === null ? null : await findLocked(cases, tx, { id: block.link_id })
  const row = found === null ? null : await write(render, tx, actor, found, null, at)
  await unblockSlugs(tx, block.id)
  if (row === null || found?.isDeleted) return
  for (const address of allOf(addressesOf(row, cases))) {
    await retargetSlug(tx, address, targetOf(row))
  }
}

/** The link, with its workspace locked so that it can't change. */
async function findLocked(cases: Cases, tx: Transaction, named: Named): Promise<Found | null> {
  const found = await find(cases, tx, named)
  if (found === null) return null
  await tx.lockWorkspace(found.row.workspace_no)
  return find(cases, tx, { id: found.row.id })
}

/** The block of an address; undefined: it isn't blocked. */
export async function blockOfAddress(sql: Sql, address: Address): Promise<string | undefined> {
  return (await slugOwner(sql, address))?.block_id ?? undefined
}

async function find(cases: Cases, sql: Sql, named: Named): Promise<Found | null> {
  const owner = 'address' in named ? await slugOwner(sql, named.address) : undefined
  const seq = owner?.link_seq
  if ('id' in named || typeof seq === 'number') {
    const living = await selectLinks(sql)
      .where((eb) => ('id' in named ? eb('id', '=', named.id) : eb('seq', '=', seq as number)))
      .executeTakeFirst()
    if (living !== undefined) return { row: living, isDeleted: false }
  }
  const row =
    'id' in named
      ? await findDeletedById(sql, named.id)
      : // A deleted link's slugs are held for its workspace.
        owner && (await findDeletedAt(cases, sql, named.address, owner.workspace_no))
  return row === undefined ? null : { row, isDeleted: true }
}

async function findDeletedById({ db }: Sql, id: string): Promise<LinkRow | undefined> {
  const query = db.selectFrom('deleted_links').select('row').where('id', '=', id)
  const found = await query.executeTakeFirst()
  return found && (JSON.parse(found.row) as LinkRow)
}

/** Deleted links that are read together: visits are served in between. */
const DELETED_AT_ONCE = 500

/** The link of a workspace that was deleted last of those that had an address. */
async function findDeletedAt(
  cases: Cases,
  { db }: Sql,
  { domainNo, key }: Address,
  workspaceNo: number,
): Promise<LinkRow | undefined> {
  const had = (link: LinkRow) =>
    allOf(addressesOf(link, cases)).some((one) => one.domainNo === domainNo && one.key === key)
  let after = { deleted_at: Number.MAX_SAFE_INTEGER, seq: 0 }
  for (;;) {
    const { deleted_at, seq } = after
    const rows = await db
      .selectFrom('deleted_links')
      .select(['deleted_at', 'seq', 'row'])
      .where('workspace_no', '=', workspaceNo)
      .where((eb) => eb(eb.refTuple('deleted_at', 'seq'), '<', eb.tuple(deleted_at, seq)))
      .orderBy('deleted_at', 'desc')
      .orderBy('seq', 'desc')
      .limit(DELETED_AT_ONCE)
      .execute()
    const link = rows.map(({ row }) => JSON.parse(row) as LinkRow).find(had)
    const last = rows.at(-1)
    if (link !== undefined || last === undefined) return link
    after = last
    await nextTurn()
  }
}

async function write(
  render: RenderLink,
  tx: Transaction,
  actor: Actor,
  { row, isDeleted }: Found,
  block: (LinkBlock & { at: number }) | null,
  at = block?.at ?? 0,
): Promise<LinkRow> {
  const after: LinkRow = {
    ...row,
    block: block === null ? null : JSON.stringify({ ...block, prefix: row.match_prefix !== 0 }),
    version: row.version + 1,
    updated_at: Math.max(at, row.updated_at),
  }
  const { version, updated_at } = after
  const { db } = tx
  const update = isDeleted
    ? db
        .updateTable('deleted_links')
        .set({ row: JSON.stringify(after) })
        .where('seq', '=', row.seq)
    : db
        .updateTable('links')
        .set({ block: after.block, version, updated_at })
        .where('seq', '=', row.seq)
  await update.execute()
  await recordChange(tx, actor, {
    workspaceNo: row.workspace_no,
    at,
    action: block === null ? 'link.unblocked' : 'link.blocked',
    target: targetOfEntry(row),
    before: block === null ? { blocked: true, reason: blockOf(row)?.reason } : { blocked: false },
    after: block === null ? { blocked: false } : { blocked: true, reason: block.reason },
    version: after.version,
    object: eventObjectOf(render(after, undefined, at)),
  })
  return after
}

/** The workspace number of a blocked address that no workspace ever had. */
const UNOWNED = 0

/** Blocks an address without a link. False: a link has it, or it is blocked already. */
async function blockFreeSlug(tx: Transaction, address: Address, blockId: string): Promise<boolean> {
  const { slug, key, domainNo } = address
  const row = await tx.db
    .insertInto('slugs')
    .values({
      slug_key: key,
      domain_no: domainNo,
      workspace_no: UNOWNED,
      link_seq: null,
      slug,
      target_url: null,
      redirect_status: 302,
      special: 0,
      block_id: blockId,
    })
    .onConflict((conflict) =>
      conflict
        .columns(['slug_key', 'domain_no'])
        .doUpdateSet({ block_id: blockId })
        .where('slugs.link_seq', 'is', null)
        .where('slugs.block_id', 'is', null),
    )
    .returning('slug_key')
    .executeTakeFirst()
  if (row === undefined) return false
  slugChanged(tx, address)
  return true
}

/** Unblocks addresses; those that no workspace ever had become free. */
async function unblockSlugs(tx: Transaction, blockId: string): Promise<void> {
  const rows = await tx.db
    .updateTable('slugs')
    .set({ block_id: null })
    .where('block_id', '=', blockId)
    .returning(['slug_key', 'domain_no', 'workspace_no'])
    .execute()
  for (const { slug_key: key, domain_no: domainNo, workspace_no } of rows) {
    if (workspace_no === UNOWNED) await deleteSlug(tx, { key, domainNo })
    else slugChanged(tx, { key, domainNo })
  }
}
