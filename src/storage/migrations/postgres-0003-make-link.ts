import { type Kysely, sql } from 'kysely'

/**
 * Makes a link, as far as it comes: place, slug, link, audit entry. A function, because PostgreSQL
 * keeps the plans of its statements for as long as a connection lives, and parsing and planning
 * them anew takes longer than running them (see `links/create-store.ts`, which calls it).
 */
export async function up(db: Kysely<never>): Promise<void> {
  await sql.raw(MAKE_LINK).execute(db)
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

const parameters = (prefix: string, columns: Record<string, string>) =>
  Object.entries(columns).map(([name, type]) => `${prefix}${name} ${type}`)
const columnsOf = (columns: object) => Object.keys(columns).join(', ')
const valuesOf = (prefix: string, columns: object) =>
  Object.keys(columns)
    .map((name) => prefix + name)
    .join(', ')

const MAKE_LINK = `CREATE FUNCTION make_link(
    w_no BIGINT, w_limit BIGINT, w_now BIGINT, s_special SMALLINT,
    ${[...parameters('l_', LINK), ...parameters('e_', ENTRY)].join(', ')},
    OUT n BIGINT, OUT made_at BIGINT, OUT entry_no BIGINT, OUT slug_taken BOOLEAN,
    OUT made BOOLEAN
  ) LANGUAGE plpgsql AS $$
  DECLARE
    base CONSTANT BIGINT := w_no * 4294967296;
  BEGIN
    UPDATE workspaces SET links_count = links_count + 1, links_made = links_made + 1,
        audit_made = audit_made + 1, last_link_at = greatest(last_link_at, w_now)
      WHERE no = w_no AND links_count < w_limit
      RETURNING links_made, last_link_at, audit_made INTO n, made_at, entry_no;
    slug_taken := false;
    made := false;
    IF NOT FOUND THEN RETURN; END IF;
    INSERT INTO slugs (slug_key, domain_no, workspace_no, link_seq, slug, target_url,
        redirect_status, special)
      VALUES (l_slug_key, l_domain_no, w_no, base + n, l_slug, l_target_url,
        l_redirect_status, s_special)
      ON CONFLICT DO NOTHING;
    slug_taken := FOUND;
    IF NOT FOUND THEN RETURN; END IF;
    INSERT INTO links (seq, workspace_no, created_at, updated_at, ${columnsOf(LINK)})
      VALUES (base + n, w_no, made_at, made_at, ${valuesOf('l_', LINK)})
      ON CONFLICT DO NOTHING;
    made := FOUND;
    IF NOT FOUND THEN RETURN; END IF;
    INSERT INTO audit (seq, ${columnsOf(ENTRY)})
      VALUES (base + entry_no, ${valuesOf('e_', ENTRY)});
  END $$`
