import { DAY_MS } from '../../intervals.ts'
import type { Dialect } from '../../reports/dialect.ts'

/** Longer lists are a parameter: DuckDB takes long to parse them. */
const LITERALS_AT_MOST = 100

/** DuckDB's SQL. */
export const dialect: Dialect = {
  parameter: (no) => `$${no + 1}`,
  among(expression, numbers, bind) {
    if (numbers.length > LITERALS_AT_MOST) {
      const list = bind(numbers.join(','), 'integers')
      return `${expression} IN (SELECT unnest(CAST('[' || ${list} || ']' AS BIGINT[])))`
    }
    return `${expression} IN (${numbers.join(', ') || 'NULL'})`
  },
  members({ links, groups }, bind) {
    const list = (text: string) =>
      `unnest(CAST('[' || ${bind(text, 'integers')} || ']' AS BIGINT[]))`
    return `(SELECT ${list(links)} AS of_link, ${list(groups)} AS member)`
  },
  // The visitor is the same number all day; the day's bits make another one of it each day.
  distinctVisitors: (condition) =>
    `count(DISTINCT xor(visitor, CAST((time - time % ${DAY_MS}) << 13 AS UBIGINT))) FILTER (WHERE ${condition})`,
  bytewise: (expression) => expression,
  lower: (expression) => `lower(${expression})`,
  table: (name) => name,
}
