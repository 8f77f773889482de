import { type Kysely, sql } from 'kysely'
import { withoutDots } from '../../../lib/validation/text.ts'
import { bySql } from '../kysely.ts'
import type { Dialect, Sql } from '../storage.ts'

/** Whether a slug's key has the dot that earlier versions left above i. */
const IS_DOTTED = {
  sqlite: sql<boolean>`instr(slug_key, 'i\u0307') > 0`,
  postgres: sql<boolean>`strpos(slug_key, 'i\u0307') > 0`,
}

/** The stored keys of slugs that were folded by earlier versions; see `keepDottedKeys`. */
export async function readDottedKeys({ db }: Sql): Promise<string[]> {
  const rows = db.selectFrom('slugs').select('slug_key').distinct().where(bySql(IS_DOTTED))
  return (await rows.execute()).map(({ slug_key }) => slug_key)
}

interface Named {
  workspace_no: number
  /** Of a tag, its `no`. */
  id: string | number
  key: string
}

/**
 * Folds names of tags, views and UTM templates anew. Tags that become the same one are merged; UTM
 * templates that would keep their keys. Slugs keep theirs, and are indexed to be read at the start.
 */
export async function foldDottedKeys(db: Kysely<never>, dialect: Dialect): Promise<void> {
  await sql`CREATE INDEX slugs_dotted ON slugs (slug_key) WHERE ${IS_DOTTED[dialect]}`.execute(db)
  await sql`UPDATE views SET name_key = ${folded('name_key')} WHERE name_key LIKE '%i\u0307%'`.execute(
    db,
  )
  await sql`UPDATE utm_templates SET name_key = ${folded('name_key')}
    WHERE name_key LIKE '%i\u0307%' AND NOT EXISTS (SELECT 1 FROM utm_templates other
      WHERE other.workspace_no = utm_templates.workspace_no
        AND other.name_key = ${folded('utm_templates.name_key')})`.execute(db)
  const { rows } = await sql<Named>`SELECT workspace_no, no AS id, key FROM tags
    WHERE key LIKE '%\u0307%' AND merged_into IS NULL`.execute(db)
  for (const tag of rows) await foldTag(db, tag)
}

function folded(column: string) {
  return sql`replace(${sql.ref(column)}, 'i\u0307', 'i')`
}

async function foldTag(db: Kysely<never>, { workspace_no, id, key }: Named): Promise<void> {
  const after = withoutDots(key)
  if (after === key) return
  const mine = sql`workspace_no = ${workspace_no} AND (no = ${id} OR merged_into = ${id})`
  const same = await sql<{ no: number; name: string; search_text: string }>`
    SELECT no, name, search_text FROM tags
    WHERE workspace_no = ${workspace_no} AND key = ${after} AND merged_into IS NULL`.execute(db)
  const [other] = same.rows
  const merged =
    other &&
    sql`, merged_into = ${other.no}, name = ${other.name},
    search_text = ${other.search_text}`
  await sql`UPDATE tags SET key = ${after}${merged ?? sql``} WHERE ${mine}`.execute(db)
}
