import {
  type Expression,
  type OperationNode,
  PostgresQueryCompiler,
  type RawBuilder,
  type RawNode,
  sql,
} from 'kysely'

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
