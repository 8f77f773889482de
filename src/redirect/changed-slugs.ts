import { sql } from 'kysely'
import type { LinkChange, Storage } from '../platform/storage/index.ts'
import { foundOf, type SelectedSlug, selectSlugs } from './fetch-slug.ts'
import type { SlugRow } from './resolver.ts'

/** Changes read per statement: few enough not to delay visits. */
export const CHANGES_A_PAGE = 500
/** The greatest BIGINT, which no change has. */
const LAST_ID = '9223372036854775807'
/** Rows deleted per transaction. */
const TRIM_STEP = 10_000

/**
 * A moment of the database. It is a snapshot instead of a number or a time, because a transaction
 * may begin before another one and commit after it: what isn't visible in the snapshot is read next
 * time, whatever its order.
 */
export interface Mark {
  /** The run of the server. */
  server: string
  /** A `pg_snapshot`. */
  snapshot: string
  /** Milliseconds since the Unix epoch, by the server's clock. */
  at: number
}

/** Where a page of changes ended. */
export type ChangePosition = Pick<Row, 'xid' | 'id'>

/** A change and its slug now; null: there is none, or the change is one of a link. */
export interface ChangedSlug {
  change: LinkChange
  slug: SlugRow | null
}

/** A page of changes. */
export interface ChangePage {
  /** When it was read. */
  mark: Mark
  changes: ChangedSlug[]
  /** The position of the next page; null: this was the last one. */
  next: ChangePosition | null
}

type Row = Mark &
  SelectedSlug & {
    xid: number
    id: number
    changed_key: string | null
    changed_no: number | null
    changed_seq: number | null
    /** Null: there is no such slug. */
    found: boolean | null
  }

/**
 * Reads changes of links that weren't visible at `since`, a page at a time, each with its slug as it
 * is now. Null: only the mark. @throws StorageUnavailable
 */
export async function readChanges(
  { read }: Pick<Storage, 'read'>,
  since: Mark | null,
  { xid, id }: ChangePosition = { xid: 0, id: 0 },
): Promise<ChangePage> {
  const snapshot = sql`${since?.snapshot ?? null}::pg_snapshot`
  // Changes of an earlier run of the server do no harm: each only leads to a read.
  const some = sql`SELECT * FROM link_changes WHERE (xid, id) >`
  const page = sql`ORDER BY xid, id LIMIT ${CHANGES_A_PAGE}`
  // One lower bound for the newer ones: with two of them, PostgreSQL would read all earlier entries.
  const next = sql`pg_snapshot_xmax(${snapshot})::text::bigint`
  const isNewer = sql`${xid}::bigint >= ${next}`
  const start = sql`(CASE WHEN ${isNewer} THEN ${xid}::bigint ELSE ${next} - 1 END,
    CASE WHEN ${isNewer} THEN ${id}::bigint ELSE ${LAST_ID}::bigint END)`
  const { rows } = await sql<Row>`
    WITH changes AS (
      (${some} (${xid}, ${id})
        AND xid = ANY (ARRAY(SELECT pg_snapshot_xip(${snapshot})::text::bigint)) ${page})
      UNION ALL
      (${some} ${start} ${page})
      ${page}
    )
    SELECT now.*, c.xid, c.id, c.slug_key AS changed_key, c.domain_no AS changed_no,
      c.link_seq AS changed_seq, s.*
    FROM (
      SELECT extract(epoch FROM pg_postmaster_start_time())::text AS server,
        pg_current_snapshot()::text AS snapshot,
        (extract(epoch FROM statement_timestamp()) * 1000)::bigint AS at
    ) now
    LEFT JOIN changes c ON true
    LEFT JOIN LATERAL ${selectSlugs(read.db)
      .select(sql<boolean>`true`.as('found'))
      .whereRef('s.slug_key', '=', sql.ref('c.slug_key'))
      .whereRef('s.domain_no', '=', sql.ref('c.domain_no'))} s ON true
    ORDER BY c.xid, c.id`.execute(read.db)
  const [first] = rows as [Row]
  const changes = rows.filter((row) => row.xid !== null).map(changeOf)
  return {
    mark: { server: first.server, snapshot: first.snapshot, at: first.at },
    changes,
    next: changes.length === CHANGES_A_PAGE ? (rows.at(-1) as Row) : null,
  }
}

function changeOf(row: Row): ChangedSlug {
  const { changed_key, changed_no, changed_seq } = row
  if (changed_seq !== null) return { change: { linkSeq: changed_seq }, slug: null }
  const change = { slugKey: changed_key as string, domainNo: changed_no as number }
  return { change, slug: row.found ? foundOf(row) : null }
}

/** Deletes the changes visible at `until`, and those of earlier runs. @throws StorageUnavailable */
export async function trimChanges({ write }: Pick<Storage, 'write'>, until: Mark): Promise<void> {
  const step = () =>
    write(
      async ({ db }) =>
        (
          await sql`DELETE FROM link_changes WHERE (xid, id) IN (
            SELECT xid, id FROM link_changes
            WHERE xid < pg_snapshot_xmin(${until.snapshot}::pg_snapshot)::text::bigint
              OR server <> pg_postmaster_start_time()
            LIMIT ${TRIM_STEP})`.execute(db)
        ).numAffectedRows ?? 0n,
      { survives: 'process' },
    )
  while ((await step()) >= TRIM_STEP);
}
