import type { Sql } from './storage.ts'

/** How many rows of a table a workspace has. */
export async function countRows(
  { db }: Pick<Sql, 'db'>,
  table: 'folders' | 'tags',
  workspaceNo: number,
): Promise<number> {
  const { count } = await db
    .selectFrom(table)
    .select(({ fn }) => fn.countAll().as('count'))
    .where('workspace_no', '=', workspaceNo)
    .executeTakeFirstOrThrow()
  return Number(count)
}

/** The pattern of `LIKE`, with `ESCAPE '\'`, for texts that contain a term. */
export function containing(term: string): string {
  return `%${term.replaceAll(/[\\%_]/g, '\\$&')}%`
}
