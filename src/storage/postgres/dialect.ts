import { kyselyOver } from '../kysely.ts'
import { bind, type Prepared, type Sql } from '../storage.ts'

/** What a statement has returned. */
export interface Outcome {
  rows: unknown[]
  /** How many rows it has read or changed; null where it does neither. */
  rowCount: number | null
}

/** Sends one statement. @throws StorageUnavailable, RefusedStatement */
export type Execute = (text: string, values: readonly unknown[]) => Promise<Outcome>

/** Compiles for all connections; it never connects. */
const compiler = kyselyOver('postgres', async () => {
  throw new Error('The compiler does not execute')
})

/** What stores use of a connection, or of several. Statements are sent one by one. */
export function sqlOf(execute: Execute): Sql {
  return {
    dialect: 'postgres',
    db: kyselyOver('postgres', async ({ sql, parameters, query }) => {
      const { rows, rowCount } = await execute(sql, parameters)
      const isChange = query.kind !== 'SelectQueryNode' && query.kind !== 'RawNode'
      return {
        rows,
        ...(isChange && rowCount !== null && { numAffectedRows: BigInt(rowCount) }),
      }
    }),
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
