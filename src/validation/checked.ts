import { z } from '@hono/zod-openapi'
import { Fault } from './fault.ts'

/** A schema whose values a check turns into what the service works with. */
export function checked<S extends z.ZodType, T>(
  schema: S,
  check: (value: z.output<S>) => T | Fault | Fault[],
) {
  return schema.transform((value, context): Exclude<T, Fault | Fault[]> => {
    const result = check(value)
    const faults = result instanceof Fault ? [result] : result
    if (!Array.isArray(faults) || !(faults[0] instanceof Fault)) {
      return result as Exclude<T, Fault | Fault[]>
    }
    for (const fault of faults as Fault[]) {
      context.issues.push({
        code: 'custom',
        input: value,
        path: [...fault.path],
        params: { detail: fault.code, params: fault.params },
      })
    }
    return z.NEVER
  })
}

const INTEGER = /^-?\d+$/

/** Checks a whole number from `min`, 1 by default, to `max`, as a query gives it. */
export function checkWhole(max: number, min = 1) {
  return (text: string): number | Fault => {
    if (!INTEGER.test(text)) return new Fault('INVALID_TYPE', { expected: 'integer' })
    const value = Number(text)
    return value < min || value > max ? new Fault('OUT_OF_RANGE', { min, max }) : value
  }
}

/** The schema of such a number. */
export const whole = (max: number, min = 1) => checked(z.string(), checkWhole(max, min))

/** Null stands for the default: of a change it goes back to it, for something new it is as if absent. */
export function orDefault<S extends z.ZodType, D extends z.output<S> | undefined>(
  schema: S,
  type: 'string' | 'boolean' | 'integer' | 'array' | 'object',
  value: D,
  more: { enum?: (string | number | null)[] } = {},
) {
  return schema
    .nullable()
    .openapi({ type: [type, 'null'], ...more })
    .transform((given): NonNullable<z.output<S>> | D => given ?? value)
}
