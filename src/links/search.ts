import { sql } from 'kysely'
import { bySql, prepareSql, type Transaction } from '../storage/index.ts'
import { tagContains } from '../tags/index.ts'
import type { Fragment, LinkFilter, SeqRange } from './filter.ts'

const add = prepareSql<{ seq: number; text: string }, never>(
  (p) => sql`INSERT INTO links_search (rowid, search_text) VALUES (${p.seq}, ${p.text})`,
)
const drop = prepareSql<{ seq: number }, never>(
  (p) => sql`DELETE FROM links_search WHERE rowid = ${p.seq}`,
)

/** Adds a link to the search index. */
export function indexText(tx: Transaction, seq: number, text: string): void {
  if (tx.dialect === 'sqlite') tx.beforeCommit(() => tx.run(add, { seq, text }))
}

/** Removes a link from the search index. */
export function unindexText(tx: Transaction, seq: number): void {
  if (tx.dialect === 'sqlite') tx.beforeCommit(() => tx.run(drop, { seq }))
}

/**
 * The shortest term that the search indexes support. SQLite: FTS5 with trigrams
 * (https://www.sqlite.org/fts5.html), whose rowid is the link's `seq`, so that a workspace is a
 * range of it. PostgreSQL: pg_trgm (https://www.postgresql.org/docs/current/pgtrgm.html) on
 * `links.search_text`, updated automatically.
 */
export const TRIGRAM = 3

/** The `seq` of every link of a range whose text contains an indexable term, by SQLite's index. */
export function indexedMatches(term: string, low: number, high: number): Fragment {
  const phrase = `"${term.replaceAll('"', '""')}"`
  return sql`SELECT rowid AS seq FROM links_search
    WHERE links_search MATCH ${phrase} AND rowid BETWEEN ${low} AND ${high}`
}

/** Every link of a range, without duplicates, whose text or tags contain an indexable term. */
export function textOrTag(
  { workspaceNo }: LinkFilter,
  term: string,
  { low, high }: SeqRange,
): Fragment {
  const byText = bySql({
    sqlite: indexedMatches(term, low, high),
    postgres: sql`SELECT l.seq AS seq FROM links l
      WHERE l.seq BETWEEN ${low} AND ${high} AND ${ownTextContains(term)}`,
  })
  return sql`${byText} UNION ALL SELECT * FROM (SELECT DISTINCT o.link_seq AS seq FROM tags t
    JOIN link_tags o ON o.workspace_no = t.workspace_no AND o.tag_no = t.no
    JOIN links l ON l.seq = o.link_seq
    WHERE t.workspace_no = ${workspaceNo} AND ${tagContains(term)}
      AND o.link_seq BETWEEN ${low} AND ${high} AND NOT ${ownTextContains(term)}) tagged`
}

/** Whether a text of the link `l` contains a term; PostgreSQL's index supports `LIKE`. */
function ownTextContains(term: string): Fragment {
  return bySql({
    sqlite: sql`(instr(l.search_text, ${term}) > 0)`,
    postgres: sql`(l.search_text LIKE ${`%${term.replaceAll(/[\\%_]/g, '\\$&')}%`})`,
  })
}

/** The same, or whether one of its tags does. */
export function textContains({ termInTags }: LinkFilter, term: string): Fragment {
  if (!termInTags) return ownTextContains(term)
  const tagged = (numbers: Fragment, no: Fragment) => sql`EXISTS (SELECT 1 FROM ${numbers}
    JOIN tags t ON t.workspace_no = l.workspace_no AND t.no = ${no} WHERE ${tagContains(term)})`
  return sql`(${ownTextContains(term)} OR (l.tag_nos <> '[]' AND ${bySql({
    sqlite: tagged(sql`json_each(l.tag_nos) e`, sql`e.value`),
    postgres: tagged(sql`json_array_elements_text(l.tag_nos::json) e(no)`, sql`e.no::bigint`),
  })}))`
}
