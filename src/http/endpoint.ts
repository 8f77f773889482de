import type { z } from '@hono/zod-openapi'
import type { ErrorCode } from '../errors/index.ts'
import type { Api } from './api.ts'
import type { Answer, Call } from './call.ts'
import type { Caller, Permission } from './types.ts'

/** A successful answer, as the reference describes it. */
export interface Success {
  status: 200 | 201 | 204
  description: string
  schema?: z.ZodType
  /** Of an answer that is no JSON. */
  contentType?: string
  /** Headers of this answer besides those that every one has: name → what it says. */
  headers?: Readonly<Record<string, string>>
  example?: unknown
}

/**
 * All there is to know of an endpoint, in one place: what the pipeline enforces and what the
 * OpenAPI document says are the same declaration.
 */
export interface Endpoint<
  S extends Permission | null,
  P extends z.ZodType,
  Q extends z.ZodType,
  B extends z.ZodType,
> {
  method: 'get' | 'post' | 'patch' | 'delete'
  /** The whole path, with parameters in braces: `/api/v1/links/{id}`. */
  path: string
  /** What the caller must be allowed to do; null: no key is needed. */
  scope: S
  /**
   * On the dashboard's API, with `scope: null`: somebody must be signed in, in no matter what
   * workspace; or whoever owns the instance.
   */
  person?: true | 'instance owner'
  /** On the dashboard's API: the person must have proved who they are a short time ago. */
  fresh?: true
  /** On the dashboard's API: takes nothing from the plan's requests, though it isn't a GET. */
  uncounted?: true
  /** The answer holds a secret: it is never recorded, `Idempotency-Key` is ignored. */
  secret?: true
  operationId: string
  tag: string
  summary: string
  description?: string
  params?: P
  /** Parameters that the schema doesn't name are ignored. A repeated one arrives as a list. */
  query?: Q
  /** JSON; with `patch` also `application/merge-patch+json`. Give a strict object. */
  body?: B
  /** A request without a body is one with `{}`. */
  bodyOptional?: true
  bodyExample?: unknown
  /** The most bytes that the body may have; 64 KiB when absent. */
  bodyBytesMax?: number
  success: Success
  /** Codes that only this endpoint gives; those that follow from the declaration are added. */
  errors?: readonly ErrorCode[]
  /** Replaces `Cache-Control: private, no-cache`. */
  cacheControl?: string
  /** Throws AppError for whatever is not the success. */
  handler(
    call: Call<S extends null ? null : Caller, z.output<P>, z.output<Q>, z.output<B>>,
  ): Promise<Answer> | Answer
}

/** Adds an endpoint to the API. */
export function endpoint<
  S extends Permission | null,
  P extends z.ZodType = z.ZodUndefined,
  Q extends z.ZodType = z.ZodUndefined,
  B extends z.ZodType = z.ZodUndefined,
>(api: Pick<Api, 'add'>, definition: Endpoint<S, P, Q, B>): void {
  api.add(definition as unknown as AnyEndpoint)
}

/** An endpoint whose types were checked where it was declared. */
export type AnyEndpoint = Endpoint<Permission | null, z.ZodType, z.ZodType, z.ZodType>
