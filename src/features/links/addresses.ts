import type { Updateable } from 'kysely'
import type { Random } from '../../lib/base/random.ts'
import { AppError, invalid } from '../../lib/errors/index.ts'
import type { Domains } from '../../model/domains/index.ts'
import { type AliasInput, slugKey } from '../../model/links/slug.ts'
import { prepareRows, type SlugsTable, type Transaction } from '../../platform/storage/index.ts'
import type { PreparedPatch } from './fields.ts'
import type { Address, Addresses, LinkRow } from './row.ts'
import { parseList, type targetOf } from './rows.ts'
import { prefixesAbove, slugOwner, slugTaken } from './taken.ts'

/**
 * What the redirect reads of a link in the rows of its slugs; `block_id` is that of all of them.
 */
type SlugTarget = ReturnType<typeof targetOf>

type Row = Omit<SlugsTable, 'block_id'> & SlugTarget

function claiming(takesHeld: boolean) {
  return prepareRows<Row, never>((db, rows) =>
    db
      .insertInto('slugs')
      .values(
        rows.map((p) => {
          const { slug_key, domain_no, workspace_no, link_seq, slug } = p
          const { target_url, redirect_status, special, block_id } = p
          const target = { target_url, redirect_status, special, block_id }
          return { slug_key, domain_no, workspace_no, link_seq, slug, ...target }
        }),
      )
      .onConflict((conflict) =>
        takesHeld
          ? conflict
              .columns(['slug_key', 'domain_no'])
              .doUpdateSet(({ ref }) => ({
                link_seq: ref('excluded.link_seq'),
                slug: ref('excluded.slug'),
                target_url: ref('excluded.target_url'),
                redirect_status: ref('excluded.redirect_status'),
                special: ref('excluded.special'),
                block_id: ref('excluded.block_id'),
              }))
              .where('slugs.link_seq', 'is', null)
              .whereRef('slugs.workspace_no', '=', 'excluded.workspace_no')
              // A blocked address stays the blocked link's.
              .where((eb) =>
                eb.or([
                  eb('slugs.block_id', 'is', null),
                  eb('slugs.block_id', '=', eb.ref('excluded.block_id')),
                ]),
              )
          : conflict.doNothing(),
      ),
  )
}
const claim = claiming(true)
const claimUnused = claiming(false)

/** An address requested for a link, as its main one or as an alias. */
export interface Claim {
  address: Address
  field: 'slug' | 'aliases'
  target: SlugTarget
}

/**
 * Takes slugs for links, all of them different. A slug held after its link was deleted can only be
 * taken by the workspace that had it, unless it must be `unused`. Returns the failed claims: their
 * slug is in use, held for another workspace, below another's prefix, blocked, or below a blocked
 * prefix.
 */
export async function claimSlugs<C extends Claim>(
  tx: Transaction,
  claims: readonly C[],
  options: { unused: boolean } = { unused: false },
): Promise<C[]> {
  const rows: Row[] = []
  for (const { address, target } of claims) {
    const above = await prefixesAbove(tx, address, target.workspace_no)
    // All addresses of a blocked link are blocked, also those below each other.
    if (above.blockId !== null && above.blockId !== target.block_id) continue
    if (above.foreign > 0 && (await slugOwner(tx, address)) === undefined) continue
    const { key: slug_key, domainNo: domain_no, slug } = address
    rows.push({ slug_key, domain_no, slug, ...target })
  }
  if (rows.length === 0) return [...claims]
  const statement = options.unused ? claimUnused : claim
  const areAll = (await tx.change(statement(rows.length), rows)) === claims.length
  const failed: C[] = []
  for (const claim of claims) {
    const { address, target } = claim
    const isTaken = areAll || (await slugOwner(tx, address))?.link_seq === target.link_seq
    if (isTaken) slugChanged(tx, address)
    else failed.push(claim)
  }
  return failed
}

/** Copies a link's changes to one of its slugs. */
export async function retargetSlug(
  tx: Transaction,
  address: Address,
  { workspace_no: _, ...target }: SlugTarget,
): Promise<void> {
  await updateSlug(tx, address, { slug: address.slug, ...target })
}

/** Removes a slug from its link, and holds it for the workspace. */
export async function holdSlug(tx: Transaction, address: Address): Promise<void> {
  await updateSlug(tx, address, { link_seq: null, target_url: null })
}

async function updateSlug(
  tx: Transaction,
  address: Address,
  values: Updateable<SlugsTable>,
): Promise<void> {
  await tx.db
    .updateTable('slugs')
    .set(values)
    .where('slug_key', '=', address.key)
    .where('domain_no', '=', address.domainNo)
    .execute()
  slugChanged(tx, address)
}

/** Deletes a slug, which becomes free. */
export async function deleteSlug(
  tx: Transaction,
  { key, domainNo }: Omit<Address, 'slug'>,
): Promise<void> {
  const slugs = tx.db.deleteFrom('slugs').where('slug_key', '=', key)
  await slugs.where('domain_no', '=', domainNo).execute()
  slugChanged(tx, { key, domainNo })
}

/** Called for every write of this table: other nodes cache slugs, and must invalidate this one. */
export function slugChanged(tx: Transaction, { key, domainNo }: Omit<Address, 'slug'>): void {
  tx.linkChanged?.({ domainNo, slugKey: key })
}

/** Which domains are case-sensitive. */
export type Cases = Pick<Domains, 'isCaseSensitive'>

/** A slug on a domain, with the key that it has there. */
export function addressOn(domainNo: number, slug: string, cases: Cases): Address {
  return { slug, key: slugKey(slug, cases.isCaseSensitive(domainNo)), domainNo }
}

/** The addresses of a stored link. */
export function addressesOf(
  row: Pick<LinkRow, 'slug' | 'domain_no' | 'aliases'>,
  cases: Cases,
): Addresses {
  const aliases = parseList(row.aliases).map((text) => {
    const colon = text.indexOf(':')
    const domainNo = colon === -1 ? row.domain_no : Number(text.slice(0, colon))
    return addressOn(domainNo, text.slice(colon + 1), cases)
  })
  return { main: addressOn(row.domain_no, row.slug, cases), aliases }
}

/** Aliases as given, by default on the domain of the main address. */
export function placeAliases(
  main: Address,
  inputs: readonly AliasInput[],
  cases: Cases,
): Address[] {
  if (inputs.length === 0) return []
  return without(
    inputs.map(({ slug, domainNo = main.domainNo }) => addressOn(domainNo, slug, cases)),
    main,
  )
}

/** The addresses after a change: old main addresses become aliases, so that they keep working. */
export function addressesAfter(
  before: Addresses,
  { slug, domain, aliases }: PreparedPatch,
  cases: Cases,
): Addresses {
  const domainNo = domain ?? before.main.domainNo
  const main = addressOn(domainNo, slug?.slug ?? before.main.slug, cases)
  if (aliases !== undefined) return { main, aliases: placeAliases(main, aliases, cases) }
  if (identity(before.main) === identity(main)) return { main, aliases: before.aliases }
  return { main, aliases: without([...before.aliases, before.main], main) }
}

function without(addresses: readonly Address[], other: Address): Address[] {
  const seen = new Set([identity(other)])
  return addresses.filter((address) => {
    const id = identity(address)
    if (seen.has(id)) return false
    seen.add(id)
    return true
  })
}

/** The unique key of an address. */
export function identity({ key, domainNo }: Omit<Address, 'slug'>): string {
  return `${domainNo}/${key}`
}

/** Main address and aliases. */
export function allOf({ main, aliases }: Addresses): Address[] {
  return [main, ...aliases]
}

/**
 * Takes all of these slugs, see {@link claimSlugs}.
 * @throws AppError SLUG_TAKEN, VALIDATION_FAILED (SLUG_BLOCKED)
 */
export async function takeSlugs(
  { random }: { random: Random },
  tx: Transaction,
  claims: readonly Claim[],
): Promise<void> {
  const [failed] = await claimSlugs(tx, claims)
  if (failed === undefined) return
  const { address, field, target } = failed
  throw await slugTaken(random, tx, address, field, target.workspace_no)
}

/** Makes `slugs` agree with a link's addresses. @throws AppError as {@link takeSlugs} does */
export async function changeAddresses(
  ctx: { random: Random },
  tx: Transaction,
  before: readonly Address[],
  after: Addresses,
  target: SlugTarget,
): Promise<void> {
  const had = new Map(before.map((address) => [identity(address), address]))
  const wanted: Claim[] = []
  for (const address of allOf(after)) {
    const field = address === after.main ? 'slug' : 'aliases'
    if (had.delete(identity(address))) await retargetSlug(tx, address, target)
    else wanted.push({ address, field, target })
  }
  await takeSlugs(ctx, tx, wanted)
  for (const address of had.values()) await holdSlug(tx, address)
}

/**
 * Checks a workspace's own domains again in the transaction, because the list in memory may be half
 * a second old. Addresses on shared domains cost nothing.
 * @param had existing addresses of the link, whose domain need not be verified any more
 * @throws AppError VALIDATION_FAILED (UNKNOWN_DOMAIN), DOMAIN_NOT_VERIFIED, SERVICE_UNAVAILABLE
 */
export async function assertUsable(
  { domains }: { domains: Domains },
  tx: Transaction,
  workspaceNo: number,
  addresses: readonly Address[],
  had: readonly Address[] = [],
): Promise<void> {
  const all = [...addresses, ...had].map(({ domainNo }) => domainNo)
  const owned = new Set(all.filter((no) => !domains.isShared(no)))
  if (owned.size === 0) return
  const rows = await tx.db
    .selectFrom('domains')
    .select(['no', 'status', 'case_sensitive'])
    .where('no', 'in', [...owned])
    .where('workspace_no', '=', workspaceNo)
    .where('status', '<>', 'removed')
    .execute()
  for (const no of owned) {
    const row = rows.find((one) => one.no === no)
    if (row === undefined) throw invalid({ field: 'domain', code: 'UNKNOWN_DOMAIN' })
    if ((row.case_sensitive === 1) !== domains.isCaseSensitive(no)) {
      // Another node has just changed the keys of its slugs.
      throw new AppError('SERVICE_UNAVAILABLE', { headers: { 'Retry-After': '1' } })
    }
    const isNew = addresses.some(
      (each) =>
        each.domainNo === no &&
        !had.some((other) => other.domainNo === no && other.key === each.key),
    )
    if (isNew && row.status !== 'active') {
      throw new AppError('DOMAIN_NOT_VERIFIED', {
        details: [{ field: 'domain', code: 'DOMAIN_NOT_VERIFIED' }],
      })
    }
  }
}
