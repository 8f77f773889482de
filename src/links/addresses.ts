import type { Updateable } from 'kysely'
import type { Random } from '../base/random.ts'
import type { Domains } from '../domains/index.ts'
import { prepare, type SlugsTable, type Transaction } from '../storage/index.ts'
import type { PreparedPatch } from './fields.ts'
import { hasPlaceholder } from './placeholders.ts'
import { blockOf, parseList } from './rows.ts'
import { type AliasInput, type SlugName, SPECIAL_PREFIX, slugKey } from './slug.ts'
import type { LinkRow } from './store.ts'
import { prefixAbove, slugOwner, slugTaken } from './taken.ts'

/** A slug on a domain. */
export interface Address extends SlugName {
  domainNo: number
}

/** What the redirect reads of a link in the rows of its slugs; `block_id` is that of all of them. */
export type SlugTarget = ReturnType<typeof targetOf>

/** What a link's slugs say of it. With conditions it is special: the redirect reads its row too. */
export function targetOf(row: LinkRow) {
  const { workspace_no, seq, target_url, redirect_status } = row
  const isPrefix = row.match_prefix !== 0
  const isSpecial =
    row.enabled === 0 ||
    row.forward_query !== 0 ||
    row.starts_at !== null ||
    row.expires_at !== null ||
    row.max_clicks !== null ||
    row.rules !== null ||
    row.variants !== null ||
    row.password_hash !== null ||
    row.social !== null ||
    row.tracking !== 'full' ||
    hasPlaceholder(target_url)
  return {
    workspace_no,
    link_seq: seq,
    target_url,
    redirect_status,
    special: isPrefix ? SPECIAL_PREFIX : Number(isSpecial),
    block_id: blockOf(row)?.id ?? null,
  }
}

type Row = Omit<SlugsTable, 'block_id'> & SlugTarget

function claiming(takesHeld: boolean) {
  return prepare<Row, { slug_key: string }>((db, p) => {
    const { slug_key, domain_no, workspace_no } = p
    const { link_seq, slug, target_url, redirect_status, special, block_id } = p
    const changing = { link_seq, slug, target_url, redirect_status, special, block_id }
    return db
      .insertInto('slugs')
      .values({ slug_key, domain_no, workspace_no, ...changing })
      .onConflict((conflict) =>
        takesHeld
          ? conflict
              .columns(['slug_key', 'domain_no'])
              .doUpdateSet(changing)
              .where('slugs.link_seq', 'is', null)
              .where('slugs.workspace_no', '=', workspace_no)
              // A blocked address is the blocked link's alone.
              .where((eb) =>
                eb.or([eb('slugs.block_id', 'is', null), eb('slugs.block_id', '=', block_id)]),
              )
          : conflict.doNothing(),
      )
      .returning('slug_key')
  })
}
const claim = claiming(true)
const claimUnused = claiming(false)

/**
 * Takes a slug for a link. One that is held back can be taken again by the workspace that had it,
 * unless it must be `unused`. False: it is in use, held for another workspace, below a prefix of
 * another one, or blocked.
 */
export async function claimSlug(
  tx: Transaction,
  address: Address,
  target: SlugTarget,
  options: { unused: boolean } = { unused: false },
): Promise<boolean> {
  const isBelow = (await prefixAbove(tx, address, target.workspace_no)) > 0
  if (isBelow && (await slugOwner(tx, address)) === undefined) return false
  const { key: slug_key, domainNo: domain_no, slug } = address
  const row = { slug_key, domain_no, slug, ...target }
  const claimed = await tx.run(options.unused ? claimUnused : claim, row)
  if (claimed.length === 0) return false
  slugChanged(tx, address)
  return true
}

/** Copies a link's changes to one of its slugs. */
export async function retargetSlug(
  tx: Transaction,
  address: Address,
  { workspace_no: _, ...target }: SlugTarget,
): Promise<void> {
  await updateSlug(tx, address, { slug: address.slug, ...target })
}

/** Takes a slug from its link, and holds it back from other workspaces. */
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

/** Every write of this table passes here: other nodes remember slugs, and must forget this one. */
export function slugChanged(tx: Transaction, { key, domainNo }: Omit<Address, 'slug'>): void {
  tx.linkChanged?.({ domainNo, slugKey: key })
}

/**
 * All the addresses of a link. Its aliases are stored as they were typed: the slug alone on the
 * link's own domain, `no:slug` where a link has moved away from another domain.
 */
export interface Addresses {
  main: Address
  aliases: Address[]
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

/** Aliases as they were given, on the domain of the main address unless they say otherwise. */
export function placeAliases(
  main: Address,
  inputs: readonly AliasInput[],
  cases: Cases,
): Address[] {
  return without(
    inputs.map(({ slug, domainNo = main.domainNo }) => addressOn(domainNo, slug, cases)),
    main,
  )
}

/**
 * The addresses after a change: those that the link moves away from join its aliases, so that what
 * has been published goes on working.
 */
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

/** What tells addresses apart. */
export function identity({ key, domainNo }: Address): string {
  return `${domainNo}/${key}`
}

/** Main address and aliases. */
export function allOf({ main, aliases }: Addresses): Address[] {
  return [main, ...aliases]
}

/**
 * Takes slugs for a link; `main` is the one that is no alias.
 * @throws AppError SLUG_TAKEN, VALIDATION_FAILED (SLUG_BLOCKED)
 */
export async function claimSlugs(
  { random }: { random: Random },
  tx: Transaction,
  wanted: readonly Address[],
  main: Address,
  target: SlugTarget,
): Promise<void> {
  for (const address of wanted) {
    if (await claimSlug(tx, address, target)) continue
    const field = address === main ? 'slug' : 'aliases'
    throw await slugTaken(random, tx, address, field, target.workspace_no)
  }
}

/** Makes `slugs` agree with a link's addresses. @throws AppError as {@link claimSlugs} does */
export async function changeAddresses(
  ctx: { random: Random },
  tx: Transaction,
  before: readonly Address[],
  after: Addresses,
  target: SlugTarget,
): Promise<void> {
  const had = new Map(before.map((address) => [identity(address), address]))
  for (const address of allOf(after)) {
    if (had.delete(identity(address))) await retargetSlug(tx, address, target)
    else await claimSlugs(ctx, tx, [address], after.main, target)
  }
  for (const address of had.values()) await holdSlug(tx, address)
}
