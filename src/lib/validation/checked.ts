import { z } from '@hono/zod-openapi'
import { checkText, type TextBounds } from './text.ts'
import { ValidationIssue } from './validation-issue.ts'

/** Validates a value for a workspace; null: none, so only shared values are valid. */
export function parseFor<S extends z.ZodType>(
  workspaceNo: number | null,
  schema: S,
  value: unknown,
): z.ZodSafeParseResult<z.output<S>> {
  const context: object = { workspaceNo }
  return schema.safeParse(value, context)
}

/** A transformation that gets the workspace: Zod passes its context to schemas, not to their functions. */
const WorkspaceTransform = z.core.$constructor<z.ZodTransform>('WorkspaceTransform', (it, def) => {
  z.ZodTransform.init(it, def)
  const { parse } = it._zod
  it._zod.parse = (payload, context) => {
    const { workspaceNo = null } = context as { workspaceNo?: number | null }
    return parse(Object.assign(payload, { workspaceNo }), context)
  }
})

/** A schema whose values are parsed by a check, which may depend on the workspace of {@link parseFor}. */
export function checked<S extends z.ZodType, T>(
  schema: S,
  check: (
    value: z.output<S>,
    workspaceNo: number | null,
  ) => T | ValidationIssue | ValidationIssue[],
) {
  type Parsed = Exclude<T, ValidationIssue | ValidationIssue[]>
  const transform = (value: unknown, payload: z.core.ParsePayload) => {
    const context = payload as z.RefinementCtx & { workspaceNo: number | null }
    const result = check(value as z.output<S>, context.workspaceNo)
    const faults = result instanceof ValidationIssue ? [result] : result
    if (!Array.isArray(faults) || !(faults[0] instanceof ValidationIssue)) return result
    addIssues(context, faults as ValidationIssue[])
    return z.NEVER
  }
  const parsed = new WorkspaceTransform({ type: 'transform', transform })
  return schema.pipe(parsed as z.ZodTransform<Parsed, z.output<S>>)
}

/**
 * A check of a value as a whole, for `schema.check`. By default it runs once all members are valid;
 * with `when` also before, so that all faults are reported together.
 */
export function checkWith<T>(
  faultsOf: (value: T) => readonly ValidationIssue[],
  when?: (value: unknown) => boolean,
) {
  return z.superRefine<T>(
    (value, context) => addIssues(context, faultsOf(value)),
    when && { when: ({ value }) => when(value) },
  )
}

/** Whether a value has members. */
export function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Reports faults of a value. */
export function addIssues(context: z.RefinementCtx, faults: readonly ValidationIssue[]): void {
  for (const { code, params, path } of faults) {
    context.addIssue({ code: 'custom', path: [...path], params: { detail: code, params } })
  }
}

const INTEGER = /^-?\d+$/

/** Parses a query parameter that is a whole number from `min` to `max`. */
export function checkWhole(max: number, min = 1) {
  return (text: string): number | ValidationIssue => {
    if (!INTEGER.test(text)) return new ValidationIssue('INVALID_TYPE', { expected: 'integer' })
    const value = Number(text)
    return value < min || value > max ? new ValidationIssue('OUT_OF_RANGE', { min, max }) : value
  }
}

/** The schema of such a number. */
export function whole(max: number, min = 1) {
  const digits = z.string().openapi({ type: 'integer', minimum: min, maximum: max })
  return checked(digits, checkWhole(max, min))
}

/**
 * A text of which the document says that it isn't empty. What reads it refuses an empty one, each with
 * a code of its own.
 */
export const someText = z.string().openapi({ minLength: 1 })

/** The schema of a text. `prepare` runs first, to trim it for example. */
export function boundedText(bounds: TextBounds, prepare = (text: string) => text) {
  const { min: minLength, max: maxLength } = bounds
  const text = z.string().openapi({ ...(minLength && { minLength }), maxLength })
  const check = checkText(bounds)
  return checked(text, (given) => check(prepare(given)))
}

/** Bounds of a list, in items. */
interface ListBounds<S extends z.ZodType> {
  max: number
  min?: number
  /** A check of the list as a whole. */
  check?: z.core.$ZodCheck<z.output<S>[]>
}

/**
 * The schema of a list. Its length is checked first, as it was sent: Zod by itself validates all
 * items before.
 */
export function boundedList<S extends z.ZodType>(item: S, { max, min, check }: ListBounds<S>) {
  const upTo = z.array(item).max(max)
  const list = min === undefined ? upTo : upTo.min(min)
  return z.preprocess(
    (value, context) => {
      if (Array.isArray(value)) assertCount(value.length, max, context)
      return value
    },
    check === undefined ? list : list.check(check),
  )
}

/** The schema of an object with any names. Their number is checked before them. */
export function boundedRecord<K extends z.ZodType<string, string>, V extends z.ZodType>(
  name: K,
  value: V,
  max: number,
) {
  return z.preprocess(
    (given, context) => {
      if (isObject(given)) assertCount(Object.keys(given as object).length, max, context)
      return given
    },
    z.record(name, value),
  )
}

/** An issue of a preprocessing step ends the validation of the value. */
function assertCount(count: number, max: number, context: z.RefinementCtx): void {
  if (count > max) addIssues(context, [new ValidationIssue('TOO_MANY', { max })])
}

/**
 * Null means the default: an update resets the field, a new object gets it as if it were absent.
 */
export function orDefault<S extends z.ZodType, D extends z.output<S> | undefined>(
  schema: S,
  value: D,
) {
  return schema.nullable().transform((given): NonNullable<z.output<S>> | D => given ?? value)
}
