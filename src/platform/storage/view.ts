import { type RawBuilder, sql } from 'kysely'
import { hiddenFrom } from '../../lib/base/hidden-folders.ts'
import type { View } from '../../lib/base/view.ts'
import { bySql } from './kysely.ts'

/** Whether a reader can see the folder of a column. */
export function isFolderSeen({ hiddenFolders = [], allowed }: View, column: string) {
  const id = sql.ref(column)
  const tests: RawBuilder<unknown>[] = [sql`TRUE`]
  if (hiddenFolders.length > 0) tests.push(sql`${id} NOT IN (${sql.join(hiddenFolders)})`)
  if (allowed?.folders) tests.push(isOneOf(id, allowed.folders))
  return sql<boolean>`(${sql.join(tests, sql` AND `)})`
}

/** Whether the row `l` of `links`, or of a table of this name, is a link that a reader can see. */
export function isSeen({ hiddenFolders = [], allowed }: View, table = 'l'): RawBuilder<boolean> {
  const row = sql.raw(table)
  const tests: RawBuilder<unknown>[] = [sql`TRUE`]
  if (hiddenFolders.length > 0) {
    const hidden = sql.join(hiddenFolders)
    tests.push(sql`(${row}.folder_id IS NULL OR ${row}.folder_id NOT IN (${hidden}))`)
  }
  const { domains, folders, tags, creators } = allowed ?? {}
  if (domains) tests.push(isOneOf(sql`${row}.domain_no`, domains))
  if (folders) tests.push(isOneOf(sql`${row}.folder_id`, folders))
  if (creators) tests.push(isOneOf(sql`${row}.created_by`, creators))
  if (tags) {
    tests.push(sql`EXISTS (SELECT 1 FROM link_tags v WHERE v.workspace_no = ${row}.workspace_no
      AND ${isOneOf(sql`v.tag_no`, tags)} AND v.link_seq = ${row}.seq)`)
  }
  return sql<boolean>`(${sql.join(tests, sql` AND `)})`
}

/** Whether the row of a table of this name, like `deleted_links`, is a link that a reader can see. */
export function isDeletedSeen(view: View, table = 'deleted_links'): RawBuilder<boolean> {
  const row = sql.raw(table)
  const hidden = hiddenFrom(view)
  const tests: RawBuilder<unknown>[] = [sql`TRUE`]
  if (hidden.length > 0) {
    tests.push(sql`(${row}.folder_id IS NULL OR ${row}.folder_id NOT IN (${sql.join(hidden)}))`)
  }
  const { domains, folders, tags, creators } = view.allowed ?? {}
  const member = (name: string) =>
    bySql({
      sqlite: sql`json_extract(${row}.row, ${sql.lit(`$.${name}`)})`,
      postgres: sql`(${row}.row::json ->> ${sql.lit(name)})`,
    })
  if (domains) {
    const no = sql`CAST(${member('domain_no')} AS BIGINT)`
    tests.push(isOneOf(no, domains))
  }
  if (folders) tests.push(isOneOf(sql`${row}.folder_id`, folders))
  if (creators) tests.push(isOneOf(member('created_by'), creators))
  if (tags) {
    const numbers = bySql({
      sqlite: sql`SELECT v.value AS no FROM json_each(${member('tag_nos')}) v`,
      postgres: sql`SELECT v.no::bigint AS no
        FROM json_array_elements_text(${member('tag_nos')}::json) v(no)`,
    })
    tests.push(sql`EXISTS (SELECT 1 FROM (${numbers}) n WHERE ${isOneOf(sql`n.no`, tags)})`)
  }
  return sql<boolean>`(${sql.join(tests, sql` AND `)})`
}

function isOneOf(value: RawBuilder<unknown>, of: readonly (string | number)[]) {
  return of.length === 0 ? sql`FALSE` : sql`${value} IN (${sql.join(of)})`
}
