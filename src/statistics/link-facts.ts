import { openSqlite, type SqliteConnection } from '../storage/index.ts'
import type { LinkFacts } from './reports/index.ts'
import { findLinkIds, findTagged } from './store.ts'

const CACHE_BYTES = 2 * 1024 * 1024

/** What is known of links and domains, read from `slugline.db` beside its writer. */
export interface OpenLinkFacts extends LinkFacts {
  close(): void
}

/** Opens the file when it is asked for the first time: most processes never are. */
export function createLinkFacts(mainFile: string): OpenLinkFacts {
  let open: SqliteConnection | undefined
  function database(): SqliteConnection {
    open ??= openSqlite(mainFile, { readonly: true, mmapBytes: 0, cacheBytes: CACHE_BYTES })
    return open
  }

  return {
    links: (seqs) => findLinkIds(database(), seqs),
    tagged: (workspaceNo, tags) => findTagged(database(), workspaceNo, tags),
    async domains() {
      const rows = await database().db.selectFrom('domains').select(['no', 'host']).execute()
      return new Map(rows.map(({ no, host }) => [no, host]))
    },
    close() {
      open?.close()
      open = undefined
    },
  }
}
