import type { Actor } from '../audit/index.ts'
import type { Mounted, Person, Role, Sessions } from '../http/index.ts'
import type { Locale } from '../i18n/index.ts'
import type { Transaction } from '../storage/index.ts'
import type {
  AcceptInput,
  AccountEvent,
  AccountPatch,
  AccountUserView,
  ClaimInput,
  InvitationPreview,
  OwnWorkspaceView,
  RemoveInput,
  SessionView,
} from './schemas.ts'

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

/** The accounts as the dashboard's endpoints use them. */
export interface AccountService {
  session(person: Person | null, visit: Visit): Promise<{ body: SessionView; cookies: string[] }>
  /** @throws AppError NOT_FOUND once the instance is claimed, or for another token. */
  claim(input: ClaimInput, visit: Visit): Promise<Joined>
  update(person: Person, patch: AccountPatch): Promise<AccountUserView>
  /** What happened to the account, the newest first. */
  events(person: Person): Promise<AccountEvent[]>
  /** See `requestEmailChange`. */
  requestEmailChange(person: Person, email: string, visit: Visit): Promise<void>
  /** See `confirmEmailChange`. */
  confirmEmailChange(token: string, visit: Visit): Promise<void>
  /**
   * Has the session count as just opened, by the password.
   * @throws AppError VALIDATION_FAILED, RATE_LIMITED, SIGN_IN_AGAIN: there is no password
   */
  confirm(person: Person, password: string): Promise<void>
  /** @throws AppError VALIDATION_FAILED, SOLE_OWNER, INSTANCE_OWNER */
  remove(person: Person, input: RemoveInput, visit: Visit): Promise<void>
  /** @throws AppError WORKSPACE_NAME_TAKEN, FORBIDDEN */
  createWorkspace(person: Person, name: string, visit: Visit): Promise<OwnWorkspaceView>
  /** @throws AppError INVITATION_NOT_FOUND */
  invitation(token: string, visit: Visit): Promise<InvitationPreview>
  /** @throws AppError INVITATION_NOT_FOUND, ACCOUNT_EXISTS, SIGN_UP_CLOSED, PLAN_LIMIT_REACHED */
  accept(person: Person | null, input: AcceptInput, visit: Visit): Promise<Joined>
}

/** All that the application needs of the accounts. */
export interface Accounts {
  readonly service: AccountService
  readonly sessions: Sessions
  /** Answers under `/app/api/auth`. */
  readonly authenticate: Mounted
}

/** Invitations as the accounts use them: found by the token of their link, and used up. */
export interface Invitations {
  /** Null: there is none, or it is over. */
  find(token: string): Promise<FoundInvitation | null>
  /**
   * Makes somebody a member, and uses the invitation up.
   * @throws AppError INVITATION_NOT_FOUND, PLAN_LIMIT_REACHED, ALREADY_MEMBER
   */
  accept(
    tx: Transaction,
    token: string,
    user: { id: string; email: string },
    actor: Actor,
  ): Promise<{ workspace: { id: string } }>
  /** Whether an invitation waits for this address. */
  awaits(email: string): Promise<boolean>
}

/** What an invitation is for. */
export interface FoundInvitation {
  workspace: { name: string }
  email: string
  role: Role
  /** Whether whoever has the token must have read that address's messages. */
  emailProven: boolean
}

/** Signs somebody in by their password; the values of `Set-Cookie`, empty when it isn't allowed. */
export interface SignIn {
  (email: string, password: string, request: Request): Promise<string[]>
  /** Prolongs the request's session when it is due; the values of `Set-Cookie`. */
  prolong(person: Person, request: Request): Promise<string[]>
}
