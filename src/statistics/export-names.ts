import { openSqlite, type SqliteConnection } from '../storage/index.ts'
import type { ExportNames } from './reports/index.ts'
import { findLinkNames } from './store.ts'

/** SQLite takes 32,766 parameters a statement. */
const LINKS_AT_ONCE = 5_000
const CACHE_BYTES = 2 * 1024 * 1024

/** What links and domains are called, read from `slugline.db` beside its writer. */
export interface OpenExportNames extends ExportNames {
  close(): void
}

/** Opens the file for the first export: most processes never write one. */
export function createExportNames(mainFile: string): OpenExportNames {
  let open: SqliteConnection | undefined
  function database(): SqliteConnection {
    open ??= openSqlite(mainFile, { readonly: true, mmapBytes: 0, cacheBytes: CACHE_BYTES })
    return open
  }

  return {
    async links(seqs) {
      const ids = new Map<number, string>()
      for (let at = 0; at < seqs.length; at += LINKS_AT_ONCE) {
        const names = await findLinkNames(database(), seqs.slice(at, at + LINKS_AT_ONCE))
        for (const { seq, id } of names.values()) ids.set(seq, id)
      }
      return ids
    },
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
