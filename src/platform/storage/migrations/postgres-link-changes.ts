import type { Kysely } from 'kysely'
import { runAll } from './baseline.ts'

/**
 * The changes of links that nodes read to keep their memory up to date; see
 * `redirect/changed-slugs.ts`. Triggers write them, so that changes by nodes of the previous
 * version, by commands and by hand are included.
 */
export async function up(db: Kysely<never>): Promise<void> {
  await runAll(db, [
    `CREATE TABLE link_changes (
      -- The transaction that made the change, as an xid8.
      xid BIGINT NOT NULL DEFAULT pg_current_xact_id()::text::bigint,
      id BIGINT GENERATED ALWAYS AS IDENTITY,
      -- The run of the server: another one, such as a promoted standby, may use an xid again.
      server TIMESTAMPTZ NOT NULL DEFAULT pg_postmaster_start_time(),
      -- Either a slug, or all slugs of a link.
      slug_key TEXT COLLATE "C",
      domain_no BIGINT,
      link_seq BIGINT,
      PRIMARY KEY (xid, id)
    )`,
    `CREATE FUNCTION note_slug_change() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        IF TG_OP <> 'INSERT' THEN
          INSERT INTO link_changes (slug_key, domain_no) VALUES (OLD.slug_key, OLD.domain_no);
        END IF;
        IF TG_OP = 'INSERT' OR (TG_OP = 'UPDATE' AND NEW.slug_key <> OLD.slug_key) THEN
          INSERT INTO link_changes (slug_key, domain_no) VALUES (NEW.slug_key, NEW.domain_no);
        END IF;
        RETURN NULL;
      END $$`,
    `CREATE TRIGGER slugs_changed AFTER INSERT OR UPDATE OR DELETE ON slugs
      FOR EACH ROW EXECUTE FUNCTION note_slug_change()`,
    `CREATE FUNCTION note_link_used_up() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        INSERT INTO link_changes (link_seq) VALUES (NEW.seq);
        RETURN NULL;
      END $$`,
    `CREATE TRIGGER links_used_up AFTER UPDATE OF uses ON links
      FOR EACH ROW WHEN (NEW.uses = NEW.max_clicks) EXECUTE FUNCTION note_link_used_up()`,
  ])
}
