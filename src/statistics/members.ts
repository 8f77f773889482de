import { type RawBuilder, sql } from 'kysely'
import { isTagSeen } from '../features/tags/index.ts'
import type { View } from '../lib/base/view.ts'
import { isFolderSeen, type Sql } from '../platform/storage/index.ts'
import type { Group, Members } from './types.ts'

/** The most links with tags, each as often as it has some, or in folders that can be listed by these. */
export const MEMBERS_MAX = 1_000_000

/** Groups by `id` as links refer to them, with the group `root` that they are part of now. */
const GROUPS_OF: Readonly<Record<Group, (no: number) => RawBuilder<unknown>>> = {
  tag: (no) => sql`SELECT t.no AS id, m.no AS root, m.key AS name
    FROM tags t JOIN tags m ON m.workspace_no = t.workspace_no
      AND m.no = coalesce(t.merged_into, t.no) WHERE t.workspace_no = ${no}`,
  folder: (no) => sql`SELECT f.id AS id, m.id AS root, m.name_key AS name
    FROM folders f JOIN folders m ON m.id = coalesce(f.merged_into, f.id)
    WHERE f.workspace_no = ${no}`,
}

/** Links as `seq`, and the `id` of a group that they refer to. */
const LINKS_OF: Readonly<Record<Group, (no: number) => RawBuilder<unknown>>> = {
  tag: (no) => sql`SELECT link_seq AS seq, tag_no AS id FROM link_tags WHERE workspace_no = ${no}`,
  folder: (no) => sql`SELECT seq, folder_id AS id FROM links
    WHERE workspace_no = ${no} AND folder_id IS NOT NULL`,
}

/** The links of a workspace by their tags or folders; deleted links are in none. */
export async function findMembers(
  { db, dialect }: Sql,
  workspaceNo: number,
  by: Group,
): Promise<Members> {
  const list = (column: string) =>
    dialect === 'sqlite'
      ? sql`coalesce(group_concat(${sql.raw(column)}), '')`
      : sql`coalesce(string_agg(${sql.raw(column)}::text, ','), '')`
  const { rows } = await sql<Record<'links' | 'groups' | 'found', string>>`WITH
    named AS (${GROUPS_OF[by](workspaceNo)}),
    numbered AS (SELECT id, root, dense_rank() OVER (ORDER BY name, root) AS n FROM named)
    SELECT pairs.links, pairs.groups,
      (SELECT ${list('root')} FROM (SELECT DISTINCT n, root FROM numbered ORDER BY n) r) AS found
    FROM (SELECT ${list('seq')} AS links, ${list('n')} AS groups FROM (
      SELECT DISTINCT l.seq, g.n FROM (${LINKS_OF[by](workspaceNo)}) l JOIN numbered g ON g.id = l.id
    ) p) pairs`.execute(db)
  const { links = '', groups = '', found = '' } = rows[0] ?? {}
  return { links, groups, values: found === '' ? [] : found.split(',') }
}

/** Whether a workspace has more than {@link MEMBERS_MAX}. */
export async function hasTooManyMembers(
  { db }: Sql,
  workspaceNo: number,
  by: Group,
): Promise<boolean> {
  const { rows } = await sql`SELECT 1 FROM (${LINKS_OF[by](workspaceNo)}) l
    LIMIT 1 OFFSET ${MEMBERS_MAX}`.execute(db)
  return rows.length > 0
}

/** The names of groups that a reader can see, by their value in a report. */
export async function namesOfGroups(
  { db }: Sql,
  workspaceNo: number,
  by: Group,
  values: readonly string[],
  view: View,
): Promise<Map<string, string>> {
  if (values.length === 0) return new Map()
  const found =
    by === 'tag'
      ? sql`SELECT t.no AS id, t.name FROM tags t WHERE t.no IN (${sql.join(values.map(Number))})
          AND t.workspace_no = ${workspaceNo} AND ${isTagSeen(view)}`
      : sql`SELECT f.id, f.name FROM folders f WHERE f.id IN (${sql.join(values)})
          AND f.workspace_no = ${workspaceNo} AND ${isFolderSeen(view, 'f.id')}`
  const { rows } = await sql<{ id: string | number; name: string }>`${found}`.execute(db)
  return new Map(rows.map(({ id, name }) => [String(id), name]))
}
