import {
  type CompiledQuery,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  type QueryResult,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely'
import type { Schema } from './schema.ts'
import type { Dialect } from './storage.ts'
import { VariantPostgresCompiler } from './variants.ts'

/** SQLite can roll back changes of tables; Kysely's own adapter doesn't use that. */
class TransactionalSqliteAdapter extends SqliteAdapter {
  override get supportsTransactionalDdl(): boolean {
    return true
  }
}

const DIALECTS = {
  sqlite: {
    createAdapter: () => new TransactionalSqliteAdapter(),
    createQueryCompiler: () => new SqliteQueryCompiler(),
    createIntrospector: (db: Kysely<unknown>) => new SqliteIntrospector(db),
  },
  postgres: {
    createAdapter: () => new PostgresAdapter(),
    createQueryCompiler: () => new VariantPostgresCompiler(),
    createIntrospector: (db: Kysely<unknown>) => new PostgresIntrospector(db),
  },
}

/**
 * Kysely over what executes a query. Transactions are begun and ended by the owner of the
 * connection; `transact` runs `BEGIN`, `COMMIT` or `ROLLBACK` for Kysely's migrator.
 */
export function kyselyOver(
  dialect: Dialect,
  execute: (query: CompiledQuery) => Promise<QueryResult<unknown>>,
  transact: (command: string) => void = refuse,
): Kysely<Schema> {
  const connection = {
    executeQuery: <R>(query: CompiledQuery) => execute(query) as Promise<QueryResult<R>>,
    streamQuery: refuse,
  }
  return new Kysely<Schema>({
    dialect: {
      ...DIALECTS[dialect],
      createDriver: () => ({
        init: async () => {},
        acquireConnection: async () => connection,
        beginTransaction: async () => transact('BEGIN IMMEDIATE'),
        commitTransaction: async () => transact('COMMIT'),
        rollbackTransaction: async () => transact('ROLLBACK'),
        releaseConnection: async () => {},
        destroy: async () => {},
      }),
    },
  })
}

function refuse(): never {
  throw new Error('This connection neither streams nor begins transactions for Kysely')
}
