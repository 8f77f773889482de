import type { Transaction } from '../storage/index.ts'
import { parseList } from './render.ts'
import { slugKey } from './slug.ts'
import { type Address, claimSlug, holdSlug, retargetSlug, type SlugTarget } from './slug-store.ts'
import type { LinkRow } from './store.ts'
import type { AliasInput } from './types.ts'

/**
 * All the addresses of a link. Its aliases are stored as they were typed: the slug alone on the
 * link's own domain, `no/slug` where a link has moved away from another domain.
 */
export interface Addresses {
  main: Address
  aliases: Address[]
}

/** The addresses of a stored link. */
export function addressesOf(
  row: Pick<LinkRow, 'slug' | 'slug_key' | 'domain_no' | 'aliases'>,
): Addresses {
  const aliases = parseList(row.aliases).map((text) => {
    const slash = text.indexOf('/')
    const slug = text.slice(slash + 1)
    const domainNo = slash === -1 ? row.domain_no : Number(text.slice(0, slash))
    return { slug, key: slugKey(slug), domainNo }
  })
  return { main: { slug: row.slug, key: row.slug_key, domainNo: row.domain_no }, aliases }
}

/** How aliases are stored in a link's row. */
export function storedAliases({ main, aliases }: Addresses): string {
  if (aliases.length === 0) return '[]'
  return JSON.stringify(
    aliases.map(({ slug, domainNo }) =>
      domainNo === main.domainNo ? slug : `${domainNo}/${slug}`,
    ),
  )
}

/** Aliases as they were given, on the domain of the main address unless they say otherwise. */
export function placeAliases(main: Address, inputs: readonly AliasInput[]): Address[] {
  return without(
    inputs.map(({ slug, key, domainNo = main.domainNo }) => ({ slug, key, domainNo })),
    main,
  )
}

/**
 * The addresses after a change: those that the link moves away from join its aliases, so that what
 * has been published goes on working.
 */
export function moveAddresses(before: Addresses, main: Address): Addresses {
  if (isSame(before.main, main)) return { main, aliases: before.aliases }
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

function identity({ key, domainNo }: Address): string {
  return `${domainNo}/${key}`
}

function isSame(a: Address, b: Address): boolean {
  return a.key === b.key && a.domainNo === b.domainNo
}

/** Makes `slugs` agree with a link's addresses. Gives back the first that can't be had. */
export async function changeAddresses(
  tx: Transaction,
  before: Addresses,
  after: Addresses,
  target: SlugTarget,
): Promise<Address | null> {
  const had = new Set([before.main, ...before.aliases].map(identity))
  const has = [after.main, ...after.aliases]
  for (const address of has) {
    if (had.has(identity(address))) await retargetSlug(tx, address, target)
    else if (!(await claimSlug(tx, address, target))) return address
  }
  const kept = new Set(has.map(identity))
  for (const address of [before.main, ...before.aliases]) {
    if (!kept.has(identity(address))) await holdSlug(tx, address)
  }
  return null
}
