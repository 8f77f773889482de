import type { Locale } from '../i18n/index.ts'
import type { Transaction } from '../storage/index.ts'
import type { Caller } from './types.ts'

/** What an endpoint answers. It is rendered in one place, so that it can be stored and replayed. */
export interface Answer {
  status: number
  /** A JSON object; absent on 204. */
  body?: object
  /** The version of the object in `body`: becomes a strong ETag. */
  version?: number
  /** Further headers, `Location` and `Link` for instance. */
  headers?: Readonly<Record<string, string>>
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
  /** The values of the path, the query and the body, as their schemas gave them out. */
  readonly params: P
  readonly query: Q
  readonly body: B
  /** The language of this answer, negotiated when it is first asked for. */
  readonly locale: Locale
  /** The public address of this instance: an origin without a trailing slash. */
  readonly baseUrl: string
  /** Whether the request's `If-Match` allows a change of this version; true without the header. */
  readonly ifMatch: (version: number) => boolean
  /**
   * Runs `work` in a transaction and answers when it would survive a power cut. With an
   * `Idempotency-Key`, the answer is recorded in the same transaction.
   */
  readonly mutate: (work: (tx: Transaction) => Promise<Answer>) => Promise<Answer>
}
