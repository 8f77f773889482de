import type { Members } from '../types.ts'

/** Binds a text parameter and returns its placeholder. */
export type Bind = (value: string, type?: 'text' | 'integers') => string

/** The tables that reports read. */
export type Table = 'clicks' | 'daily' | 'click_sums' | 'summed_days'

/** What differs between the engines' SQL. Everything else is one text. */
export interface Dialect {
  /** The placeholder of a parameter, from 0. `integers`: a list, bound as `1,2,3`. */
  parameter(no: number, type: 'text' | 'integers'): string
  /** Whether an integer expression is one of `numbers`, of which there may be hundreds of thousands. */
  among(expression: string, numbers: readonly number[], bind: Bind): string
  /** A table of `of_link` and `member`: links and the numbers of their groups. */
  members(of: Members, bind: Bind): string
  /** The number of different visitors per UTC day among the rows that meet `condition`. */
  distinctVisitors(condition: string): string
  /** Orders texts by their bytes, so that ties come in the same order in every engine. */
  bytewise(expression: string): string
  /** Text in lower case, for comparisons without regard to case. */
  lower(expression: string): string
  /** A table or subquery with a workspace's current rows of a table; null: all workspaces'. */
  table(name: Table, workspace: number | null): string
}

/** Runs one query of a report. */
export type RunQuery = (sql: string, values: readonly string[]) => Promise<unknown[][]>

/** What the questions of counts are requested with. */
export interface QueryContext {
  dialect: Dialect
  query: RunQuery
}

/** Collects the parameters of one query; at first there are none. */
export function createParameters(dialect: Pick<Dialect, 'parameter'>) {
  const values: string[] = []
  const bind: Bind = (value, type = 'text') => dialect.parameter(values.push(value) - 1, type)
  return { values, bind }
}
