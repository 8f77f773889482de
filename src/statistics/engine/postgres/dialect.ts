import { DAY_MS } from '../../intervals.ts'
import type { Dialect } from '../../reports/dialect.ts'

/** PostgreSQL's SQL, for the tables that its migrations create. */
export const postgresDialect: Dialect = {
  parameter: (no, type) =>
    type === 'text' ? `$${no + 1}::text` : `string_to_array($${no + 1}, ',')::bigint[]`,
  among: (expression, numbers, bind) =>
    `${expression} = ANY(${bind(numbers.join(','), 'integers')})`,
  // Visitors of different days differ by the day that their hash is combined with.
  distinctVisitors: (condition) =>
    `count(DISTINCT visitor # ((time - time % ${DAY_MS}) << 13)) FILTER (WHERE ${condition})`,
  bytewise: (expression) => `${expression} COLLATE "C"`,
  lower: (expression) => `lower(${expression} COLLATE "und-x-icu")`,
  table: (name) => name,
}
