import { databaseFiles, openSqlite, type SqliteConnection } from '../../storage/index.ts'
import type { ExportNames } from '../reports/index.ts'

/** Statements are made for so many parameters at most. */
const ASKED_AT_ONCE = 1_000

/** What links and domains are called, by the main database, which is opened when it is asked. */
export function openNames(dataDir: string): ExportNames & { close(): void } {
  let main: SqliteConnection | undefined
  const raw = () => {
    main ??= openSqlite(databaseFiles(dataDir).main, { readonly: true, cacheBytes: 2_097_152 })
    return main.raw
  }
  return {
    async links(seqs) {
      const names = new Map<number, string>()
      for (let at = 0; at < seqs.length; at += ASKED_AT_ONCE) {
        const list = JSON.stringify(seqs.slice(at, at + ASKED_AT_ONCE))
        const rows = raw()
          .query<{ seq: number; id: string }, [string]>(
            `SELECT seq, id FROM links WHERE seq IN (SELECT value FROM json_each(?1))
             UNION ALL
             SELECT seq, id FROM deleted_links WHERE seq IN (SELECT value FROM json_each(?1))`,
          )
          .all(list)
        for (const { seq, id } of rows) names.set(seq, id)
      }
      return names
    },
    async domains() {
      const rows = raw()
        .query<{ no: number; host: string }, []>('SELECT no, host FROM domains')
        .all()
      return new Map(rows.map(({ no, host }) => [no, host]))
    },
    close() {
      main?.close()
      main = undefined
    },
  }
}
