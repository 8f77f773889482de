/**
 * Error codes that only the dashboard's API gives: they are no part of the public API and not in
 * its document. Else they are as those of the catalogue, which includes them.
 */
export const DASHBOARD_ERRORS = {
  SIGN_IN_REQUIRED: { status: 401, params: {} },
  /** Whether the address or the password is wrong, or both: all alike. */
  SIGN_IN_FAILED: { status: 401, params: {} },
  /** Of a second factor. */
  INVALID_CODE: { status: 401, params: {} },
  PASSKEY_FAILED: { status: 401, params: {} },
  /** The person's role doesn't permit it. */
  FORBIDDEN: { status: 403, params: {} },
  CROSS_SITE_REQUEST: { status: 403, params: {} },
  SIGN_UP_CLOSED: { status: 403, params: {} },
  EMAIL_NOT_VERIFIED: { status: 403, params: {} },
  /** The session is too old for what was asked. */
  SIGN_IN_AGAIN: { status: 403, params: {} },
  /** The workspace asks for a second factor, and the person has none. */
  TWO_FACTOR_REQUIRED: { status: 403, params: {} },
  /** Another's workspace is answered as one that doesn't exist. */
  WORKSPACE_NOT_FOUND: { status: 404, params: {} },
  INVITATION_NOT_FOUND: { status: 404, params: {} },
  ACCOUNT_EXISTS: { status: 409, params: {} },
  MAIL_NOT_SET_UP: { status: 409, params: {} },
  CONFLICT: { status: 409, params: {} },
  /** A link of a message or a command that was used, replaced, or is too old. */
  INVALID_TOKEN: { status: 410, params: {} },
  ROLE_ABOVE_OWN: { status: 403, params: {} },
  /** Whoever accepts it has another e-mail address than it was sent to. */
  INVITATION_FOR_ANOTHER: { status: 403, params: {} },
  KEY_NOT_FOUND: { status: 404, params: {} },
  MEMBER_NOT_FOUND: { status: 404, params: {} },
  KEY_REVOKED: { status: 409, params: {} },
  KEY_EXPIRED: { status: 409, params: {} },
  KEY_ALREADY_ROTATED: { status: 409, params: {} },
  /** The key that this one replaced still works, and a slot holds two living keys at most. */
  PREDECESSOR_LIVES: { status: 409, params: {} },
  LAST_OWNER: { status: 409, params: {} },
  ALREADY_MEMBER: { status: 409, params: {} },
  /** Of an account that shall be deleted: `workspace` would be left without an owner. */
  SOLE_OWNER: { status: 409, params: { workspace: 'string' } },
  /** Of an account that shall be deleted: others have accounts, and would be left without one. */
  INSTANCE_OWNER: { status: 409, params: {} },
  /** It was encrypted under another secret of the server. */
  SECOND_FACTOR_UNREADABLE: { status: 409, params: {} },
} as const

/** Codes of failing fields that only the dashboard's API gives. */
export const DASHBOARD_DETAILS = {
  INVALID_EMAIL: {},
  WRONG_PASSWORD: {},
  /** Widely known from breaches. */
  COMMON_PASSWORD: {},
  EMAIL_UNCHANGED: {},
  EMAIL_MISMATCH: {},
  NAME_MISMATCH: {},
} as const
