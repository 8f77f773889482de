import pg from 'pg'
import { SEQS_PER_WORKSPACE } from '../../src/storage/index.ts'
import type { SeedOptions } from './seed.ts'
import { slugAt } from './wrk.ts'

/** So many rows a statement. */
const STEP = 20_000

/** The links of `seedLinks`, on PostgreSQL; its search index is made anew behind them. */
export async function seedPostgres(url: string, options: SeedOptions): Promise<void> {
  const { workspaceNo, links, rare = 0, common = 0 } = options
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await client.query('SET synchronous_commit = off')
  await client.query('DROP INDEX links_search')
  const base = workspaceNo * SEQS_PER_WORKSPACE
  const start = Date.now() - links
  const rareEvery = rare > 0 ? Math.floor(links / rare) : 0
  const commonEvery = common > 0 ? Math.floor(links / common) : 0
  let rareLeft = rare
  let commonLeft = common
  for (let from = 0; from < links; from += STEP) {
    const numbers: number[] = []
    const slugs: string[] = []
    const titles: string[] = []
    for (let n = from; n < Math.min(links, from + STEP); n++) {
      let title = `Article ${n}`
      if (rareEvery > 0 && n % rareEvery === 0 && rareLeft-- > 0) title += ' zyxrare'
      if (commonEvery > 0 && n % commonEvery === 0 && commonLeft-- > 0) title += ' commonword'
      numbers.push(n)
      slugs.push(slugAt(n))
      titles.push(title)
    }
    await client.query(
      `WITH given AS (
        SELECT n, slug, title, $4::bigint + n + 1 AS seq, $5::bigint + n AS at, 'tag' || n % 50 AS tag,
          'https://example.com/articles/' || n || '?ref=' || (n * 2654435761) % 1000003 AS url
        FROM unnest($1::bigint[], $2::text[], $3::text[]) AS t (n, slug, title)
      ), made AS (
        INSERT INTO links (seq, id, workspace_no, domain_no, slug, slug_key, destination_url,
          target_url, title, notes, tags, aliases, external_id, enabled, redirect_status,
          forward_query, created_at, updated_at, version, search_text)
        SELECT seq, 'lnk_' || lpad(seq::text, 26, '0'), $6::bigint, 0, slug, slug, url, url, title,
          NULL, '["' || tag || '"]', '[]', NULL, 1, 302, 0, at, at, 1,
          slug || E'\\n' || url || E'\\n' || lower(title) || E'\\n' || tag FROM given
      ), led AS (
        INSERT INTO slugs (slug_key, domain_no, workspace_no, link_seq, slug, target_url,
          redirect_status, special) SELECT slug, 0, $6, seq, slug, url, 302, 0 FROM given
      )
      INSERT INTO link_tags (workspace_no, tag_key, link_seq) SELECT $6, tag, seq FROM given`,
      [numbers, slugs, titles, base, start, workspaceNo],
    )
  }
  await client.query(
    `UPDATE workspaces SET links_count = links_count + $1, links_made = links_made + $1,
      last_link_at = $2 WHERE no = $3`,
    [links, start + links, workspaceNo],
  )
  await client.query("SET maintenance_work_mem = '1GB'")
  await client.query('CREATE INDEX links_search ON links USING gin (search_text gin_trgm_ops)')
  await client.query('VACUUM (ANALYZE)')
  await client.end()
}
