import { type Selectable, sql } from 'kysely'
import { isPartial, type View } from '../../lib/base/view.ts'
import { AppError } from '../../lib/errors/index.ts'
import {
  type DomainsTable,
  isSeen,
  raiseRevision,
  type Sql,
  type Transaction,
} from '../../platform/storage/index.ts'

/** A domain's row; those of workspaces have an id. */
export type DomainRow = Selectable<DomainsTable> & { id: string; workspace_no: number }

/** The statuses in which a host belongs to one workspace, or to all. */
const HELD = ['shared', 'active', 'failing'] as const

/** The domains of a workspace, without removed ones. */
function ofWorkspace({ db }: Sql, workspaceNo: number) {
  return db
    .selectFrom('domains')
    .selectAll()
    .where('workspace_no', '=', workspaceNo)
    .where('status', '<>', 'removed')
}

/** Domains older than `below`, newest first. */
export async function listOwned(
  sqlx: Sql,
  workspaceNo: number,
  below: string | null,
  limit: number,
  { allowed }: View = {},
): Promise<DomainRow[]> {
  let query = ofWorkspace(sqlx, workspaceNo)
  if (allowed?.domains) query = query.where('no', 'in', allowed.domains)
  if (below !== null) query = query.where('id', '<', below)
  return (await query.orderBy('id', 'desc').limit(limit).execute()) as DomainRow[]
}

/** @throws AppError DOMAIN_NOT_FOUND, also for a domain of another workspace, or one that isn't seen */
export async function findOwned(
  sqlx: Sql,
  workspaceNo: number,
  id: string,
  { allowed }: View = {},
): Promise<DomainRow> {
  const row = await ofWorkspace(sqlx, workspaceNo).where('id', '=', id).executeTakeFirst()
  if (row === undefined || allowed?.domains?.includes(row.no) === false)
    throw new AppError('DOMAIN_NOT_FOUND')
  return row as DomainRow
}

/** How many domains a workspace has. */
export async function countOwned({ db }: Sql, workspaceNo: number): Promise<number> {
  const { n } = await db
    .selectFrom('domains')
    .select(({ fn }) => fn.countAll<number>().as('n'))
    .where('workspace_no', '=', workspaceNo)
    .where('status', '<>', 'removed')
    .executeTakeFirstOrThrow()
  return Number(n)
}

/** Whether a host is taken, or claimed by this workspace. The caller holds the lock of domains. */
export async function isTaken(
  { db }: Sql,
  host: string,
  { workspaceNo, exceptNo = -1 }: { workspaceNo: number | null; exceptNo?: number },
): Promise<boolean> {
  const row = await db
    .selectFrom('domains')
    .select('no')
    .where('host', '=', host)
    .where('no', '<>', exceptNo)
    .where((eb) => {
      const isHeld = eb('status', 'in', HELD)
      if (workspaceNo === null) return isHeld
      const isOwn = eb.and([eb('workspace_no', '=', workspaceNo), eb('status', '<>', 'removed')])
      return eb.or([isHeld, isOwn])
    })
    .executeTakeFirst()
  return row !== undefined
}

/** Adds a domain under the next number. The caller holds the lock of domains. */
export async function insertOwned(tx: Transaction, row: Omit<DomainRow, 'no'>): Promise<DomainRow> {
  const { last } = await tx.db
    .selectFrom('domains')
    .select(({ fn }) => fn.max<number | null>('no').as('last'))
    .executeTakeFirstOrThrow()
  const added = { no: Number(last ?? 0) + 1, ...row }
  await tx.db.insertInto('domains').values(added).execute()
  await raiseRevision(tx, 'domains')
  return added
}

/** What processes hold in memory of a domain, and what changes. */
const IN_MEMORY = ['status', 'case_sensitive', 'slug_settings', 'robots'] as const

/** Changes a domain, and notifies all processes if data that they hold in memory has changed. */
export async function updateOwned(
  tx: Transaction,
  before: DomainRow,
  after: DomainRow,
): Promise<void> {
  const { no, ...values } = after
  await tx.db.updateTable('domains').set(values).where('no', '=', no).execute()
  if (IN_MEMORY.some((name) => before[name] !== after[name])) await raiseRevision(tx, 'domains')
}

const NOTHING = {
  root_url: null,
  not_found_url: null,
  expired_url: null,
  brand: null,
  robots: 'all',
  apple_app_site_association: null,
  assetlinks: null,
  found: '[]',
} as const

/**
 * Releases hosts. A number stays forever if slugs existed on it, so that they never resolve to
 * another workspace's links, and statistics keep the host.
 */
export async function dropOwned(tx: Transaction, nos: readonly number[]): Promise<void> {
  if (nos.length === 0) return
  await tx.db
    .updateTable('domains')
    .set({ status: 'removed', ...NOTHING })
    .where('no', 'in', nos)
    .execute()
  // No node adds to them in the meantime.
  await tx.lock('misses')
  await tx.db.deleteFrom('missed_paths').where('domain_no', 'in', nos).execute()
  await tx.db
    .deleteFrom('domains')
    .where('no', 'in', nos)
    .where(({ not, exists, selectFrom, ref }) =>
      not(
        exists(selectFrom('slugs').select('slug_key').where('domain_no', '=', ref('domains.no'))),
      ),
    )
    .execute()
  await raiseRevision(tx, 'domains')
}

/** Releases the hosts of a workspace that is being deleted. */
export async function dropOwnedOf(tx: Transaction, workspaceNo: number): Promise<void> {
  const rows = await ofWorkspace(tx, workspaceNo).execute()
  await dropOwned(
    tx,
    rows.map(({ no }) => no),
  )
}

/** How many links that a reader can see have an address on each of these domains. */
export async function countLinks(
  { db }: Sql,
  nos: readonly number[],
  view: View = {},
): Promise<ReadonlyMap<number, number>> {
  if (nos.length === 0) return new Map()
  const rows = await db
    .selectFrom('slugs')
    .select('domain_no')
    .select(({ fn }) => fn.count<number>('link_seq').distinct().as('n'))
    // Has the exact condition of the partial index.
    .where(sql<boolean>`domain_no <> 0`)
    .where('domain_no', 'in', nos)
    .where('link_seq', 'is not', null)
    .$if(isPartial(view), (query) =>
      query.where(sql<boolean>`EXISTS (SELECT 1 FROM links l
        WHERE l.seq = slugs.link_seq AND ${isSeen(view)})`),
    )
    .groupBy('domain_no')
    .execute()
  return new Map(rows.map(({ domain_no, n }) => [domain_no, Number(n)]))
}

/** Domains whose record was looked up longest ago, before a time. */
export async function listUnchecked(
  { db }: Sql,
  before: number,
  limit: number,
): Promise<DomainRow[]> {
  const rows = await db
    .selectFrom('domains')
    .selectAll()
    .where('status', 'in', ['active', 'failing'])
    .where('checked_at', '<', before)
    .orderBy('checked_at')
    .limit(limit)
    .execute()
  return rows as DomainRow[]
}

/** Claims a lookup, so that no other node makes it too. False: another node has. */
export async function takeCheck(tx: Transaction, row: DomainRow, now: number): Promise<boolean> {
  const taken = await tx.db
    .updateTable('domains')
    .set({ checked_at: now })
    .where('no', '=', row.no)
    .where('checked_at', '=', row.checked_at)
    .returning('no')
    .execute()
  return taken.length > 0
}

/** The domains of all workspaces, with the id of each. */
export async function listAllOwned({ db }: Sql) {
  const rows = await db
    .selectFrom('domains as d')
    .innerJoin('workspaces as w', 'w.no', 'd.workspace_no')
    .select(['d.id', 'd.host', 'd.status', 'd.checked_at', 'w.id as workspace'])
    .where('d.status', '<>', 'removed')
    .orderBy('d.host')
    .orderBy('d.no')
    .execute()
  return rows.map(({ id, checked_at, ...row }) => ({
    ...row,
    id: id ?? '',
    checked_at: checked_at === null ? null : new Date(checked_at).toISOString(),
  }))
}
