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
import type { Dialect } from './storage.ts'

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

/** SQL that differs between the databases, as one node: SQLite's, with PostgreSQL's attached. */
type VariantNode = RawNode & { readonly postgres: OperationNode }

class Variant<T> implements Expression<T> {
  constructor(
    readonly sqlite: RawBuilder<T>,
    readonly postgres: RawBuilder<T>,
  ) {}

  get expressionType(): T | undefined {
    return undefined
  }

  toOperationNode(): OperationNode {
    const node: VariantNode = {
      ...(this.sqlite.toOperationNode() as RawNode),
      postgres: this.postgres.toOperationNode(),
    }
    return node
  }
}

/**
 * A piece of SQL that the two databases need to be told differently, to find the same. Which one is
 * taken shows when the statement is compiled for its connection.
 */
export function bySql<T = unknown>(variants: {
  sqlite: RawBuilder<T>
  postgres: RawBuilder<T>
}): RawBuilder<T> {
  return sql<T>`${new Variant(variants.sqlite, variants.postgres)}`
}

/** Kysely's compiler for PostgreSQL, taking PostgreSQL's variants. */
export class VariantPostgresCompiler extends PostgresQueryCompiler {
  protected override visitRaw(node: RawNode): void {
    if ('postgres' in node) this.visitNode((node as VariantNode).postgres)
    else super.visitRaw(node)
  }
}
