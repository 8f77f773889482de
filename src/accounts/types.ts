import type { Mounted, Person, Sessions } from '../http/index.ts'
import type { Locale } from '../i18n/index.ts'
import type { AccountUserView, OwnWorkspaceView } from './schemas.ts'
import type { AccountService } from './service.ts'

/** What the accounts need to know of a request. */
export interface Visit {
  readonly request: Request
  readonly requestId: string
  /** The address that it came from. */
  readonly address: string
  readonly locale: Locale
}

/** Somebody who has just come in: who, where, and the cookies that keep them in. */
export interface Joined {
  user: AccountUserView
  workspace: OwnWorkspaceView
  cookies: readonly string[]
}

/** All that the application needs of the accounts. */
export interface Accounts {
  readonly service: AccountService
  readonly sessions: Sessions
  /** Answers under `/app/api/auth`. */
  readonly authenticate: Mounted
}

/** Signs somebody in by their password; the values of `Set-Cookie`, empty when it isn't allowed. */
export interface SignIn {
  (email: string, password: string, request: Request): Promise<string[]>
  /** Prolongs the request's session when it is due; the values of `Set-Cookie`. */
  prolong(person: Person, request: Request): Promise<string[]>
}
