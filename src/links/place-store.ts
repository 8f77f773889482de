import { sql } from 'kysely'
import { prepare, type Transaction } from '../storage/index.ts'

/** What a plan allows of links, and of their slugs and aliases together; null: any number. */
export interface LinkLimits {
  readonly links: number | null
  readonly addresses: number | null
}

const takeNumbers = prepare<
  {
    workspaceNo: number
    made: number
    now: number
    addresses: number
    linksMax: number
    addressesMax: number
  },
  { links_made: number; last_link_at: number; audit_made: number }
>((db, p) =>
  db
    .updateTable('workspaces')
    .set((eb) => ({
      links_count: eb('links_count', '+', 1),
      addresses_count: eb('addresses_count', '+', p.addresses),
      links_made: eb('links_made', '+', p.made),
      audit_made: eb('audit_made', '+', 1),
      last_link_at: sql<number>`CASE WHEN last_link_at > ${p.now} THEN last_link_at ELSE ${p.now} END`,
    }))
    .where('no', '=', p.workspaceNo)
    .where('links_count', '<=', p.linksMax)
    .where('addresses_count', '<=', p.addressesMax)
    .returning(['links_made', 'last_link_at', 'audit_made']),
)

/** A new link's place in its workspace. */
export interface Place {
  n: number
  /** Never before the link before. */
  createdAt: number
  /** The number of the audit entry about it, taken in the same statement. */
  entryNo: number
}

/**
 * Takes the next link's place in a workspace, with so many addresses, if its plan allows them.
 * Null: a limit is reached.
 */
export async function takePlace(
  tx: Transaction,
  workspaceNo: number,
  limits: LinkLimits,
  addresses: number,
  now: number,
): Promise<Place | null> {
  const room = { addresses, ...roomOf(limits, addresses) }
  const [row] = await tx.run(takeNumbers, { workspaceNo, made: 1, now, ...room })
  if (row === undefined) return null
  return { n: row.links_made, createdAt: row.last_link_at, entryNo: row.audit_made }
}

/**
 * Counts a link again that comes back, if the plan allows it and its addresses. Gives back the
 * number of the audit entry about it; null: a limit is reached.
 */
export async function takePlaceBack(
  tx: Transaction,
  workspaceNo: number,
  limits: LinkLimits,
  addresses: number,
): Promise<number | null> {
  const room = { addresses, ...roomOf(limits, addresses) }
  const [row] = await tx.run(takeNumbers, { workspaceNo, made: 0, now: 0, ...room })
  return row?.audit_made ?? null
}

/** What may be counted before one more link with so many addresses. */
function roomOf({ links, addresses }: LinkLimits, added: number) {
  return {
    linksMax: (links ?? Number.MAX_SAFE_INTEGER) - 1,
    addressesMax: (addresses ?? Number.MAX_SAFE_INTEGER) - added,
  }
}

const giveBack = prepare<{ workspaceNo: number; addresses: number }, never>((db, p) =>
  db
    .updateTable('workspaces')
    .set((eb) => ({
      links_count: eb('links_count', '-', 1),
      addresses_count: eb('addresses_count', '-', p.addresses),
    }))
    .where('no', '=', p.workspaceNo),
)

/** Counts one link less in a workspace, and its addresses. */
export async function givePlaceBack(
  tx: Transaction,
  workspaceNo: number,
  addresses: number,
): Promise<void> {
  await tx.run(giveBack, { workspaceNo, addresses })
}

/** Counts more addresses of a workspace, or fewer. False: its plan doesn't allow that many. */
export async function countAddresses(
  tx: Transaction,
  workspaceNo: number,
  limit: number | null,
  added: number,
): Promise<boolean> {
  if (added === 0) return true
  let update = tx.db
    .updateTable('workspaces')
    .set((eb) => ({ addresses_count: eb('addresses_count', '+', added) }))
    .where('no', '=', workspaceNo)
  // Who has too many after a change of the plan can still give some up.
  if (added > 0 && limit !== null) update = update.where('addresses_count', '<=', limit - added)
  return (await update.executeTakeFirst()).numUpdatedRows > 0n
}

/** How many links a workspace has. */
export async function linksCount(tx: Transaction, workspaceNo: number): Promise<number> {
  const { links_count } = await tx.db
    .selectFrom('workspaces')
    .select('links_count')
    .where('no', '=', workspaceNo)
    .executeTakeFirstOrThrow()
  return links_count
}
