import type { Locale } from '../i18n/index.ts'
import type { Transaction, WriteOptions } from '../storage/index.ts'
import type { Caller, Person } from './types.ts'

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
> {
  readonly request: Request
  readonly requestId: string
  /** Null on public endpoints. */
  readonly caller: C
  /** Who is signed in; always null on the public API. */
  readonly person: Person | null
  /** The values of the path, the query and the body, as their schemas gave them out. */
  readonly params: P
  readonly query: Q
  readonly body: B
  /** The language of this answer, negotiated when it is first asked for. */
  readonly locale: Locale
  /** The address that the request came from. */
  readonly address: string
  /** The public address of this instance: an origin without a trailing slash. */
  readonly baseUrl: string
  /** Whether `If-Match` and `If-None-Match` allow a change of this version (RFC 9110 §13.1). */
  readonly ifMatch: (version: number) => boolean
  /** Asks again whether the caller may do this: for an answer that goes on after it has begun. */
  readonly stillPermitted: () => Promise<boolean>
  /**
   * Runs `work` in a transaction and answers when it would survive a power cut. With an
   * `Idempotency-Key`, the answer is recorded in the same transaction.
   */
  readonly mutate: (
    work: (tx: Transaction) => Promise<Answer>,
    options?: Pick<WriteOptions, 'together'>,
  ) => Promise<Answer>
}
