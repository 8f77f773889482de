import { type RawBuilder, sql } from 'kysely'
import { bySql } from '../../platform/storage/index.ts'

/** The names of a link's tags, as a JSON array. A link without tags costs no query. */
export function tagNames(link: 'links' | 'l'): RawBuilder<string> {
  const row = sql.raw(link)
  const named = (numbers: RawBuilder<unknown>, no: RawBuilder<unknown>) => sql`
    SELECT DISTINCT t.key, t.name FROM ${numbers}
    JOIN tags t ON t.workspace_no = ${row}.workspace_no AND t.no = ${no}`
  return sql<string>`CASE WHEN ${row}.tag_nos = '[]' THEN '[]' ELSE (${bySql({
    sqlite: sql`SELECT json_group_array(n.name ORDER BY n.key)
      FROM (${named(sql`json_each(${row}.tag_nos) e`, sql`e.value`)}) n`,
    postgres: sql`SELECT coalesce(array_to_json(array_agg(n.name ORDER BY n.key))::text, '[]')
      FROM (${named(
        sql`json_array_elements_text(${row}.tag_nos::json) e(no)`,
        sql`e.no::bigint`,
      )}) n`,
  })}) END`
}

/** The folder of a link now; null if its own was deleted. */
export function folderOf(link: 'links' | 'l'): RawBuilder<string | null> {
  return sql<string | null>`(SELECT coalesce(f.merged_into, f.id) FROM folders f
    WHERE f.id = ${sql.raw(link)}.folder_id)`
}

/** The current name of a link's creator; null: it has none, or is no person or key. */
export function creatorName(link: 'links' | 'l'): RawBuilder<string | null> {
  const id = sql.raw(`${link}.created_by`)
  return sql<string | null>`coalesce((SELECT k.name FROM api_keys k WHERE k.id = ${id}),
    (SELECT u.name FROM users u WHERE u.id = ${id}))`
}
