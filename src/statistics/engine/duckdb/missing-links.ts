import { existsSync } from 'node:fs'
import { openSqlite, type SqliteConnection } from '../../../storage/index.ts'

const LINKS_AT_ONCE = 5_000

/**
 * Which links the main database no longer has: neither as links nor as deleted ones that can still
 * be restored. Without a main database, none.
 * @param links ascending
 */
export function missingLinks(mainFile: string, links: readonly number[]): number[] {
  if (links.length === 0 || !existsSync(mainFile)) return []
  const main = openSqlite(mainFile, { readonly: true, cacheBytes: 1_048_576 })
  try {
    return compare(main, links)
  } finally {
    main.close()
  }
}

function compare({ raw }: SqliteConnection, links: readonly number[]): number[] {
  const tables = raw
    .query("SELECT name FROM sqlite_schema WHERE name IN ('links', 'deleted_links')")
    .values()
    .flat() as string[]
  if (!tables.includes('links')) return []
  // One snapshot: otherwise a link could move from one table to the other between the queries.
  raw.run('BEGIN')
  const queries = tables.map((table) =>
    raw.query<{ seq: number }, [number, number]>(
      `SELECT seq FROM ${table} WHERE seq >= ? AND seq <= ?`,
    ),
  )
  const missing: number[] = []
  for (let at = 0; at < links.length; at += LINKS_AT_ONCE) {
    const part = links.slice(at, at + LINKS_AT_ONCE)
    const known = new Set<number>()
    for (const query of queries) {
      const rows = query.all(part[0] as number, part.at(-1) as number)
      for (const { seq } of rows) known.add(seq)
    }
    missing.push(...part.filter((link) => !known.has(link)))
  }
  return missing
}
