import type { Bind, Dialect } from './dialect.ts'

/** Collects the parameters of one query. */
export interface Parameters {
  readonly values: string[]
  readonly bind: Bind
}

/** Without parameters. */
export function createParameters(dialect: Pick<Dialect, 'parameter'>): Parameters {
  const values: string[] = []
  return {
    values,
    bind(value, type = 'text') {
      values.push(value)
      return dialect.parameter(values.length - 1, type)
    },
  }
}
