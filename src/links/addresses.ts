import { prepare, type SlugsTable, type Sql, type Transaction } from '../storage/index.ts'
import { parseList } from './render.ts'
import { type SlugName, slugKey } from './slug.ts'
import { isSpecial } from './status.ts'
import type { AliasInput, LinkRow } from './types.ts'

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

/** A slug on a domain. */
export interface Address extends SlugName {
  domainNo: number
}

/** What the redirect reads of a slug's link. */
export interface SlugTarget {
  workspace_no: number
  link_seq: number
  target_url: string
  redirect_status: number
  special: number
}

type Row = SlugsTable & { link_seq: number; target_url: string }

const COLUMNS = [
  'slug_key',
  'domain_no',
  'workspace_no',
  'link_seq',
  'slug',
  'target_url',
  'redirect_status',
  'special',
] as const satisfies readonly (keyof Row)[]

const pick = (p: Row, columns: readonly (keyof Row)[]) =>
  Object.fromEntries(columns.map((name) => [name, p[name]])) as unknown as Row

/** What a claim of a held slug, or a change of its link, writes. */
const targetColumns = (p: Row) =>
  pick(p, ['link_seq', 'slug', 'target_url', 'redirect_status', 'special'])

const claim = prepare<Row, { slug_key: string }>((db, p) =>
  db
    .insertInto('slugs')
    .values(pick(p, COLUMNS))
    .onConflict((conflict) =>
      conflict
        .columns(['slug_key', 'domain_no'])
        .doUpdateSet(targetColumns(p))
        .where('slugs.link_seq', 'is', null)
        .where('slugs.workspace_no', '=', p.workspace_no),
    )
    .returning('slug_key'),
)

/**
 * Takes a slug for a link. One that is held back can be taken again by the workspace that had it.
 * False: it is in use, or held for another workspace.
 */
export async function claimSlug(
  tx: Transaction,
  address: Address,
  target: SlugTarget,
): Promise<boolean> {
  return changed(tx, address, (await tx.run(claim, rowOf(address, target))).length > 0)
}

const claimUnused = prepare<Row, { slug_key: string }>((db, p) =>
  db
    .insertInto('slugs')
    .values(pick(p, COLUMNS))
    .onConflict((conflict) => conflict.doNothing())
    .returning('slug_key'),
)

/** Takes a slug that no link ever had. False: a link has or had it. */
export async function claimUnusedSlug(
  tx: Transaction,
  address: Address,
  target: SlugTarget,
): Promise<boolean> {
  return changed(tx, address, (await tx.run(claimUnused, rowOf(address, target))).length > 0)
}

const retarget = prepare<Row, never>((db, p) =>
  db
    .updateTable('slugs')
    .set(targetColumns(p))
    .where('slug_key', '=', p.slug_key)
    .where('domain_no', '=', p.domain_no),
)

/** Copies a link's changes to one of its slugs. */
export async function retargetSlug(
  tx: Transaction,
  address: Address,
  target: SlugTarget,
): Promise<void> {
  await tx.run(retarget, rowOf(address, target))
  changed(tx, address)
}

const hold = prepare<{ key: string; domainNo: number }, never>((db, p) =>
  db
    .updateTable('slugs')
    .set({ link_seq: null, target_url: null })
    .where('slug_key', '=', p.key)
    .where('domain_no', '=', p.domainNo),
)

/** Takes a slug from its link, and holds it back from other workspaces. */
export async function holdSlug(tx: Transaction, address: Address): Promise<void> {
  await tx.run(hold, { key: address.key, domainNo: address.domainNo })
  changed(tx, address)
}

/** Every write of this table passes here: other nodes remember slugs, and must forget this one. */
function changed(tx: Transaction, { key, domainNo }: Address, isChanged = true): boolean {
  if (isChanged) tx.linkChanged?.({ domainNo, slugKey: key })
  return isChanged
}

/** Of some slugs of a domain, those that a link has or had. */
export async function knownSlugs(
  sql: Sql,
  domainNo: number,
  keys: readonly string[],
): Promise<Set<string>> {
  const rows = await sql.db
    .selectFrom('slugs')
    .select('slug_key')
    .where('domain_no', '=', domainNo)
    .where('slug_key', 'in', keys)
    .execute()
  return new Set(rows.map((row) => row.slug_key))
}

const ownerOf = prepare<
  { key: string; domainNo: number },
  { workspace_no: number; link_seq: number | null }
>((db, p) =>
  db
    .selectFrom('slugs')
    .select(['workspace_no', 'link_seq'])
    .where('slug_key', '=', p.key)
    .where('domain_no', '=', p.domainNo),
)

/** The workspace and link that have a slug, or had it; undefined: no link ever had it. */
export async function slugOwner(sql: Sql, { key, domainNo }: Address) {
  return (await sql.run(ownerOf, { key, domainNo }))[0]
}

/** The link that a slug leads to. */
export async function linkOfSlug(
  sql: Sql,
  domainNo: number,
  key: string,
): Promise<number | undefined> {
  const row = await sql.db
    .selectFrom('slugs')
    .select('link_seq')
    .where('domain_no', '=', domainNo)
    .where('slug_key', '=', key)
    .executeTakeFirst()
  return row?.link_seq ?? undefined
}

function rowOf({ key, domainNo, slug }: Address, target: SlugTarget): Row {
  return { slug_key: key, domain_no: domainNo, slug, ...target }
}

/** What the redirect is to read in the rows of a link's slugs. */
export function targetOf(row: Omit<LinkRow, 'uses'>): SlugTarget {
  return {
    workspace_no: row.workspace_no,
    link_seq: row.seq,
    target_url: row.target_url,
    redirect_status: row.redirect_status,
    special: isSpecial(row),
  }
}
