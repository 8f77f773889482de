import { sql } from 'kysely'
import {
  bySql,
  containing,
  prepareSql,
  type Sql,
  type Transaction,
} from '../../platform/storage/index.ts'
import { tagContains } from '../tags/index.ts'
import type { Fragment, LinkFilter, SeqRange } from './filter-types.ts'

const add = prepareSql<{ seq: number; text: string }, never>(
  (p) => sql`INSERT INTO links_search (rowid, search_text) VALUES (${p.seq}, ${p.text})`,
)
const drop = prepareSql<{ seq: number }, never>(
  (p) => sql`DELETE FROM links_search WHERE rowid = ${p.seq}`,
)

/** Appended to indexed texts, so that their last letters begin a trigram too. */
export const TEXT_END = '\n\n'

/** Adds a link to the search index. */
export function indexText(tx: Transaction, seq: number, text: string): void {
  if (tx.dialect === 'sqlite') {
    tx.beforeCommit(() => tx.run(add, { seq, text: `${text}${TEXT_END}` }))
  }
}

/** Removes a link from the search index. */
export function unindexText(tx: Transaction, seq: number): void {
  if (tx.dialect === 'sqlite') tx.beforeCommit(() => tx.run(drop, { seq }))
}

/**
 * The length of the terms in the search indexes. SQLite: FTS5 with trigrams
 * (https://www.sqlite.org/fts5.html), whose rowid is the link's `seq`, so that a workspace is a
 * range of it. PostgreSQL: pg_trgm (https://www.postgresql.org/docs/current/pgtrgm.html) on
 * `links.search_text`, updated automatically.
 */
const TRIGRAM = 3
/** A letter that begins more trigrams than this is common: scanning links is faster. */
const TRIGRAMS_MAX = 500

const beginning = prepareSql<{ from: string; to: string }, { term: string }>(
  (p) => sql`SELECT term FROM links_search_terms
    WHERE term >= ${p.from} AND term <= ${p.to} LIMIT ${TRIGRAMS_MAX + 1}`,
)

/**
 * The query of SQLite's index for a term: the term itself, or all trigrams that begin with a term of
 * one or two letters. Null: these are too many.
 */
export async function matchOf(sqlx: Sql, term: string): Promise<string | null> {
  const isShort = [...term].length < TRIGRAM
  const phrases = isShort
    ? (await sqlx.run(beginning, { from: term, to: `${term}\u{10ffff}` })).map(({ term }) => term)
    : [term]
  if (phrases.length > TRIGRAMS_MAX) return null
  return phrases.map((phrase) => `"${phrase.replaceAll('"', '""')}"`).join(' OR ') || '""'
}

/** The `seq` of every link of a range that SQLite's index finds for `match` (see {@link matchOf}). */
export function indexedMatches(match: string, { low, high }: SeqRange): Fragment {
  return sql`SELECT rowid AS seq FROM links_search
    WHERE links_search MATCH ${match} AND rowid BETWEEN ${low} AND ${high}`
}

/**
 * Every link of a range, without duplicates, whose text or tags contain a term; `match` is only used
 * by SQLite.
 */
export function textOrTag(
  { workspaceNo }: LinkFilter,
  term: string,
  match: string,
  range: SeqRange,
): Fragment {
  const { low, high } = range
  const byText = bySql({
    sqlite: indexedMatches(match, range),
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
    postgres: sql`(l.search_text LIKE ${containing(term)})`,
  })
}

/** Whether the title of the link `l` contains a term; see `searchText` for its place. */
export function titleContains(term: string): Fragment {
  const afterLine = (text: Fragment) => sql`substr(${text}, instr(${text}, char(10)) + 1)`
  const titled = afterLine(afterLine(sql`(l.search_text || char(10))`))
  return sql`(l.title IS NOT NULL AND ${bySql({
    sqlite: sql`instr(substr(${titled}, 1, instr(${titled}, char(10)) - 1), ${term}) > 0`,
    postgres: sql`strpos(split_part(l.search_text, chr(10), 3), ${term}) > 0`,
  })})`
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
