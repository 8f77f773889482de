import { z } from '@hono/zod-openapi'
import { BYTES_PER_REQUEST } from '../../../http/meter.ts'
import { invalid } from '../../../lib/errors/index.ts'
import { orDefault } from '../../../lib/validation/checked.ts'
import { LINK_EXAMPLE, LinkSchema } from '../schemas.ts'

/** The most operations of a request. */
export const OPERATIONS_MAX = 1_000
/** How many versions a restore may go back: histories of many links are read. */
export const RESTORE_REACH = 20
/** The most bytes of a request. */
export const BULK_BYTES_MAX = 4 * 1024 * 1024
/**
 * The most bytes that the links of a request's operations have together, each as often as it is
 * named: each operation records and answers its whole link.
 */
export const LINK_BYTES_MAX = 16 * 1024 * 1024
/** Up to this many operations count as one request for the rate limit. */
const OPERATIONS_PER_REQUEST = 100

/** How many requests a number of operations cost, without what they record. */
export function requestsFor(operations: number): number {
  return Math.max(1, Math.ceil(operations / OPERATIONS_PER_REQUEST))
}

/**
 * How many requests a bulk request counts as: by its operations or by the `bytes` of the link of
 * each, whichever is more, and each password to be hashed as one.
 * @throws AppError VALIDATION_FAILED: so many bytes are never allowed, or the burst has no room for
 *   them or for so many passwords
 */
export function costOf(
  { operations }: { operations: readonly unknown[] },
  bytes: readonly number[],
  isDryRun: boolean,
  burst: number | null,
): number {
  const requests = requestsOf(bytes, burst)
  if (isDryRun) return requests
  const places = passwordPlaces(operations)
  const max = burst === null ? places.length : Math.max(1, burst - requests)
  if (places.length <= max) return requests + places.length
  const field = `operations[${places[max]}].link.password`
  throw invalid({ field, code: 'TOO_MANY', params: { max } })
}

/** What operations cost without their passwords. @throws AppError VALIDATION_FAILED */
function requestsOf(bytes: readonly number[], burst: number | null): number {
  let [sum, fitting, requests] = [0, 0, 0]
  for (const [i, each] of bytes.entries()) {
    sum += each
    const ofOperations = requestsFor(i + 1)
    requests = Math.max(ofOperations, Math.ceil(sum / BYTES_PER_REQUEST))
    const most = burst === null ? requests : Math.max(burst, ofOperations)
    // A single one is as good as a request of its own.
    if (i === 0 || (sum <= LINK_BYTES_MAX && requests <= most)) fitting = i + 1
  }
  if (fitting === bytes.length) return requests
  throw tooManyOperations(fitting)
}

/** The error for operations on links that are too large together. */
export function tooManyOperations(max: number) {
  return invalid({ field: 'operations', code: 'TOO_MANY', params: { max } })
}

/** The most that the operations of a body cost, by the names of members in it: it isn't parsed. */
export function costMaxOf(body: Uint8Array): number {
  const operations = Math.min(OPERATIONS_MAX, timesIn(body, '"op"'))
  return requestsFor(operations) + timesIn(body, '"password"')
}

/** How often a text is in a body, up to the most operations. */
function timesIn(body: Uint8Array, text: string): number {
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength)
  let times = 0
  for (let at = bytes.indexOf(text); at !== -1 && times < OPERATIONS_MAX; times++) {
    at = bytes.indexOf(text, at + text.length)
  }
  return times
}

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
const string = (description: string) => ({ type: 'string', minLength: 1, description })
const ID = string('The id of the link.')
const EXTERNAL_ID = string('The id of the link in your own system.')
const IF_MATCH = {
  type: ['string', 'integer'],
  description: 'The version that the link must still have, or its ETag.',
}

const VERSION = {
  type: 'integer',
  minimum: 1,
  description:
    `The version whose state is to be restored, at most ${RESTORE_REACH} back. Absent: a deleted link ` +
    'comes back as it was.',
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
    description:
      'What to do, in this order. A link is named by `id` or by `external_id`, for `restore` by `id`.',
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
        operation('delete', { id: ID, external_id: EXTERNAL_ID, if_match: IF_MATCH }, []),
        operation('restore', { id: ID, version: VERSION, if_match: IF_MATCH }, ['id']),
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
        .openapi({ description: 'Each error with its field, such as `operations[7].link.slug`.' }),
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
