import {
  type CompiledQuery,
  Kysely,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely'
import type { Schema } from '../schema.ts'
import { bind, type Prepared, type Sql } from '../storage.ts'
import { createThread } from './thread.ts'

/** Reads on a thread and a connection of their own. */
export interface Reports extends Sql {
  close(): void
}

/** Starts the thread at the first question. */
export function createReports(file: string, attach: string): Reports {
  const thread = createThread({ file, options: { readonly: true, attach } })
  const ask = (query: CompiledQuery, parameters: readonly unknown[]) =>
    thread.ask(query.sql, parameters)

  const db = new Kysely<Schema>({
    dialect: {
      createAdapter: () => new SqliteAdapter(),
      createQueryCompiler: () => new SqliteQueryCompiler(),
      createIntrospector: (kysely) => new SqliteIntrospector(kysely),
      createDriver: () => ({
        init: async () => {},
        acquireConnection: async () => ({
          executeQuery: async <R>(query: CompiledQuery) => ({
            rows: (await ask(query, query.parameters)) as R[],
          }),
          streamQuery() {
            throw new Error('Reports do not stream')
          },
        }),
        beginTransaction: refuse,
        commitTransaction: refuse,
        rollbackTransaction: refuse,
        releaseConnection: async () => {},
        destroy: async () => {},
      }),
    },
  })
  return {
    dialect: 'sqlite',
    db,
    async run<P extends object, R>(statement: Prepared<P, R>, parameters: P) {
      const query = statement.compile(db)
      return (await ask(query, bind(query, parameters))) as R[]
    },
    close: thread.close,
  }
}

async function refuse(): Promise<never> {
  throw new Error('Reports only read')
}
