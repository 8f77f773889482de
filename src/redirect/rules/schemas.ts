import { z } from '@hono/zod-openapi'
import {
  addIssues,
  boundedList,
  boundedText,
  checked,
  checkWith,
  isObject,
  someText,
} from '../../lib/validation/checked.ts'
import { ValidationIssue } from '../../lib/validation/validation-issue.ts'
import { whenSchema } from './condition-schemas.ts'
import { ANSWERS, RULE_BOUNDS, type Rule, type Variant } from './types.ts'

/** Validates a destination; only a fault of its result is used. */
type CheckUrl = (text: string) => unknown

const id = checked(z.string(), (text) =>
  /^[\w.-]{1,64}$/.test(text) ? text : new ValidationIssue('INVALID_CHARACTERS'),
)
  .optional()
  .openapi({
    pattern: '^[A-Za-z0-9_.\\-]{1,64}$',
    description: 'Its id in statistics; unique in its list. Absent: derived from its content.',
  })
const name = boundedText({ max: RULE_BOUNDS.name, min: 1 })
  .nullable()
  .optional()
  .transform((text) => text ?? undefined)

const OUTCOMES = ['destination_url', 'variants', 'answer'] as const

/** Checks that ids of a list are unique. */
const distinctIds = checkWith<readonly { id?: unknown }[]>((list) => {
  const ids = list.map((item) => item?.id)
  const isRepeated = (id: unknown, i: number) => id !== undefined && ids.indexOf(id) < i
  return ids.flatMap((id, i) =>
    isRepeated(id, i) ? [new ValidationIssue('DUPLICATE_VALUE', undefined, [i, 'id'])] : [],
  )
}, Array.isArray)

const onlyOne = checkWith<Partial<Record<(typeof OUTCOMES)[number], unknown>>>((then) => {
  const [first, ...others] = OUTCOMES.filter((key) => then[key] !== undefined)
  if (first === undefined) return [new ValidationIssue('REQUIRED')]
  return others.map((key) =>
    new ValidationIssue('CONFLICTING_PARAMETERS', { other: first }).at(key),
  )
}, isObject)

/** Refuses a list whose JSON is too long even if normalized values are half as long as these. */
function sized<S extends z.ZodType>(list: S) {
  return z.preprocess((given, context) => {
    const fault = Array.isArray(given) && stored(given, 2)
    if (fault instanceof ValidationIssue) addIssues(context, [fault])
    return given
  }, list)
}

function stored<T>(value: T, factor = 1): T | ValidationIssue {
  const max = RULE_BOUNDS.stored
  return JSON.stringify(value).length > factor * max
    ? new ValidationIssue('TOO_LONG', { max })
    : value
}

/** The schemas of the fields `rules` and `variants` in requests. */
export function createRuleFields(checkUrl: CheckUrl) {
  const url = checked(someText, (text) => {
    const verdict = checkUrl(text)
    return verdict instanceof ValidationIssue ? verdict : text
  }).openapi({ description: 'As `destination_url` of a link.' })

  const variant = z
    .strictObject({
      id,
      name,
      destination_url: url,
      weight: z
        .int()
        .min(1)
        .max(RULE_BOUNDS.weight)
        .openapi({ description: 'Its share is this divided by the sum of all.' }),
    })
    .openapi('VariantInput')

  const list = (min?: number) =>
    boundedList(variant, {
      max: RULE_BOUNDS.variants,
      check: distinctIds,
      ...(min !== undefined && { min }),
    })
  const identified = (all: z.output<typeof variant>[]) => withIds(all, (one) => one.destination_url)
  const variants = list(2).transform(identified)

  const then = z
    .strictObject({
      destination_url: url.optional(),
      variants: variants.optional(),
      answer: z
        .enum(ANSWERS)
        .optional()
        .openapi({
          description:
            '`fallback`: to the `fallback_url`, else 404; `not_found`: the 404 page; `gone`: the ' +
            '410 page. None of them counts as a click.',
        }),
    })
    .check(onlyOne)
    .openapi({ description: 'Exactly one of these.', minProperties: 1, maxProperties: 1 })

  const rule = z.strictObject({ id, name, when: whenSchema, then }).openapi('RuleInput')

  const rules = checked(
    sized(boundedList(rule, { max: RULE_BOUNDS.rules, check: distinctIds })),
    (all) => stored(withIds(all, (one) => [one.when, one.then]) as Rule[]),
  )
  const split = checked(sized(list()), (all) =>
    // No variants: visitors aren't split.
    all.length === 1
      ? new ValidationIssue('TOO_FEW', { min: 2 })
      : stored(identified(all) as Variant[]),
  )
  return described(rules, split)
}

function described<R extends z.ZodType, S extends z.ZodType>(rules: R, variants: S) {
  return {
    rules: rules.nullable().openapi({
      description:
        'In order: the first whose conditions all match decides where the visitor is sent, else ' +
        'the link does. An update replaces the whole list.',
      example: [
        {
          name: 'iPhones',
          when: { os: ['iOS'] },
          then: { destination_url: 'https://example.com/ios' },
        },
      ],
    }),
    variants: variants.nullable().openapi({
      description:
        'Splits the visitors without a matching rule between 2 to 20 destinations; none: ' +
        '`destination_url` gets them all. A visitor keeps the same one for the UTC day.',
    }),
  }
}

/**
 * Gives items without an id one derived from their content, so that repeating a request changes
 * nothing, and unchanged items keep their statistics.
 */
function withIds<T extends { id?: string | undefined }>(
  list: readonly T[],
  content: (item: T) => unknown,
): (T & { id: string })[] {
  const taken = new Set(list.map(({ id }) => id))
  return list.map((item) => {
    if (item.id !== undefined) return { ...item, id: item.id }
    const base = Bun.hash(JSON.stringify(content(item))).toString(36)
    let id = base
    for (let n = 2; taken.has(id); n++) id = `${base.slice(0, RULE_BOUNDS.id - 4)}-${n}`
    taken.add(id)
    // The id comes first, as in responses.
    const { id: _, ...rest } = item
    return { id, ...rest } as T & { id: string }
  })
}

const text = (description: string) => z.string().openapi({ description })

const VariantSchema = z
  .object({
    id: text('Its id in statistics.'),
    name: text('A name for people.').optional(),
    destination_url: text('Where these visitors are sent, byte for byte as it was given.'),
    weight: z.int().openapi({ description: 'Its share is this divided by the sum of all.' }),
  })
  .openapi('Variant')

const RuleSchema = z
  .object({
    id: text('Its id in statistics.'),
    name: text('A name for people.').optional(),
    when: whenSchema,
    then: z
      .object({
        destination_url: text('Where these visitors are sent.').optional(),
        variants: z.array(VariantSchema).optional(),
        answer: z.enum(ANSWERS).optional(),
      })
      .openapi({ description: 'Exactly one of these.' }),
  })
  .openapi('Rule')

/** The fields `rules` and `variants` of a link in responses. */
export const RULE_FIELDS = {
  rules: (z.array(RuleSchema) as unknown as z.ZodType<Rule[]>).openapi({
    description: 'The first rule whose conditions all match decides; none: the link itself.',
  }),
  variants: (z.array(VariantSchema) as unknown as z.ZodType<Variant[]>).openapi({
    description: 'Destinations between which visitors without a matching rule are split.',
  }),
}
