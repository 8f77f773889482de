import { z } from '@hono/zod-openapi'
import { invalid } from '../../../lib/errors/index.ts'
import { orDefault } from '../../../lib/validation/checked.ts'
import { LINK_EXAMPLE, LinkSchema } from '../schemas.ts'

/** The most operations of a request. */
export const OPERATIONS_MAX = 1_000
/** The most bytes of a request. */
export const BULK_BYTES_MAX = 4 * 1024 * 1024
/** Up to this many operations count as one request for the rate limit. */
const OPERATIONS_PER_REQUEST = 100

/**
 * How many requests a bulk request counts as: each password to be hashed as one.
 * @throws AppError VALIDATION_FAILED: the burst has no room for so many passwords
 */
export function costOf(
  { operations }: { operations: readonly unknown[] },
  isDryRun: boolean,
  burst: number | null,
): number {
  const requests = Math.ceil(operations.length / OPERATIONS_PER_REQUEST)
  if (isDryRun) return requests
  const places = passwordPlaces(operations)
  const max = burst === null ? places.length : Math.max(1, burst - requests)
  if (places.length <= max) return requests + places.length
  const field = `operations[${places[max]}].link.password`
  throw invalid({ field, code: 'TOO_MANY', params: { max } })
}

/** The shortest operation, with its comma: `{"op":"delete","id":"x"},`. */
const OPERATION_BYTES_MIN = 25

/** The most that the operations of a body cost, passwords aside. */
export const costMaxOf = (bytes: number) =>
  Math.ceil(Math.min(OPERATIONS_MAX, bytes / OPERATION_BYTES_MIN) / OPERATIONS_PER_REQUEST)

/** Where the different passwords are, which cost as much to hash as those of single links. */
function passwordPlaces(operations: readonly unknown[]): number[] {
  const places = new Map<string, number>()
  for (const [i, each] of operations.entries()) {
    const link = (each as { link?: { password?: unknown } } | null)?.link
    const password = link?.password
    if (typeof password === 'string' && !places.has(password)) places.set(password, i)
  }
  return [...places.values()]
}

const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` })
const string = (description: string) => ({ type: 'string', description })
const ID = string('The id of the link.')
const EXTERNAL_ID = string('The id of the link in your own system.')
const IF_MATCH = {
  type: ['string', 'integer'],
  description: 'The version that the link must still have, or its ETag.',
}

function operation(op: string, properties: object, required: string[]) {
  return {
    type: 'object',
    title: op,
    properties: { op: { type: 'string', enum: [op] }, ...properties },
    required: ['op', ...required],
    additionalProperties: false,
  }
}

/** Each operation is validated on its own, so that an invalid one doesn't stop the others. */
const operations = z
  .array(z.unknown())
  .min(1)
  .max(OPERATIONS_MAX)
  .openapi({
    type: 'array',
    description: 'What to do, in this order. A link is named by `id` or by `external_id`.',
    minItems: 1,
    maxItems: OPERATIONS_MAX,
    items: {
      oneOf: [
        operation('create', { link: ref('LinkCreate') }, ['link']),
        operation(
          'update',
          { id: ID, external_id: EXTERNAL_ID, if_match: IF_MATCH, link: ref('LinkPatch') },
          ['link'],
        ),
        operation('delete', { id: ID, external_id: EXTERNAL_ID }, []),
        operation('upsert', { external_id: EXTERNAL_ID, link: ref('LinkCreate') }, [
          'external_id',
          'link',
        ]),
      ],
    } as never,
  })

export const BulkSchema = z
  .strictObject({
    atomic: orDefault(z.boolean(), false)
      .default(false)
      .openapi({
        default: false,
        description:
          'True: all or none; the first refused operation rolls back all, and the response is ' +
          'BULK_FAILED. False: each independently.',
      }),
    if_exists: z
      .enum(['return'])
      .nullish()
      .openapi({
        description:
          '`return`: a `create` whose link exists, with the same destination, domain and every ' +
          'other given field, returns the newest such link with 200.',
      }),
    operations,
  })
  .openapi('LinkBulk')

export const BULK_EXAMPLE = {
  atomic: false,
  operations: [
    { op: 'create', link: { destination_url: LINK_EXAMPLE.destination_url } },
    { op: 'update', id: LINK_EXAMPLE.id, if_match: 3, link: { title: LINK_EXAMPLE.title } },
    { op: 'upsert', external_id: 'crm-4712', link: { destination_url: 'https://example.com/' } },
    { op: 'delete', external_id: 'crm-4713' },
  ],
}

const FaultSchema = z
  .object({ field: z.string(), code: z.string(), message: z.string() })
  .openapi('LinkBulkFault')

const OutcomeSchema = z.object({
  index: z.int().openapi({ description: 'Which operation this is about, from 0.' }),
  status: z.int().openapi({
    description: 'The status that the operation alone would get: 200, 201, 204, 404, 409, 422, ….',
  }),
  link: LinkSchema.optional().openapi({ description: 'The current link; absent for deletions.' }),
  error: z
    .object({
      code: z.string(),
      message: z.string(),
      details: z
        .array(FaultSchema)
        .optional()
        .openapi({ description: 'Each fault, with its place: `operations[7].link.slug`.' }),
      suggestions: z.array(z.string()).optional(),
    })
    .optional()
    .openapi({ description: 'Why it was refused.' }),
})

const count = (description: string) => z.int().min(0).openapi({ description })

export const BulkResultSchema = z
  .object({
    data: z
      .array(OutcomeSchema)
      .openapi({ description: 'The results of the operations, in order.' }),
    summary: z.object({
      succeeded: count('How many operations were done.'),
      failed: count('How many were refused.'),
    }),
  })
  .openapi('LinkBulkResult')
