import { z } from '@hono/zod-openapi'
import { AppError, type DetailCode, type ErrorCode, renderError } from '../lib/errors/index.ts'
import { LOCALES } from '../lib/i18n/index.ts'

const REQUEST_ID = 'req_01jd2x3y4z5a6b7c8d9e0f1g2h'
const STABLE = 'Stable: programs may rely on it.'

/** An error with all of its members, in English. */
function errorExample(): object {
  const error = new AppError('SLUG_TAKEN', { suggestions: ['launch-2', 'launch-7k', 'launch-x4'] })
  const baseUrl = 'https://go.example.com'
  const view = { locale: 'en', requestId: REQUEST_ID, asProblem: false, baseUrl } as const
  return JSON.parse(renderError(error, view).text ?? '{}') as object
}

/** Names of constants for generators whose enums share a namespace, like Go's. */
function namesOf(prefix: string, codes: readonly string[]) {
  return { 'x-enum-varnames': codes.map((code) => `${prefix}_${code}`) }
}

const messageSchema = z.string().openapi({ description: 'For people, in the chosen language.' })

const requestIdSchema = z
  .string()
  .openapi({ description: 'The same as `X-Request-Id`.', example: REQUEST_ID })
const suggestionsSchema = z
  .array(z.string())
  .openapi({ description: 'With SLUG_TAKEN: available slugs.' })

const oldestSchema = z.string().nullable().openapi({
  description: 'With EVENTS_EXPIRED: the id of the oldest event that is kept. Null: there is none.',
})

/** The schema of an API's errors. */
export function errorSchemas(codes: readonly ErrorCode[], detailCodes: readonly DetailCode[]) {
  const codeSchema = z
    .enum(codes as [ErrorCode, ...ErrorCode[]])
    .openapi('ErrorCode', { description: STABLE, ...namesOf('ERROR', codes) })

  const detailSchema = z
    .strictObject({
      field: z.string().openapi({
        description: 'The field’s path, `tags[3]` for instance; or a parameter’s or header’s name.',
        example: 'destination_url',
      }),
      code: z.enum(detailCodes as [DetailCode, ...DetailCode[]]).openapi('DetailCode', {
        description: STABLE,
        example: 'REQUIRED',
        ...namesOf('DETAIL', detailCodes),
      }),
      message: messageSchema,
    })
    .openapi('ErrorDetail')

  const detailsSchema = z.array(detailSchema).openapi({
    description:
      'Every field that fails, not only the first. After 100 of them TOO_MANY_DETAILS says how many more there are.',
  })

  const error = z
    .strictObject({
      error: z
        .strictObject({
          code: codeSchema,
          message: messageSchema,
          request_id: requestIdSchema,
          details: detailsSchema.optional(),
          suggestions: suggestionsSchema.optional(),
          oldest: oldestSchema.optional(),
        })
        .openapi('ErrorBody'),
    })
    .openapi('Error', { example: errorExample() })

  return { error }
}

/** Response headers: name → schema and description. */
export const HEADERS = {
  'Retry-After': {
    schema: { type: 'integer', minimum: 1 },
    description: 'Seconds after which a retry is allowed.',
  },
  'WWW-Authenticate': { schema: { type: 'string' }, description: 'RFC 6750 §3.' },
  ETag: {
    schema: { type: 'string', examples: ['"1.1k9x2v"'] },
    description: 'For `If-None-Match` and `If-Match`.',
  },
  'Idempotent-Replayed': {
    schema: { type: 'string', enum: ['true'] },
    description: 'This is the response to an earlier request with the same Idempotency-Key.',
  },
  'Dry-Run': {
    schema: { type: 'string', enum: ['true'] },
    description: 'Nothing was written: the request had `dry_run=true`.',
  },
  'Accept-Patch': {
    schema: { type: 'string' },
    description: 'The media types that PATCH accepts.',
  },
  'Accept-Post': { schema: { type: 'string' }, description: 'The media types that POST accepts.' },
} as const

/** Parameters that the pipeline reads instead of the endpoint. */
export const PARAMETERS = {
  lang: {
    name: 'lang',
    in: 'query',
    description: `The language of messages, before \`Accept-Language\`: ${LOCALES.join(', ')}.`,
    schema: { type: 'string', examples: ['de'] },
  },
  dry_run: {
    name: 'dry_run',
    in: 'query',
    description:
      'With `true` the request is checked and answered as usual, with `Dry-Run: true`, and nothing is written; an `Idempotency-Key` is checked, but not used up. Ids and generated slugs will differ.',
    schema: { type: 'string', enum: ['true', 'false'], default: 'false' },
  },
  'Idempotency-Key': {
    name: 'Idempotency-Key',
    in: 'header',
    description:
      'Makes a retry safe: the request takes effect once, and for 24 hours the same request with the same key gets the same response. Use a UUID, for example.',
    schema: { type: 'string', minLength: 1, maxLength: 255 },
  },
  'If-Match': {
    name: 'If-Match',
    in: 'header',
    description: 'Only if the object still has the version of this ETag; else 412.',
    schema: { type: 'string', examples: ['"1.1k9x2v"'] },
  },
  'If-None-Match': {
    name: 'If-None-Match',
    in: 'header',
    description:
      'GET: 304 if nothing has changed, clicks included. Other methods: 412 if the object has this version.',
    schema: { type: 'string', examples: ['"1.1k9x2v"'] },
  },
} as const
