import type { z } from '@hono/zod-openapi'
import type { Clock } from '../lib/base/clock.ts'
import type { Ids } from '../lib/base/ids.ts'
import type { Logger } from '../lib/base/logger.ts'
import type { AppError, ErrorCode, Rendered } from '../lib/errors/index.ts'
import type { Locale } from '../lib/i18n/index.ts'
import type { Limiter } from '../platform/limits/index.ts'
import type { Storage, Transaction, WriteOptions } from '../platform/storage/index.ts'
import type { Authenticate, Caller, IfMatch, Permission, Person, Sessions } from './callers.ts'
import type { Deprecation } from './deprecation.ts'

/** An endpoint's response. It is rendered in one place, so that it can be stored and replayed. */
export interface Answer {
  status: number
  /** A JSON object; absent on 204. */
  body?: object
  /**
   * Returns a body to be streamed instead of `body`; not called for HEAD. Its `Content-Type` is in
   * `headers`.
   */
  stream?: () => Promise<ReadableStream<Uint8Array>>
  /** The rendered response, instead of `body`: to be stored, or replayed. */
  rendered?: Rendered
  /** The version of the object in `body`: becomes a strong ETag. */
  version?: number
  /** Further headers, such as `Location` and `Link`. */
  headers?: Readonly<Record<string, string>>
  /** Values of `Set-Cookie`, which are neither stored nor replayed. */
  cookies?: readonly string[]
}

/** A validated request, for an endpoint's handler. */
export interface Call<
  C extends Caller | null = Caller | null,
  P = unknown,
  Q = unknown,
  B = unknown,
> {
  readonly request: Request
  readonly requestId: string
  /** Null on public endpoints. */
  readonly caller: C
  /** The signed-in person; always null in the public API. */
  readonly person: Person | null
  /** The language of the response, negotiated when it is first needed. */
  readonly locale: Locale
  /** The address of the client. */
  readonly address: string
  readonly baseUrl: string
  /** If true, handlers must have no effects outside of `mutate`. */
  readonly dryRun: boolean
  /** Whether `If-Match` and `If-None-Match` permit a change of this version (RFC 9110 §13.1). */
  readonly ifMatch: IfMatch
  /** Checks the caller's permission again, for responses that are streamed. */
  readonly stillPermitted: () => Promise<boolean>
  readonly meter: { readonly burst: number | null; refund(): Promise<void> }
  /**
   * Runs `work` in a transaction, and responds when it is durable. With an `Idempotency-Key` the
   * response is stored in the same transaction. A dry run is rolled back. Work without an answer
   * responds with 204.
   */
  readonly mutate: (
    work: (tx: Transaction) => Promise<Answer> | Promise<void>,
    options?: Pick<WriteOptions, 'together'>,
  ) => Promise<Answer>
  /** The parsed values of path, query and body. */
  readonly params: P
  readonly query: Q
  readonly body: B
}

/** Serves GET without a key, outside of the OpenAPI document. */
export type Page = (
  call: Pick<Call, 'locale' | 'request' | 'baseUrl'>,
) => Rendered | Promise<Rendered>

/** Renders an error as a page; undefined: in the usual form. */
export type ErrorPage = (error: AppError, locale: Locale) => Rendered | undefined

/** Handles every request below a path. Its errors are rendered like those of endpoints. */
export type Mounted = (call: MountedCall) => Promise<Response>

/** A forwarded request. */
export type MountedCall = Pick<Call, 'request' | 'requestId' | 'locale' | 'baseUrl' | 'address'>

/** The description of a successful response. */
interface Success {
  status: 200 | 201 | 202 | 204
  description: string
  /** The description of 201 with the same body, if something may be created. */
  created?: string
  schema?: z.ZodType
  /** Of a response that is not JSON. */
  contentType?: string
  /** Headers of this response besides those of all: name → description. */
  headers?: Readonly<Record<string, string>>
  example?: unknown
}

/**
 * The permission that an endpoint requires, the narrowest that suffices; `any`: any key; null: no
 * key.
 */
export type Scoped = Permission | 'any' | null

/** The declaration of an endpoint, which both the pipeline and the OpenAPI document use. */
export interface Endpoint<
  S extends Scoped,
  P extends z.ZodType,
  Q extends z.ZodType,
  B extends z.ZodType,
> {
  method: 'get' | 'post' | 'put' | 'patch' | 'delete'
  /** The whole path, with parameters in braces: `/api/v1/links/{id}`. */
  path: string
  scope: S
  /**
   * In the dashboard's API with `scope: null`: requires a signed-in person, in any workspace, or
   * the owner of the instance.
   */
  person?: true | 'instance owner'
  /** In the dashboard's API: requires a recent sign-in or confirmation. */
  fresh?: true
  /** In the dashboard's API: doesn't count towards the plan's requests, though it isn't a GET. */
  uncounted?: true
  /**
   * Changes what links outside of the restrictions of a key depend on: refused to a key that is
   * restricted to some links.
   */
  wholeWorkspace?: true
  /** The response contains a secret: it is never stored, and `Idempotency-Key` is ignored. */
  secret?: true
  /**
   * Speaks a protocol of its own, so it isn't in the OpenAPI document. A 401 names this path, of the
   * metadata about how to get access (RFC 9728).
   */
  resourceMetadata?: string
  /** Writes nothing, though it isn't a GET: it has no use for an `Idempotency-Key`. */
  safe?: true
  /** Will be removed: the document says so, and every response has the dates. */
  deprecated?: Deprecation
  /** Supports `?dry_run=true`: all of its writes use `mutate`. */
  dryRun?: true
  operationId: string
  tag: string
  summary: string
  description?: string
  params?: P
  /** An object: unknown parameters are refused. Repeated ones arrive as a list. */
  query?: Q
  /** JSON; with `patch` also `application/merge-patch+json`. Must be a strict object. */
  body?: B
  /**
   * The object as it is now, to compare read-only members of the body with. Default: what GET of
   * the same path responds with.
   */
  current?(call: Call<S extends null ? null : Caller, z.output<P>>): Promise<object | undefined>
  /** Read-only fields of the body, besides the members that the answer has and the body hasn't. */
  readOnly?: readonly string[]
  /** A request without a body means `{}`. */
  bodyOptional?: true
  bodyExample?: unknown
  /**
   * Reads a body that is not JSON, after the query was validated; returns the handler's body.
   * `digest` identifies the content.
   */
  upload?: {
    /** The accepted media types, each with a short example. */
    types: Readonly<Record<string, unknown>>
    receive(
      call: Pick<Call<Caller, z.output<P>, z.output<Q>>, 'request' | 'caller' | 'query'>,
    ): Promise<{ digest: string } & object>
  }
  /** The most bytes of the body; default: 64 KiB. */
  bodyBytesMax?: number
  /**
   * How many requests a valid one counts as, before it is handled; default: 1. More than the burst of
   * the plan count as the burst. @throws AppError if the burst has no room for the request
   */
  cost?(
    call: Call<S extends null ? null : Caller, z.output<P>, z.output<Q>, z.output<B>>,
  ): Promise<number>
  /**
   * The most that a body can cost, for the `Retry-After` of a request that is refused without
   * parsing it: cheap for any body.
   */
  costMax?: (body: Uint8Array) => number
  success: Success
  /** Codes of this endpoint only; those that follow from the declaration are added. */
  errors?: readonly ErrorCode[]
  /** Replaces `Cache-Control: private, no-cache`. */
  cacheControl?: string
  /** Throws AppError for all failures. Without a return value the response is 204. */
  handler(
    call: Call<S extends null ? null : Caller, z.output<P>, z.output<Q>, z.output<B>>,
  ): Promise<Answer> | Promise<void> | Answer
}

/** An endpoint whose types were checked at its declaration. */
export type AnyEndpoint = Endpoint<Scoped, z.ZodType, z.ZodType, z.ZodType>

/** Dependencies of the HTTP layer. */
export interface ApiDeps {
  storage: Storage
  clock: Clock
  logger: Logger
  ids: Ids
  authenticate: Authenticate
  /** If set, this is the dashboard's API, for people instead of keys. */
  sessions?: Sessions | undefined
  /** Limits the requests of workspaces, or with `sessions` of people. Default: in memory. */
  limiter?: Limiter | undefined
  /** Limits people's writes by plan, like the public API limits keys. Default: `limiter`. */
  planLimiter?: Limiter | undefined
  /** Limits the requests of addresses without a key. Default: in memory. */
  anonymousLimiter?: Limiter | undefined
  /** Requests per minute that one address may send without a key. */
  anonymousPerMinute: number
  clientAddress: (peer: string, headers: Headers) => string
  /** The public URL of this instance: an origin without a trailing slash. */
  baseUrl: string
  /**
   * Resolves when redirects of this process obey everything committed before this call. Absent:
   * they always do. @throws StorageUnavailable
   */
  caughtUp?: (() => Promise<unknown>) | undefined
  /** Lets tests use `en-XA` and `ar-XB`. */
  pseudoLocales?: boolean | undefined
  /** Called with every response. */
  observers?: readonly ((event: AnswerEvent) => void)[] | undefined
}

/** A response, for logs and metrics. */
export interface AnswerEvent {
  request: Request
  requestId: string
  method: string
  /** The endpoint's path with its parameters in braces; null: no such endpoint. */
  route: string | null
  status: number
  durationMs: number
  /** The workspace of a valid key; null without one, and for people. */
  workspaceNo: number | null
}

/** What the listener knows about a request besides the request. */
export interface RequestInfo {
  /** The address of the connection's peer; computed on demand. */
  readonly peer: string
}
