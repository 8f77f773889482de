import type { DuckDBType, DuckDBValue } from '@duckdb/node-api'
import { VARCHAR } from '../../store/duckdb.ts'

/** A value that takes the place of a parameter. */
export interface Bound {
  readonly value: DuckDBValue
  readonly type: DuckDBType
}

/** Text of our own, and the values of its parameters. */
export class Sql {
  constructor(
    readonly text: string,
    readonly values: readonly Bound[],
  ) {}
}

/** Puts queries together: parts stay parts, values become parameters. */
export function sql(texts: TemplateStringsArray, ...parts: readonly (Sql | Bound)[]): Sql {
  let text = texts[0] as string
  const values: Bound[] = []
  parts.forEach((part, i) => {
    if (part instanceof Sql) {
      text += part.text
      values.push(...part.values)
    } else {
      text += '?'
      values.push(part)
    }
    text += texts[i + 1]
  })
  return new Sql(text, values)
}

/** Text from our own constants: never what came from outside. */
export function raw(text: string): Sql {
  return new Sql(text, [])
}

/** All of them, or `none` when there are none. */
export function join(
  parts: readonly Sql[],
  separator: ' AND ' | ' OR ' | ', ' | ' ' | ' UNION ALL ',
  none = '',
): Sql {
  if (parts.length === 0) return raw(none)
  return new Sql(
    parts.map(({ text }) => text).join(separator),
    parts.flatMap(({ values }) => values),
  )
}

/**
 * A whole number, which stands in the text itself: what has no parameters reaches DuckDB by one call instead
 * of three, each of which another thread takes up. @throws RangeError
 */
export function integer(value: number): Sql {
  if (!Number.isSafeInteger(value)) throw new RangeError('Not a whole number')
  // One below 0 behind a minus would begin a comment.
  return raw(value < 0 ? `(${value})` : String(value))
}

/** The same as 64 bits, which numbers that are small otherwise aren't. */
export function bigint(value: number): Sql {
  return sql`${integer(value)}::BIGINT`
}

export function text(value: string): Bound {
  return { value, type: VARCHAR }
}

/** A list of whole numbers as one parameter, for `IN` or `FROM`. */
export function numbers(values: readonly number[]): Sql {
  return sql`(SELECT unnest(string_split(${text(values.join(','))}, ','))::BIGINT)`
}
