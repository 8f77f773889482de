import { openSqlite, type Sql, type SqliteConnection } from '../storage/index.ts'
import type { LinkFacts } from './engine/types.ts'
import { findGrouped, findInFolders, findLinkIds } from './store.ts'

const CACHE_BYTES = 2 * 1024 * 1024

/** Data about links and domains from a database. */
export function linkFactsIn(database: () => Sql): LinkFacts {
  return {
    links: (seqs) => findLinkIds(database(), seqs),
    grouped: (workspaceNo, group) => findGrouped(database(), workspaceNo, group),
    inFolders: (workspaceNo, folders) => findInFolders(database(), workspaceNo, folders),
    async domains() {
      const rows = await database().db.selectFrom('domains').select(['no', 'host']).execute()
      return new Map(rows.map(({ no, host }) => [no, host]))
    },
  }
}

/**
 * Data about links and domains, read from `slugline.db` while another process writes it. Opens the
 * file at the first query, because most statistics processes never query it.
 */
export function createLinkFacts(mainFile: string) {
  let open: SqliteConnection | undefined
  return {
    ...linkFactsIn(() => {
      open ??= openSqlite(mainFile, { readonly: true, mmapBytes: 0, cacheBytes: CACHE_BYTES })
      return open
    }),
    close(): void {
      open?.close()
      open = undefined
    },
  }
}
