import {
  CompiledQuery,
  type DatabaseConnection,
  DummyDriver,
  Kysely,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely'
import type { Schema, Sql } from '../index.ts'

/** SQLite's plans of queries: `sqlx` runs none and returns no rows; `plans` has the lines of each. */
export function explaining<S extends Pick<Sql, 'db'>>(sqlx: S): { sqlx: S; plans: string[][] } {
  const plans: string[][] = []
  class Explainer extends DummyDriver {
    override async acquireConnection(): Promise<DatabaseConnection> {
      return {
        async executeQuery({ sql, parameters }) {
          const explain = CompiledQuery.raw(`EXPLAIN QUERY PLAN ${sql}`, [...parameters])
          const { rows } = await sqlx.db.executeQuery<{ detail: string }>(explain)
          plans.push(rows.map(({ detail }) => detail))
          return { rows: [] }
        },
        async *streamQuery() {},
      }
    }
  }
  const db = new Kysely<Schema>({
    dialect: {
      createAdapter: () => new SqliteAdapter(),
      createDriver: () => new Explainer(),
      createIntrospector: (own) => new SqliteIntrospector(own),
      createQueryCompiler: () => new SqliteQueryCompiler(),
    },
  })
  return { sqlx: { ...sqlx, db }, plans }
}
