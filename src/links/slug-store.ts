import { prepare, type SlugsTable, type Sql, type Transaction } from '../storage/index.ts'
import type { SlugName } from './slug.ts'

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
  /** The block of the link, which all its addresses share. */
  block_id: string | null
}

type Row = Omit<SlugsTable, 'block_id'> & SlugTarget

const COLUMNS = [
  'slug_key',
  'domain_no',
  'workspace_no',
  'link_seq',
  'slug',
  'target_url',
  'redirect_status',
  'special',
  'block_id',
] as const satisfies readonly (keyof Row)[]

const pick = (p: Row, columns: readonly (keyof Row)[]) =>
  Object.fromEntries(columns.map((name) => [name, p[name]])) as unknown as Row

/** What a claim of a held slug, or a change of its link, writes. */
const targetColumns = (p: Row) =>
  pick(p, ['link_seq', 'slug', 'target_url', 'redirect_status', 'special', 'block_id'])

const claim = prepare<Row, { slug_key: string }>((db, p) =>
  db
    .insertInto('slugs')
    .values(pick(p, COLUMNS))
    .onConflict((conflict) =>
      conflict
        .columns(['slug_key', 'domain_no'])
        .doUpdateSet(targetColumns(p))
        .where('slugs.link_seq', 'is', null)
        .where('slugs.workspace_no', '=', p.workspace_no)
        // A blocked address is the blocked link's alone.
        .where((eb) =>
          eb.or([eb('slugs.block_id', 'is', null), eb('slugs.block_id', '=', p.block_id)]),
        ),
    )
    .returning('slug_key'),
)

/**
 * Takes a slug for a link. One that is held back can be taken again by the workspace that had it.
 * False: it is in use, held for another workspace, or blocked.
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
  { workspace_no: number; link_seq: number | null; block_id: string | null }
>((db, p) =>
  db
    .selectFrom('slugs')
    .select(['workspace_no', 'link_seq', 'block_id'])
    .where('slug_key', '=', p.key)
    .where('domain_no', '=', p.domainNo),
)

/** The workspace and link that have or had a slug, and its block; undefined: it is unknown. */
export async function slugOwner(sql: Sql, { key, domainNo }: Address) {
  return (await sql.run(ownerOf, { key, domainNo }))[0]
}

/** Stands for the workspace of a blocked address that no workspace ever had. */
const UNOWNED = 0

/** Blocks an address that no link has now. False: a link has it, or it is blocked already. */
export async function blockFreeSlug(
  tx: Transaction,
  address: Address,
  blockId: string,
): Promise<boolean> {
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
  return changed(tx, address, row !== undefined)
}

/** Ends a block of addresses; those that no workspace ever had are free again. */
export async function unblockSlugs(tx: Transaction, blockId: string): Promise<void> {
  const rows = await tx.db
    .updateTable('slugs')
    .set({ block_id: null })
    .where('block_id', '=', blockId)
    .returning(['slug_key', 'domain_no', 'slug', 'workspace_no'])
    .execute()
  for (const { slug_key: key, domain_no: domainNo, slug, workspace_no } of rows) {
    if (workspace_no === UNOWNED) {
      await tx.db
        .deleteFrom('slugs')
        .where('slug_key', '=', key)
        .where('domain_no', '=', domainNo)
        .execute()
    }
    changed(tx, { key, domainNo, slug })
  }
}

function rowOf({ key, domainNo, slug }: Address, target: SlugTarget): Row {
  return { slug_key: key, domain_no: domainNo, slug, ...target }
}
