import { z } from '@hono/zod-openapi'
import {
  AppError,
  type AppErrorArgs,
  type AppErrorOptions,
  type DetailCode,
  type ErrorCode,
  renderError,
} from '../errors/index.ts'
import { LOCALES } from '../i18n/index.ts'

const REQUEST_ID = 'req_01jd2x3y4z5a6b7c8d9e0f1g2h'
const STABLE = 'Stable: programs may rely on it.'

/** What an example of an error needs besides its code. */
const EXAMPLE_OPTIONS: Partial<Record<ErrorCode, AppErrorOptions & { params?: object }>> = {
  INSUFFICIENT_SCOPE: { params: { scope: 'links:write' } },
  METHOD_NOT_ALLOWED: { params: { allowed: ['GET', 'HEAD', 'OPTIONS'] } },
  PAYLOAD_TOO_LARGE: { params: { max: 65_536 } },
  UNSUPPORTED_MEDIA_TYPE: { params: { allowed: ['application/json'] } },
  RATE_LIMITED: { params: { seconds: 1 } },
  SLUG_TAKEN: { suggestions: ['launch-2', 'launch-7k', 'launch-x4'] },
  VALIDATION_FAILED: {
    details: [
      { field: 'destination_url', code: 'REQUIRED' },
      { field: 'title', code: 'TOO_LONG', params: { max: 255 } },
    ],
  },
  BAD_REQUEST: {
    details: [
      { field: 'Idempotency-Key', code: 'INVALID_HEADER', params: { expected: '[!-~]{1,255}' } },
    ],
  },
  PLAN_LIMIT_REACHED: { details: [{ field: 'links', code: 'LINKS_LIMIT', params: { limit: 50 } }] },
}

/** An answer with this code, in English; RFC 9457's if need be. */
export function errorExample(code: ErrorCode, asProblem = false): object {
  const error = new AppError(...([code, EXAMPLE_OPTIONS[code]] as AppErrorArgs))
  const baseUrl = 'https://go.example.com'
  const view = { locale: 'en', requestId: REQUEST_ID, asProblem, baseUrl } as const
  return JSON.parse(renderError(error, view).text ?? '{}') as object
}

/** Names of constants for generators whose enums share one namespace, as Go's do. */
function namesOf(prefix: string, codes: readonly string[]) {
  return { 'x-enum-varnames': codes.map((code) => `${prefix}_${code}`) }
}

const messageSchema = z.string().openapi({ description: 'For people, in the chosen language.' })

const requestIdSchema = z
  .string()
  .openapi({ description: 'The same as `X-Request-Id`.', example: REQUEST_ID })
const suggestionsSchema = z
  .array(z.string())
  .openapi({ description: 'With SLUG_TAKEN: slugs that are free.' })

/** What every error of an API looks like, and RFC 9457's form of it. */
export function errorSchemas(codes: readonly ErrorCode[], detailCodes: readonly DetailCode[]) {
  const codeSchema = z
    .enum(codes as [ErrorCode, ...ErrorCode[]])
    .openapi('ErrorCode', { description: STABLE, ...namesOf('ERROR', codes) })

  const detailSchema = z
    .strictObject({
      field: z.string().openapi({
        description: 'The field’s path, `tags.3` for instance; or a parameter’s or header’s name.',
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

  const detailsSchema = z
    .array(detailSchema)
    .openapi({ description: 'Every field that fails, not only the first.' })

  const error = z
    .strictObject({
      error: z.strictObject({
        code: codeSchema,
        message: messageSchema,
        request_id: requestIdSchema,
        details: detailsSchema.optional(),
        suggestions: suggestionsSchema.optional(),
      }),
    })
    .openapi('Error')

  const problem = z
    .strictObject({
      type: z.string().openapi({ description: 'Where the code is explained.' }),
      title: z.string().openapi({ description: 'The status in HTTP’s own words, in English.' }),
      status: z.int().openapi({ description: 'The same as the answer’s.' }),
      detail: messageSchema,
      code: codeSchema,
      request_id: requestIdSchema,
      details: detailsSchema.optional(),
      suggestions: suggestionsSchema.optional(),
    })
    .openapi('Problem', {
      description: 'RFC 9457, with `code` and `request_id` as extensions.',
      example: errorExample('SLUG_TAKEN', true),
    })

  return { error, problem }
}

/** Headers of answers: name → schema and meaning. */
export const HEADERS = {
  'X-Request-Id': { schema: { type: 'string' }, description: 'The id of this request.' },
  'RateLimit-Policy': {
    schema: { type: 'string', examples: ['"api";q=60;w=60'] },
    description:
      'What the plan allows: `q` requests in `w` seconds; 999999999999999 where it has no limit.',
  },
  RateLimit: {
    schema: { type: 'string', examples: ['"api";r=59;t=1'] },
    description: '`r` requests are left; in `t` seconds all of them are there again.',
  },
  'X-RateLimit-Limit': {
    schema: { type: 'integer' },
    description: 'Requests per minute that the plan allows.',
  },
  'X-RateLimit-Remaining': { schema: { type: 'integer' }, description: 'Requests that are left.' },
  'X-RateLimit-Reset': {
    schema: { type: 'integer' },
    description: 'When all are there again, in seconds since the Unix epoch.',
  },
  'Retry-After': {
    schema: { type: 'integer', minimum: 1 },
    description: 'Seconds after which a retry is let through.',
  },
  'WWW-Authenticate': { schema: { type: 'string' }, description: 'RFC 6750 §3.' },
  'Content-Language': { schema: { type: 'string' }, description: 'The language of the messages.' },
  ETag: {
    schema: { type: 'string', examples: ['"1.1k9x2v"'] },
    description: 'For `If-None-Match` and `If-Match`.',
  },
  'Idempotent-Replayed': {
    schema: { type: 'string', enum: ['true'] },
    description: 'This is the answer to an earlier request with the same Idempotency-Key.',
  },
  Link: {
    schema: { type: 'string' },
    description: 'With `rel="help"`: the page that explains the code.',
  },
  'Accept-Patch': { schema: { type: 'string' }, description: 'The media types that PATCH takes.' },
  'Accept-Post': { schema: { type: 'string' }, description: 'The media types that POST takes.' },
} as const

/** Parameters that the pipeline reads, not the endpoint. */
export const PARAMETERS = {
  lang: {
    name: 'lang',
    in: 'query',
    description: `The language of messages, before \`Accept-Language\`: ${LOCALES.join(', ')}.`,
    schema: { type: 'string', examples: ['de'] },
  },
  'Accept-Language': {
    name: 'Accept-Language',
    in: 'header',
    description: 'The language of messages (RFC 9110 §12.5.4). What is unknown falls through.',
    schema: { type: 'string', examples: ['pt-BR, pt;q=0.9, en;q=0.5'] },
  },
  'Idempotency-Key': {
    name: 'Idempotency-Key',
    in: 'header',
    description:
      'Makes a retry safe: the effect happens once, and for 24 hours the same request with the same key gets the same answer. A UUID does well.',
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
      'GET: 304 if nothing has changed, clicks included. Changes: 412 if the version is this one.',
    schema: { type: 'string', examples: ['"1.1k9x2v"'] },
  },
} as const
