import pg from 'pg'
import { SEQS_PER_WORKSPACE } from '../../src/platform/storage/index.ts'
import type { SeedOptions } from './seed.ts'

/** `slugAt(n)` in PostgreSQL. */
const SLUG = `'s' || ${[5, 4, 3, 2, 1, 0]
  .map((place) => `substr('0123456789abcdefghijklmnopqrstuvwxyz', n / ${36 ** place} % 36 + 1, 1)`)
  .join(' || ')}`

/**
 * The links of `seedLinks` in PostgreSQL, with the counters that the click worker creates. Indexes
 * are rebuilt afterwards, which takes a fraction of the time.
 */
export async function seedPostgres(url: string, options: SeedOptions): Promise<void> {
  const { workspaceNo, links, rare = 0, common = 0, statuses = false, tags = 50 } = options
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await client.query(
    "SET synchronous_commit = off; SET maintenance_work_mem = '1GB'; SET work_mem = '256MB'",
  )
  const base = workspaceNo * SEQS_PER_WORKSPACE
  const start = Date.now() - links
  const has = (word: string, times: number) => {
    const every = times > 0 ? Math.floor(links / times) : links
    return `CASE WHEN n % ${every} = 0 AND n / ${every} < ${times} THEN ' ${word}' ELSE '' END`
  }
  const { rows: indexes } = await client.query<{ name: string; definition: string }>(
    `SELECT indexrelid::regclass AS name, pg_get_indexdef(indexrelid) AS definition FROM pg_index
     WHERE indrelid IN ('links'::regclass, 'link_counters'::regclass)
       AND NOT EXISTS (SELECT 1 FROM pg_constraint WHERE conindid = indexrelid)`,
  )
  for (const { name } of indexes) await client.query(`DROP INDEX ${name}`)
  await client.query(
    `INSERT INTO links (seq, id, workspace_no, domain_no, slug, slug_key, destination_url,
       target_url, title, notes, tag_nos, aliases, external_id, enabled, redirect_status,
       forward_query, created_at, updated_at, version, search_text, expires_at)
     SELECT seq, 'lnk_' || lpad(seq::text, 26, '0'), ${workspaceNo}, 0, slug, slug, url, url, title,
       NULL, '[' || tag || ']', '[]', NULL, ${statuses ? 'CASE WHEN n % 97 = 1 THEN 0 ELSE 1 END' : 1},
       302, 0, at, at, 1, slug || E'\\n' || url || E'\\n' || lower(title),
       ${statuses ? 'CASE WHEN n % 19 = 7 THEN at + 1 END' : 'NULL::bigint'}
     FROM (
       SELECT n, ${base} + n + 1 AS seq, ${SLUG} AS slug, ${start} + n AS at, n % ${tags} + 1 AS tag,
         'Article ' || n || ${has('zyxrare', rare)} || ${has('commonword', common)} AS title,
         'https://example.com/articles/' || n || '?ref=' || (n * 2654435761) % 1000003 AS url
       FROM generate_series(0, ${links - 1}) AS n
     ) given`,
  )
  const ours = `FROM links WHERE seq BETWEEN ${base + 1} AND ${base + links}`
  await client.query(
    `INSERT INTO slugs (slug_key, domain_no, workspace_no, link_seq, slug, target_url,
       redirect_status, special)
     SELECT slug, 0, ${workspaceNo}, seq, slug, target_url, 302,
       CASE WHEN enabled = 0 OR expires_at IS NOT NULL THEN 1 ELSE 0 END ${ours}`,
  )
  await client.query(
    `INSERT INTO link_tags (workspace_no, tag_no, link_seq)
     SELECT ${workspaceNo}, (tag_nos::json ->> 0)::bigint AS tag, seq ${ours} ORDER BY tag, seq`,
  )
  await client.query(
    `INSERT INTO tags (workspace_no, no, id, key, name, search_text, colour, created_at, updated_at,
       version)
     SELECT ${workspaceNo}, n + 1, 'tag_' || lpad(n::text, 26, '0'), 'tag' || n, 'tag' || n, 'tag' || n,
       'blue', 0, 0, 1 FROM generate_series(0, ${tags - 1}) n`,
  )
  await client.query(
    `INSERT INTO link_counters (link_seq, workspace_no) SELECT seq, ${workspaceNo} ${ours}
     ON CONFLICT DO NOTHING`,
  )
  await client.query(
    `INSERT INTO counter_watermarks (workspace_no, link_seq) VALUES (${workspaceNo}, ${base + links})
     ON CONFLICT (workspace_no) DO UPDATE SET link_seq = excluded.link_seq`,
  )
  await client.query(
    `UPDATE workspaces SET links_count = links_count + $1, links_made = links_made + $1,
      tags_made = ${tags}, last_link_at = $2 WHERE no = $3`,
    [links, start + links, workspaceNo],
  )
  for (const { definition } of indexes) await client.query(definition)
  await client.query('VACUUM (ANALYZE)')
  await client.end()
}
