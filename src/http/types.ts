import type { z } from '@hono/zod-openapi'
import type { Clock } from '../base/clock.ts'
import type { Ids } from '../base/ids.ts'
import type { Logger } from '../base/logger.ts'
import type { AppError, ErrorCode, Rendered } from '../errors/index.ts'
import type { Locale } from '../i18n/index.ts'
import type { Limiter } from '../limits/index.ts'
import type { Plan, PlanLimits } from '../plans/types.ts'
import type { Storage } from '../storage/index.ts'
import type { Exchange } from './exchange.ts'
import type { Idempotency } from './idempotency.ts'

/** What a key may do. */
export type Scope = 'links:read' | 'links:write' | 'domains:read' | 'domains:write'

/** A workspace as a request needs it. */
export interface CallerWorkspace {
  no: number
  id: string
  /** A locale of ours, or null. */
  language: string | null
  plan: Plan
}

/** What a person may do in a workspace, from most to least. */
export type Role = 'owner' | 'admin' | 'member' | 'viewer'

/** What a caller may be allowed to do: keys hold scopes, people what their role permits. */
export type Permission =
  | Scope
  | 'keys:manage'
  | 'members:manage'
  | 'workspace:manage'
  | 'audit:read'
  | 'instance:manage'

/** Whose request it is: the person in the dashboard, or who made the API key. */
interface CallerPerson {
  id: string
  /** What they may send in all of their workspaces together; null: any number. */
  limits: PlanLimits | null
}

interface AnyCaller {
  scopes: ReadonlySet<Permission>
  workspace: CallerWorkspace
  /** Absent: the operator made the key. */
  person?: CallerPerson
  /** Links of these folders don't exist for the caller; absent: all do. */
  hiddenFolders?: readonly string[]
}

/** Who reads in a workspace, as services need to know. */
export interface Reader {
  readonly workspace: { readonly no: number }
  /** Links of these folders don't exist for them. */
  readonly hiddenFolders?: readonly string[] | undefined
}

/** Whether a version may be changed, as the request's `If-Match` says. */
export type IfMatch = (version: number) => boolean

/** A program with an API key. */
interface KeyCaller extends AnyCaller {
  kind: 'api_key'
  keyId: string
  /** For the audit log; its id when absent. */
  keyName?: string
}

/** A person in the dashboard, in one of their workspaces. */
export interface SessionCaller extends AnyCaller {
  kind: 'session'
  sessionId: string
  userId: string
  /** The person's e-mail address, for the audit log. */
  email: string
  role: Role
}

/** A person who is signed in, whatever the workspace. */
export interface Person {
  sessionId: string
  userId: string
  email: string
  name: string | null
  /** A locale of ours, or null. */
  language: string | null
  instanceOwner: boolean
  /** When this session was opened, or last confirmed. Milliseconds since the epoch. */
  confirmedAt: number
}

/** How the dashboard's API finds out who asks. Asked anew on each request. */
export interface Sessions {
  /** The person behind the cookies; null: no session, or one that has ended. */
  personOf(headers: Headers): Promise<Person | null>
  /** The person in one of their workspaces; null: there is none of that id, or it isn't theirs. */
  memberOf(person: Person, workspaceId: string): Promise<SessionCaller | null>
}

/** Who asks. */
export type Caller = KeyCaller | SessionCaller

/** Finds the caller behind a Bearer credential; null: malformed, unknown, revoked or expired. */
export type Authenticate = (credential: string) => Promise<Caller | null>

/** What an endpoint answers. It is rendered in one place, so that it can be stored and replayed. */
export interface Answer {
  status: number
  /** A JSON object; absent on 204. */
  body?: object
  /**
   * Gives a body that is sent as it comes, instead of `body`; not asked where the method is HEAD.
   * Its `Content-Type` stands in `headers`.
   */
  stream?: () => Promise<ReadableStream<Uint8Array>>
  /** The answer in its bytes, instead of `body`: recorded, or replayed. */
  rendered?: Rendered
  /** The version of the object in `body`: becomes a strong ETag. */
  version?: number
  /** Further headers, `Location` and `Link` for instance. */
  headers?: Readonly<Record<string, string>>
  /** Values of `Set-Cookie`; they are neither recorded nor replayed. */
  cookies?: readonly string[]
}

/** One request, checked, as an endpoint's handler gets it. */
export interface Call<
  C extends Caller | null = Caller | null,
  P = unknown,
  Q = unknown,
  B = unknown,
> extends Pick<
    Exchange,
    | 'request'
    | 'requestId'
    | 'person'
    | 'locale'
    | 'address'
    | 'baseUrl'
    | 'ifMatch'
    | 'stillPermitted'
    | 'mutate'
    | 'dryRun'
  > {
  /** Null on public endpoints. */
  readonly caller: C
  /** The values of the path, the query and the body, as their schemas gave them out. */
  readonly params: P
  readonly query: Q
  readonly body: B
}

/** Answers GET without a key, outside of the OpenAPI document. */
export type Page = (
  call: Pick<Call, 'locale' | 'request' | 'baseUrl'>,
) => Rendered | Promise<Rendered>

/** Shows an error to who looks at pages; undefined: they get it as everyone does. */
export type ErrorPage = (error: AppError, locale: Locale) => Rendered | undefined

/** Answers every request below a path. Its errors are rendered as those of endpoints. */
export type Mounted = (call: MountedCall) => Promise<Response>

/** A request that is handed on as it came. */
export type MountedCall = Pick<Call, 'request' | 'requestId' | 'locale' | 'baseUrl' | 'address'>

/** A successful answer, as the reference describes it. */
interface Success {
  status: 200 | 201 | 202 | 204
  description: string
  /** Given: the same body with 201, where something was made. What this one says of it. */
  created?: string
  schema?: z.ZodType
  /** Of an answer that is no JSON. */
  contentType?: string
  /** Headers of this answer besides those that every one has: name → what it says. */
  headers?: Readonly<Record<string, string>>
  example?: unknown
}

/** What a caller must be allowed to do; `any`: any key will do; null: no key is needed. */
export type Scoped = Permission | 'any' | null

/**
 * All there is to know of an endpoint, in one place: what the pipeline enforces and what the
 * OpenAPI document says are the same declaration.
 */
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
   * On the dashboard's API, with `scope: null`: a person must be signed in, in any workspace; or
   * own the instance.
   */
  person?: true | 'instance owner'
  /** On the dashboard's API: the person must have proved who they are a short time ago. */
  fresh?: true
  /** On the dashboard's API: takes nothing from the plan's requests, though it isn't a GET. */
  uncounted?: true
  /** The answer holds a secret: it is never recorded, `Idempotency-Key` is ignored. */
  secret?: true
  /** Takes `?dry_run=true`: all that it writes, it writes by `mutate`. */
  dryRun?: true
  operationId: string
  tag: string
  summary: string
  description?: string
  params?: P
  /** An object: parameters that it doesn't name are refused. A repeated one arrives as a list. */
  query?: Q
  /** JSON; with `patch` also `application/merge-patch+json`. Give a strict object. */
  body?: B
  /** A request without a body is one with `{}`. */
  bodyOptional?: true
  bodyExample?: unknown
  /**
   * Reads a body that is no JSON, once the query was checked; gives out the handler's body. `digest`
   * stands for what was sent.
   */
  upload?: {
    /** Media types that are taken, each with a short example of such a body. */
    types: Readonly<Record<string, unknown>>
    receive(
      call: Pick<Call<Caller, z.output<P>, z.output<Q>>, 'request' | 'caller' | 'query'>,
    ): Promise<{ digest: string } & object>
  }
  /** The most bytes that the body may have; 64 KiB when absent. */
  bodyBytesMax?: number
  /** How many requests of the rate limit a body is; 1 when absent. */
  cost?: (body: z.output<B>) => number
  success: Success
  /** Codes that only this endpoint gives; those that follow from the declaration are added. */
  errors?: readonly ErrorCode[]
  /** Replaces `Cache-Control: private, no-cache`. */
  cacheControl?: string
  /** Throws AppError for whatever is not the success. Without an answer it is 204. */
  handler(
    call: Call<S extends null ? null : Caller, z.output<P>, z.output<Q>, z.output<B>>,
  ): Promise<Answer> | Promise<void> | Answer
}

/** An endpoint whose types were checked where it was declared. */
export type AnyEndpoint = Endpoint<Scoped, z.ZodType, z.ZodType, z.ZodType>

/** An endpoint of an API, with the names of all parameters that its query may have. */
export type AddedEndpoint = AnyEndpoint & { parameters: ReadonlySet<string> }

/** What the HTTP layer needs from the rest. */
export interface ApiDeps {
  storage: Storage
  clock: Clock
  logger: Logger
  ids: Ids
  authenticate: Authenticate
  /** Given: this is the dashboard's API, called by people instead of keys. */
  sessions?: Sessions | undefined
  /** Counts the requests of workspaces, with `sessions` those of people. Default: in memory. */
  limiter?: Limiter | undefined
  /** Counts by plan what people write, as the public API counts keys. Default: `limiter`. */
  planLimiter?: Limiter | undefined
  /** Counts the requests of addresses without a key. Default: in memory. */
  anonymousLimiter?: Limiter | undefined
  /** Requests per minute that one address may send without a key. */
  anonymousPerMinute: number
  clientAddress: (peer: string, headers: Headers) => string
  /** The public address of this instance: an origin without a trailing slash. */
  baseUrl: string
  /** Lets a test ask for `en-XA` and `ar-XB`. */
  pseudoLocales?: boolean | undefined
  /** Each is called with every answer. */
  observers?: readonly ((event: AnswerEvent) => void)[] | undefined
}

/** What one request needs on its way. */
export interface Services extends ApiDeps {
  idempotency: Idempotency
  limiter: Limiter
  planLimiter: Limiter
  anonymousLimiter: Limiter
}

/** One answer, for logs and metrics. */
export interface AnswerEvent {
  requestId: string
  method: string
  /** The endpoint's path with its parameters in braces; null where there is no such endpoint. */
  route: string | null
  status: number
  durationMs: number
  /** The workspace of a valid key; null without one, and for people. */
  workspaceNo: number | null
}

/** What the listener knows of a request besides the request. */
export interface RequestInfo {
  /** The address at the other end of the connection; asked for only when it is needed. */
  readonly peer: string
}
