import { Database } from 'bun:sqlite'
import { TEXT_END } from '../../src/features/links/search.ts'
import { systemClock } from '../../src/lib/base/clock.ts'
import { createIds } from '../../src/lib/base/ids.ts'
import { systemRandom } from '../../src/lib/base/random.ts'
import { databaseFiles, SEQS_PER_WORKSPACE } from '../../src/platform/storage/index.ts'
import { slugAt } from './wrk.ts'

/** Options of seeded links; `rare` and `common` are words in some titles, for the search. */
export interface SeedOptions {
  workspaceNo: number
  links: number
  /** How many titles contain the word `zyxrare`. */
  rare?: number
  /** How many titles contain the word `commonword`. */
  common?: number
  /** One in 19 has expired, one in 97 is disabled; default: all are active. */
  statuses?: boolean
  /** The number of tags, of which each link has one. Default: 50. */
  tags?: number
}

const INSERT_TAG = `INSERT INTO tags (workspace_no, no, id, key, name, search_text, colour, created_at,
  updated_at, version) VALUES (?1, ?2, ?3, ?4, ?4, ?4, 'blue', 0, 0, 1)`

/** Writes links directly into the tables of a stopped server. */
export function seedLinks(dataDir: string, options: SeedOptions): void {
  const { workspaceNo, links, rare = 0, common = 0, statuses = false, tags = 50 } = options
  const db = new Database(databaseFiles(dataDir).main)
  db.run('PRAGMA synchronous = OFF')
  const ids = createIds(systemClock, systemRandom)
  const insert = {
    link: db.prepare(
      `INSERT INTO links (seq, id, workspace_no, domain_no, slug, slug_key, destination_url,
        target_url, title, notes, tag_nos, aliases, external_id, enabled, redirect_status,
        forward_query, created_at, updated_at, version, search_text, expires_at)
       VALUES (?, ?, ?, 0, ?, ?, ?, ?, ?, NULL, ?, '[]', NULL, ?, 302, 0, ?, ?, 1, ?, ?)`,
    ),
    slug: db.prepare(
      `INSERT INTO slugs (slug_key, domain_no, workspace_no, link_seq, slug, target_url,
        redirect_status, special) VALUES (?, 0, ?, ?, ?, ?, 302, ?)`,
    ),
    tag: db.prepare('INSERT INTO link_tags (workspace_no, tag_no, link_seq) VALUES (?, ?, ?)'),
    name: db.prepare(INSERT_TAG),
    search: db.prepare('INSERT INTO links_search (rowid, search_text) VALUES (?, ?)'),
  }
  const start = Date.now() - links
  const rareEvery = rare > 0 ? Math.floor(links / rare) : 0
  const commonEvery = common > 0 ? Math.floor(links / common) : 0
  let rareLeft = rare
  let commonLeft = common
  for (let n = 0; n < links; n++) {
    if (n % 20_000 === 0) db.run(n === 0 ? 'BEGIN' : 'COMMIT; BEGIN')
    const seq = workspaceNo * SEQS_PER_WORKSPACE + n + 1
    const slug = slugAt(n)
    const url = `https://example.com/articles/${n}?ref=${(n * 2_654_435_761) % 1_000_003}`
    let title = `Article ${n}`
    if (rareEvery > 0 && n % rareEvery === 0 && rareLeft-- > 0) title += ' zyxrare'
    if (commonEvery > 0 && n % commonEvery === 0 && commonLeft-- > 0) title += ' commonword'
    const tag = (n % tags) + 1
    const text = `${slug}\n${url}\n${title.toLowerCase()}`
    const at = start + n
    const enabled = statuses && n % 97 === 1 ? 0 : 1
    const expiresAt = statuses && n % 19 === 7 ? at + 1 : null
    insert.link.run(
      seq,
      ids.next('lnk'),
      workspaceNo,
      slug,
      slug,
      url,
      url,
      title,
      `[${tag}]`,
      enabled,
      at,
      at,
      text,
      expiresAt,
    )
    const special = enabled === 0 || expiresAt !== null ? 1 : 0
    insert.slug.run(slug, workspaceNo, seq, slug, url, special)
    insert.tag.run(workspaceNo, tag, seq)
    insert.search.run(seq, `${text}${TEXT_END}`)
  }
  for (let tag = 1; tag <= tags; tag++) {
    insert.name.run(workspaceNo, tag, ids.next('tag'), `tag${tag - 1}`)
  }
  db.run('COMMIT')
  db.run(
    `UPDATE workspaces SET links_count = links_count + ?1, links_made = links_made + ?1,
      tags_made = ${tags}, last_link_at = ?2 WHERE no = ?3`,
    [links, start + links, workspaceNo],
  )
  db.run('PRAGMA wal_checkpoint(TRUNCATE)')
  db.close()
}
