import { type RawBuilder, sql } from 'kysely'
import { bySql, prepareSql, type Transaction } from '../storage/index.ts'
import { foldForSearch } from '../validation/text.ts'
import { parseList } from './rows.ts'
import type { LinkRow } from './store.ts'

/**
 * The search indexes, which only this file knows. SQLite: FTS5 with trigrams
 * (https://www.sqlite.org/fts5.html), whose rowid is the link's `seq`, so that a workspace is a
 * range of it. PostgreSQL: pg_trgm (https://www.postgresql.org/docs/current/pgtrgm.html) on
 * `links.search_text`, which it keeps up to date by itself.
 */

/** Shorter terms have no trigram. */
const TRIGRAM = 3

/** What `search` looks through. No part can contain a line break, so no term matches across two. */
export function searchText(
  link: Pick<LinkRow, 'slug' | 'destination_url' | 'title' | 'tags' | 'external_id'>,
): string {
  const { slug, destination_url: url, title, tags, external_id: externalId } = link
  const parts = [slug, url, title, ...parseList(tags), externalId]
  return foldForSearch(parts.filter((part) => part !== null).join('\n'))
}

/** Whether SQLite's index can be asked for a term. */
export function isIndexable(term: string): boolean {
  return [...term].length >= TRIGRAM
}

/** The `seq` of every link of a range whose text contains an indexable term, by SQLite's index. */
export function indexedMatches(term: string, low: number, high: number): RawBuilder<unknown> {
  const phrase = `"${term.replaceAll('"', '""')}"`
  return sql`SELECT rowid AS seq FROM links_search
    WHERE links_search MATCH ${phrase} AND rowid BETWEEN ${low} AND ${high}`
}

/** Whether the text of the link `l` contains a term; PostgreSQL's index answers `LIKE`. */
export function textContains(term: string): RawBuilder<boolean> {
  return bySql({
    sqlite: sql<boolean>`instr(l.search_text, ${term}) > 0`,
    postgres: sql<boolean>`l.search_text LIKE ${`%${term.replaceAll(/[\\%_]/g, '\\$&')}%`}`,
  })
}

const add = prepareSql<{ seq: number; text: string }, never>(
  (p) => sql`INSERT INTO links_search (rowid, search_text) VALUES (${p.seq}, ${p.text})`,
)
const drop = prepareSql<{ seq: number }, never>(
  (p) => sql`DELETE FROM links_search WHERE rowid = ${p.seq}`,
)

/** Makes a new link findable. */
export function indexText(tx: Transaction, seq: number, text: string): void {
  if (tx.dialect === 'sqlite') tx.beforeCommit(() => tx.run(add, { seq, text }))
}

/** Makes a link findable no longer. */
export function unindexText(tx: Transaction, seq: number): void {
  if (tx.dialect === 'sqlite') tx.beforeCommit(() => tx.run(drop, { seq }))
}
