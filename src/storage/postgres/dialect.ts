import {
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
} from 'kysely'
import type { Schema } from '../schema.ts'
import { bind, type Prepared, type Sql } from '../storage.ts'
import { VariantPostgresCompiler } from '../variants.ts'

/** What a statement has brought. */
export interface Outcome {
  rows: unknown[]
  /** Rows that it has read or changed; null: it isn't of that kind. */
  rowCount: number | null
}

/** Sends one statement. @throws StorageUnavailable, RefusedStatement */
export type Execute = (text: string, values: readonly unknown[]) => Promise<Outcome>

/** Compiles for all connections; it never connects. */
const compiler = kyselyOf(async () => {
  throw new Error('The compiler does not execute')
})

/** The face of a connection, or of several, that stores use. Statements are sent one by one. */
export function sqlOf(execute: Execute): Sql {
  return {
    dialect: 'postgres',
    db: kyselyOf(execute),
    async run<P extends object, R>(statement: Prepared<P, R>, parameters: P): Promise<R[]> {
      const { text, values } = compiledFor(statement, parameters)
      return (await execute(text, values)).rows as R[]
    },
  }
}

/** A statement that was compiled once, with the values for one execution. */
export function compiledFor<P extends object, R>(
  statement: Prepared<P, R>,
  parameters: P,
): { text: string; values: unknown[] } {
  const query = statement.compile(compiler)
  return { text: query.sql, values: bind(query, parameters) }
}

function kyselyOf(execute: Execute): Kysely<Schema> {
  const connection: DatabaseConnection = {
    async executeQuery<R>({ sql, parameters, query }: CompiledQuery) {
      const { rows, rowCount } = await execute(sql, parameters)
      const isChange = query.kind !== 'SelectQueryNode' && query.kind !== 'RawNode'
      return {
        rows: rows as R[],
        ...(isChange && rowCount !== null && { numAffectedRows: BigInt(rowCount) }),
      }
    },
    streamQuery() {
      throw new Error('The database does not stream')
    },
  }
  const refuse = async () => {
    throw new Error('Transactions are begun by the writer')
  }
  const dialect: Dialect = {
    createAdapter: () => new PostgresAdapter(),
    createQueryCompiler: () => new VariantPostgresCompiler(),
    createIntrospector: (db) => new PostgresIntrospector(db),
    createDriver: () => ({
      init: async () => {},
      acquireConnection: async () => connection,
      beginTransaction: refuse,
      commitTransaction: refuse,
      rollbackTransaction: refuse,
      releaseConnection: async () => {},
      destroy: async () => {},
    }),
  }
  return new Kysely<Schema>({ dialect })
}
