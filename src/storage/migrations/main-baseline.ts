import type { Kysely } from 'kysely'
import { runAll } from './run-all.ts'
import { sharedTables } from './tables.ts'

/** The embedded database but for the counters. */
export async function up(db: Kysely<never>): Promise<void> {
  await runAll(db, [
    ...sharedTables({
      text: 'TEXT',
      rowid: 'INTEGER PRIMARY KEY',
      numbered: 'INTEGER PRIMARY KEY AUTOINCREMENT',
      clustered: ' WITHOUT ROWID',
      busy: '',
      // It covers what is asked of it.
      uses: ', uses',
    }),
    // The index alone: the text is in links.search_text.
    `CREATE VIRTUAL TABLE links_search USING fts5 (
      search_text, content = '', contentless_delete = 1, tokenize = 'trigram'
    )`,
  ])
}
