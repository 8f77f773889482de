import { z } from '@hono/zod-openapi'
import { DETAILS_MAX, type DetailCode, type ErrorDetail } from '../lib/errors/index.ts'

type Issue = z.core.$ZodIssue
type Path = readonly PropertyKey[]

/**
 * The failing fields of a schema's result, with their codes; beyond 100 their number alone. Nested paths have the form `tags[3]`.
 * A schema can set the code by a custom issue with `params: { detail: DetailCode, params?: {…} }`.
 * @param input the validated value, to distinguish missing fields from those of a wrong type
 * @param schema the schema: it has both bounds of a range, an issue only one
 */
export function detailsOfZodError(
  error: z.core.$ZodError,
  input?: unknown,
  schema?: z.core.$ZodType,
): ErrorDetail[] {
  const details: ErrorDetail[] = []
  let more = 0
  for (const issue of error.issues) {
    if (details.length < DETAILS_MAX) details.push(...detailsOf(issue, [], { input, schema }))
    else more += issue.code === 'unrecognized_keys' ? issue.keys.length : 1
  }
  if (more > 0) details.push({ field: '', code: 'TOO_MANY_DETAILS', params: { count: more } })
  return details
}

interface Context {
  input: unknown
  schema: z.core.$ZodType | undefined
}

function detailsOf(issue: Issue, base: Path, context: Context): ErrorDetail[] {
  const path = [...base, ...issue.path]
  const field = fieldOf(path)
  switch (issue.code) {
    case 'unrecognized_keys':
      return issue.keys.map((key) => ({
        field: field === '' ? key : `${field}.${key}`,
        code: 'UNKNOWN_FIELD',
      }))
    case 'invalid_type':
      if (isMissing(context, path)) return [{ field, code: 'REQUIRED' }]
      return [wrongType(field, numberAt(context, path).isInt ? 'integer' : issue.expected)]
    case 'invalid_value':
      if (isMissing(context, path)) return [{ field, code: 'REQUIRED' }]
      return [{ field, code: 'INVALID_VALUE', params: { allowed: issue.values.map(String) } }]
    case 'too_big':
    case 'too_small':
      return [outOfBounds(field, issue, path, context)]
    case 'invalid_format':
      return [wrongFormat(field, issue.format)]
    case 'invalid_union':
      return unionDetails(issue.errors, path, context)
    case 'custom':
      return [customDetail(field, issue.params)]
    default:
      return [{ field, code: 'INVALID_VALUE', params: { allowed: [issue.code] } }]
  }
}

/** A path in its public form: `rules[2].when.country[0]`. */
export function fieldOf(path: Path): string {
  return path
    .map((key, i) => (typeof key === 'number' ? `[${key}]` : `${i === 0 ? '' : '.'}${String(key)}`))
    .join('')
}

/** Zod's type names that differ from those of JSON Schema. */
const TYPES: Readonly<Record<string, string>> = { int: 'integer', record: 'object', map: 'object' }

function wrongType(field: string, expected: string): ErrorDetail {
  return { field, code: 'INVALID_TYPE', params: { expected: TYPES[expected] ?? expected } }
}

function wrongFormat(field: string, format: string): ErrorDetail {
  if (format === 'datetime' || format === 'date') return { field, code: 'INVALID_TIMESTAMP' }
  if (format === 'url') return { field, code: 'INVALID_URL' }
  return { field, code: 'INVALID_VALUE', params: { allowed: [format] } }
}

function outOfBounds(
  field: string,
  issue: Extract<Issue, { code: 'too_big' | 'too_small' }>,
  path: Path,
  context: Context,
): ErrorDetail {
  const isList = issue.origin === 'array' || issue.origin === 'set'
  if (issue.code === 'too_big') {
    const max = Number(issue.maximum)
    if (issue.origin === 'string') return { field, code: 'TOO_LONG', params: { max } }
    if (isList) return { field, code: 'TOO_MANY', params: { max } }
    return { field, code: 'OUT_OF_RANGE', params: { ...boundsAt(context, path), max } }
  }
  const min = Number(issue.minimum)
  if (issue.origin === 'string') return { field, code: 'TOO_SHORT', params: { min } }
  if (isList) return { field, code: 'TOO_FEW', params: { min } }
  return { field, code: 'OUT_OF_RANGE', params: { ...boundsAt(context, path), min } }
}

/** The bounds of a number that its schema sets: Zod itself bounds each integer to what a double holds exactly. */
function boundsAt(context: Context, path: Path): { min?: number; max?: number } {
  const { minValue, maxValue } = numberAt(context, path)
  const isSet = (bound: number | null | undefined): bound is number =>
    typeof bound === 'number' && Math.abs(bound) < Number.MAX_SAFE_INTEGER
  return { ...(isSet(minValue) && { min: minValue }), ...(isSet(maxValue) && { max: maxValue }) }
}

/** The details of the union's branch whose type matches. */
function unionDetails(branches: readonly Issue[][], path: Path, context: Context): ErrorDetail[] {
  const fitting = branches.find((issues) =>
    issues.every((issue) => issue.path.length > 0 || issue.code !== 'invalid_type'),
  )
  const chosen = fitting ?? branches[0]?.slice(0, 1) ?? []
  if (chosen.length === 0) return [wrongType(fieldOf(path), 'object')]
  return chosen.flatMap((issue) => detailsOf(issue, path, context))
}

function customDetail(field: string, params: Record<string, unknown> | undefined): ErrorDetail {
  const code = params?.detail as DetailCode | undefined
  if (code === undefined) return { field, code: 'INVALID_CHARACTERS' }
  const given = params?.params
  // The schema's author is responsible for the parameters: those of an issue are untyped.
  return (given === undefined ? { field, code } : { field, code, params: given }) as ErrorDetail
}

function valueAt(input: unknown, path: Path): unknown {
  let value = input
  for (const key of path) {
    // A repeatable parameter that is given once.
    if (key === 0 && typeof value === 'string') continue
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined
    value = (value as Record<PropertyKey, unknown>)[key]
  }
  return value
}

/** Null counts as absent, so a required field that is null is missing. */
function isMissing(context: Context, path: Path): boolean {
  const value = valueAt(context.input, path)
  if (value !== null || typeof path.at(-1) === 'number') return value === undefined
  return !(schemaAt(context, path) instanceof z.ZodOptional)
}

/** The number's schema at a path, for bounds that an issue lacks; empty if there is none. */
function numberAt(context: Context, path: Path): Partial<z.ZodNumber> {
  const at = unwrapped(schemaAt(context, path))
  return at instanceof z.ZodNumber ? at : {}
}

function schemaAt({ schema }: Context, path: Path): z.core.$ZodType | undefined {
  return path.reduce<z.core.$ZodType | undefined>((at, key) => {
    const { element, shape } = definitionOf(unwrapped(at))
    return element ?? shape?.[String(key)]
  }, schema)
}

/**
 * The inner schema of `optional`, `nullable` and `default`; of a pipe its input if that is a number
 * or is only transformed, else its output.
 */
function unwrapped(schema: z.core.$ZodType | undefined): z.core.$ZodType | undefined {
  let at = schema
  for (;;) {
    const { innerType, in: first, out } = definitionOf(at)
    const isFirst = first instanceof z.ZodNumber || out instanceof z.ZodTransform
    const next = innerType ?? (isFirst ? first : out)
    if (next === undefined) return at
    at = next
  }
}

function definitionOf(schema: z.core.$ZodType | undefined) {
  return (schema?._zod.def ?? {}) as {
    [name in 'innerType' | 'in' | 'out' | 'element']?: z.core.$ZodType
  } & { shape?: Readonly<Record<string, z.core.$ZodType>> }
}

/** The names of an object's members, or of a query's parameters. */
export function parametersOf(schema: z.core.$ZodType | undefined): string[] {
  return Object.keys(definitionOf(unwrapped(schema)).shape ?? {})
}

/**
 * The failing fields of a query by parameter name, without duplicates. A fault of the second value
 * of `kind` is reported as `kind` too, because clients don't send a list.
 */
export function byParameter(details: readonly ErrorDetail[]): ErrorDetail[] {
  const once = new Map<string, ErrorDetail>()
  for (const detail of details) {
    const field = detail.field.replace(/\[\d+\]$/, '')
    const key = `${field}\n${detail.code}`
    if (!once.has(key)) once.set(key, { ...detail, field })
  }
  return [...once.values()]
}
