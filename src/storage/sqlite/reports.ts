import { kyselyOver } from '../kysely.ts'
import { bind, type Prepared, type Sql } from '../storage.ts'
import { createThread } from './thread.ts'

/** Reads on a thread and a connection of their own. */
export interface Reports extends Sql {
  close(): void
}

/** Starts the thread at the first query. */
export function createReports(file: string, attach: string): Reports {
  const thread = createThread({ file, options: { readonly: true, attach } })
  const db = kyselyOver('sqlite', async ({ sql, parameters }) => ({
    rows: await thread.ask(sql, parameters),
  }))
  return {
    dialect: 'sqlite',
    db,
    async run<P extends object, R>(statement: Prepared<P, R>, parameters: P) {
      const query = statement.compile(db)
      return (await thread.ask(query.sql, bind(query, parameters))) as R[]
    },
    close: thread.close,
  }
}
