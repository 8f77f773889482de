import { type Kysely, sql } from 'kysely'

/**
 * Makes links, many by one call: place, slug, link, audit entry. A function, because PostgreSQL
 * keeps the plans of its statements for as long as a connection lives, and parsing and planning
 * them anew takes longer than running them (see `links/create-store.ts`, which calls it).
 */
export async function up(db: Kysely<never>): Promise<void> {
  await sql.raw(MAKE_LINKS).execute(db)
}

const LINK = {
  id: 'TEXT',
  domain_no: 'BIGINT',
  slug: 'TEXT',
  slug_key: 'TEXT',
  destination_url: 'TEXT',
  target_url: 'TEXT',
  title: 'TEXT',
  notes: 'TEXT',
  tags: 'TEXT',
  aliases: 'TEXT',
  external_id: 'TEXT',
  enabled: 'SMALLINT',
  blocked: 'SMALLINT',
  redirect_status: 'SMALLINT',
  forward_query: 'SMALLINT',
  starts_at: 'BIGINT',
  expires_at: 'BIGINT',
  max_clicks: 'BIGINT',
  uses: 'BIGINT',
  fallback_url: 'TEXT',
  password_hash: 'TEXT',
  version: 'BIGINT',
  search_text: 'TEXT',
}

/** Their names in `given` begin with `e_`. */
const ENTRY = {
  at: 'BIGINT',
  actor_type: 'TEXT',
  actor_id: 'TEXT',
  actor_label: 'TEXT',
  action: 'TEXT',
  target_type: 'TEXT',
  target_id: 'TEXT',
  target_label: 'TEXT',
  version: 'BIGINT',
  before: 'TEXT',
  after: 'TEXT',
  request_id: 'TEXT',
}

const typed = (prefix: string, columns: Record<string, string>) =>
  Object.entries(columns).map(([name, type]) => `${prefix}${name} ${type}`)
const named = (prefix: string, columns: object) =>
  Object.keys(columns)
    .map((name) => prefix + name)
    .join(', ')

/**
 * `outcome` of each: 0 made; 1 its slug is somebody's, or was; 2 its external id is in use; 3 the
 * limit is reached. Nothing is written for those that are not made. The workspace is locked, so who
 * takes one of the slugs at the same time is another workspace: then the whole transaction is to be
 * repeated, which is what a serialization failure says.
 *
 * The planner is kept from reading whole tables: it would while they are small, and a plan stays.
 */
const MAKE_LINKS = `CREATE FUNCTION make_links(
    w_no BIGINT, w_limit BIGINT, w_now BIGINT, given JSON
  ) RETURNS TABLE (outcome SMALLINT, n BIGINT, made_at BIGINT, entry_no BIGINT)
  LANGUAGE plpgsql
  SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off
  AS $$
  #variable_conflict use_column
  DECLARE
    base CONSTANT BIGINT := w_no * 4294967296;
    failed BOOLEAN;
  BEGIN
    -- Most callers have locked it already; what follows looks before it writes.
    PERFORM 1 FROM workspaces WHERE no = w_no FOR NO KEY UPDATE;
    FOR outcome, n, made_at, entry_no, failed IN
    WITH given_rows AS MATERIALIZED (
      SELECT * FROM json_to_recordset(given) AS g (i BIGINT, special SMALLINT,
        ${[...typed('', LINK), ...typed('e_', ENTRY)].join(', ')})
    ), looked AS MATERIALIZED (
      SELECT g.*, CASE
          WHEN (SELECT w_limit - links_count FROM workspaces WHERE no = w_no) <= 0 THEN 3
          WHEN (SELECT 1 FROM slugs s WHERE s.slug_key = g.slug_key AND s.domain_no = g.domain_no)
            IS NOT NULL
            OR row_number() OVER (PARTITION BY g.slug_key, g.domain_no ORDER BY g.i) > 1 THEN 1
          WHEN g.external_id IS NOT NULL AND (
            (SELECT 1 FROM links l WHERE l.workspace_no = w_no AND l.external_id = g.external_id)
              IS NOT NULL
            OR row_number() OVER (PARTITION BY g.external_id ORDER BY g.i) > 1) THEN 2
          ELSE 0
        END AS outcome
      FROM given_rows g
    ), free AS MATERIALIZED (
      SELECT looked.*, row_number() OVER (ORDER BY i) AS k FROM looked WHERE looked.outcome = 0
    ), place AS MATERIALIZED (
      UPDATE workspaces w SET links_count = w.links_count + f.taken,
          links_made = w.links_made + f.taken, audit_made = w.audit_made + f.taken,
          last_link_at = greatest(w.last_link_at, w_now)
        FROM (SELECT least((SELECT count(*) FROM free), x.room) AS taken
          FROM (SELECT greatest(0, w_limit - links_count) AS room
            FROM workspaces WHERE no = w_no) x) f
        WHERE w.no = w_no AND f.taken > 0
        RETURNING f.taken, w.links_made - f.taken AS links_before,
          w.audit_made - f.taken AS entries_before, w.last_link_at AS at
    ), made AS MATERIALIZED (
      SELECT free.*, links_before + k AS n, place.at AS created, entries_before + k AS entry_no
      FROM free, place WHERE k <= taken
    ), made_slugs AS (
      INSERT INTO slugs (slug_key, domain_no, workspace_no, link_seq, slug, target_url,
          redirect_status, special)
        SELECT slug_key, domain_no, w_no, base + n, slug, target_url, redirect_status, special
        FROM made ORDER BY slug_key, domain_no
        ON CONFLICT DO NOTHING RETURNING 1
    ), made_links AS (
      INSERT INTO links (seq, workspace_no, created_at, updated_at, ${named('', LINK)})
        SELECT base + n, w_no, created, created, ${named('', LINK)} FROM made ORDER BY n
        ON CONFLICT DO NOTHING RETURNING 1
    ), entries AS (
      INSERT INTO audit (seq, ${named('', ENTRY)})
        SELECT base + entry_no, ${named('e_', ENTRY)} FROM made ORDER BY entry_no
    )
    SELECT CASE WHEN looked.outcome = 0 AND made.n IS NULL THEN 3 ELSE looked.outcome END,
        made.n, made.created, made.entry_no,
        (SELECT count(*) FROM made_slugs) < (SELECT count(*) FROM made)
          OR (SELECT count(*) FROM made_links) < (SELECT count(*) FROM made)
      FROM looked LEFT JOIN made ON made.i = looked.i ORDER BY looked.i
    LOOP
      IF failed THEN
        RAISE EXCEPTION USING ERRCODE = 'serialization_failure';
      END IF;
      RETURN NEXT;
    END LOOP;
  END $$`
