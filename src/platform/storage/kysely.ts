import {
  type CompiledQuery,
  type Expression,
  Kysely,
  type OperationNode,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type QueryResult,
  type RawBuilder,
  type RawNode,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
  sql,
} from 'kysely'
import type { Schema } from './schema.ts'
import { bind, type Dialect, type Prepared, type Sql } from './storage.ts'

/** SQLite can roll back changes of the schema; Kysely's own adapter doesn't use that. */
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

/** The result of a statement. */
export interface Outcome {
  rows: unknown[]
  /** How many rows it has read or changed, if known. */
  rowCount?: number | null
}

/** Executes one statement. @throws StorageUnavailable */
export type Execute = (text: string, values: readonly unknown[]) => Outcome | Promise<Outcome>

/**
 * What stores use, on top of something that executes statements. The owner of the connection begins
 * and ends transactions; `transact` runs `BEGIN`, `COMMIT` or `ROLLBACK` for Kysely's migrator.
 */
export function sqlOver(
  dialect: Dialect,
  execute: Execute,
  transact: (command: string) => void = refuse,
): Sql {
  const connection = {
    async executeQuery<R>({ sql, parameters }: CompiledQuery): Promise<QueryResult<R>> {
      const { rows, rowCount } = await execute(sql, parameters)
      return { rows: rows as R[], ...(rowCount != null && { numAffectedRows: BigInt(rowCount) }) }
    },
    streamQuery: refuse,
  }
  const db = new Kysely<Schema>({
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
  return {
    dialect,
    db,
    async run<P extends object, R>(statement: Prepared<P, R>, parameters: P): Promise<R[]> {
      const query = statement.compile({ dialect, db })
      return (await execute(query.sql, bind(query, parameters))).rows as R[]
    },
    async change<P extends object>(statement: Prepared<P, never>, parameters: P): Promise<number> {
      const query = statement.compile({ dialect, db })
      return (await execute(query.sql, bind(query, parameters))).rowCount ?? 0
    },
  }
}

function refuse(): never {
  throw new Error('This connection neither streams nor begins transactions for Kysely')
}

/** SQLite's SQL, with PostgreSQL's attached. */
type VariantNode = RawNode & { readonly postgres: OperationNode }

/** SQL that differs between the databases. The variant is chosen when the statement is compiled. */
export function bySql<T = unknown>(variants: {
  sqlite: RawBuilder<T>
  postgres: RawBuilder<T>
}): RawBuilder<T> {
  const variant: Expression<T> = {
    expressionType: undefined,
    toOperationNode(): VariantNode {
      const node = variants.sqlite.toOperationNode() as RawNode
      return { ...node, postgres: variants.postgres.toOperationNode() }
    },
  }
  return sql<T>`${variant}`
}

/** Kysely's compiler for PostgreSQL, which uses PostgreSQL's variants. */
class VariantPostgresCompiler extends PostgresQueryCompiler {
  protected override visitRaw(node: RawNode): void {
    if ('postgres' in node) this.visitNode((node as VariantNode).postgres)
    else super.visitRaw(node)
  }
}
