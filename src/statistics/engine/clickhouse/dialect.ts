import { DAY_MS } from '../../intervals.ts'
import type { Dialect } from '../../reports/dialect.ts'

/** ClickHouse's SQL, for the tables of `schema.ts`. */
export const clickHouseDialect: Dialect = {
  parameter: (no) => `{p${no}:String}`,
  among: (expression, numbers) =>
    numbers.length === 0 ? '1 = 0' : `${expression} IN (${numbers.join(',')})`,
  // Visitors of different days differ by the day that their hash is combined with.
  distinctVisitors: (condition) =>
    `uniqExactIf(bitXor(visitor, bitShiftLeft(time - time % ${DAY_MS}, 13)),
      visitor IS NOT NULL AND ${condition})`,
  bytewise: (expression) => expression,
  lower: (expression) => `lowerUTF8(${expression})`,
  table(name, workspace) {
    const from = name === 'clicks' ? name : `${name} FINAL`
    const isCurrent = (before: string) =>
      name === 'clicks' ? `time >= ${before} * ${DAY_MS}` : `day < ${before}`
    if (workspace !== null) {
      const before = `(SELECT max(before) FROM purged WHERE workspace = ${workspace})`
      return `(SELECT * FROM ${from} WHERE ${isCurrent(before)})`
    }
    return `(SELECT ${name}.* FROM ${from} LEFT JOIN
      (SELECT workspace AS w, max(before) AS done FROM purged GROUP BY w) boundaries
      ON w = ${name}.workspace WHERE ${isCurrent('done')})`
  },
}
