import { sql } from 'kysely'
import type { AuditTable, Gathered } from '../storage/index.ts'
import { LINK_COLUMNS, type NewLinkRow, type Place, prepareSql } from './store.ts'

/** A link to be made, without what only its place tells. */
export type PlacelessLink = Omit<NewLinkRow, 'seq' | 'created_at' | 'updated_at'>
/** The audit entry about it, the same way. */
export type PlacelessEntry = Omit<AuditTable, 'seq'>

/** What is to be made. */
export interface ToMake {
  link: PlacelessLink
  entry: PlacelessEntry
  /** How many links the plan allows; null: any number. */
  limit: number | null
  now: number
  /** As the redirect reads it; see `isSpecial`. */
  special: number
}

/** The link's place; or why nothing was written. */
export type MadeAtOnce = Place | 'slug_taken' | 'external_id_taken' | 'limit'

const REFUSALS = [undefined, 'slug_taken', 'external_id_taken', 'limit'] as const

const LINK = [
  ...LINK_COLUMNS.filter((name) => !/^(seq|workspace_no|created_at|updated_at)$/.test(name)),
  'search_text',
] as Exclude<keyof PlacelessLink, 'workspace_no'>[]
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

const make = prepareSql<
  { no: number; limit: number; now: number; given: string },
  { outcome: 0 | 1 | 2 | 3; n: number; made_at: number; entry_no: number }
>((p) => sql`SELECT * FROM make_links(${p.no}, ${p.limit}, ${p.now}, ${p.given})`)

/**
 * Makes links of one workspace: each takes a place in it and a slug that nobody ever had, and has
 * its audit entry. Many by one statement (migration `0003-make-link`), because each costs a way to
 * PostgreSQL and back, and more to be begun than to be run.
 */
export const makeAtOnce: Gathered<ToMake, MadeAtOnce> = async (tx, all) => {
  const { no, limit, now } = common(all)
  const given = jsonOf(all.map(flatten))
  const rows = await tx.run(make, { no, limit, now, given })
  return rows.map(
    ({ outcome, n, made_at, entry_no }) =>
      REFUSALS[outcome] ?? { n, createdAt: made_at, entryNo: entry_no },
  )
}

/** Those that share a commit are of one workspace; its plan may just have changed. */
function common(all: readonly ToMake[]) {
  return {
    no: all[0]?.link.workspace_no ?? 0,
    limit: Math.min(...all.map(({ limit }) => limit ?? Number.MAX_SAFE_INTEGER)),
    now: Math.max(...all.map((one) => one.now)),
  }
}

/** What isn't there is null. */
function flatten({ link, entry, special }: ToMake, i: number): Record<string, unknown> {
  const flat: Record<string, unknown> = { i, special }
  for (const name of LINK) if (link[name] !== null) flat[name] = link[name]
  for (const name of ENTRY) if (entry[name] !== null) flat[`e_${name}`] = entry[name]
  return flat
}

/** What PostgreSQL can't hold, escaped: U+0000, and halves of surrogate pairs. */
const UNSTORABLE = /\\u(?:0000|d[89a-f])/i

/** JSON as PostgreSQL reads it; what it can't hold is U+FFFD, as in any parameter. */
function jsonOf(rows: readonly Record<string, unknown>[]): string {
  const text = JSON.stringify(rows)
  if (!UNSTORABLE.test(text)) return text
  return JSON.stringify(rows, (_, value) =>
    typeof value === 'string' ? value.toWellFormed().replaceAll('\0', '\uFFFD') : value,
  )
}
