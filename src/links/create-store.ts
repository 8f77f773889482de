import { sql } from 'kysely'
import type { AuditTable, Transaction } from '../storage/index.ts'
import { LINK_COLUMNS, type NewLinkRow, type Place, prepareSql } from './store.ts'

/** A link to be made, without what only its place tells. */
export type PlacelessLink = Omit<NewLinkRow, 'seq' | 'created_at' | 'updated_at'>
/** The audit entry about it, the same way. */
export type PlacelessEntry = Omit<AuditTable, 'seq'>

/** How far the making of a link has come. */
export interface MadeAtOnce {
  place: Place
  /** The slug is the link's. Else nothing was written but the place. */
  slugTaken: boolean
  /** The link and the audit entry are there. Else the external id is in use. */
  made: boolean
}

type LinkColumn = Exclude<keyof PlacelessLink, 'workspace_no'>
const LINK = [
  ...LINK_COLUMNS.filter((name) => !/^(seq|workspace_no|created_at|updated_at)$/.test(name)),
  'search_text',
] as LinkColumn[]
const ENTRY = [
  'at',
  'actor_type',
  'actor_id',
  'actor_label',
  'action',
  'target_type',
  'target_id',
  'target_label',
  'version',
  'before',
  'after',
  'request_id',
] as const satisfies readonly (keyof PlacelessEntry)[]

interface Parameters {
  link: PlacelessLink
  entry: PlacelessEntry
}
type Flat = Record<string, unknown>

const make = prepareSql<
  Flat,
  { n: number | null; made_at: number; entry_no: number; slug_taken: boolean; made: boolean }
>((p) => {
  const named = [
    ...['w_no', 'w_limit', 'w_now', 's_special'],
    ...LINK.map((name) => `l_${name}`),
    ...ENTRY.map((name) => `e_${name}`),
  ].map((name) => sql`${sql.ref(name)} => ${p[name]}`)
  return sql`SELECT * FROM make_link(${sql.join(named)})`
})

/**
 * Takes a place in the workspace, then a slug that nobody ever had, then writes the link and the
 * audit entry: as far as it comes, in one statement (migration `0003-make-link`), because each costs
 * a way to PostgreSQL and back. Null: the plan's limit is reached.
 */
export async function makeAtOnce(
  tx: Transaction,
  { link, entry }: Parameters,
  given: { limit: number | null; now: number; special: number },
): Promise<MadeAtOnce | null> {
  const flat: Flat = {
    w_no: link.workspace_no,
    w_limit: given.limit ?? Number.MAX_SAFE_INTEGER,
    w_now: given.now,
    s_special: given.special,
  }
  for (const name of LINK) flat[`l_${name}`] = link[name]
  for (const name of ENTRY) flat[`e_${name}`] = entry[name]
  const [row] = await tx.run(make, flat)
  if (row === undefined || row.n === null) return null
  const place = { n: row.n, createdAt: row.made_at, entryNo: row.entry_no }
  return { place, slugTaken: row.slug_taken, made: row.made }
}
