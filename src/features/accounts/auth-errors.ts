import { AppError, invalid } from '../../lib/errors/index.ts'

/** An error of better-auth, as far as we use it. */
interface Refusal {
  status: number
  code: string
  /** See `AuthPath.passwordField`. */
  passwordField: string
  path: string
  /** Whether a person is signed in. */
  signedIn: boolean
}

/** better-auth's codes that map to ours. Others are mapped by their status. */
const CODES = {
  INVALID_EMAIL_OR_PASSWORD: 'SIGN_IN_FAILED',
  EMAIL_NOT_VERIFIED: 'EMAIL_NOT_VERIFIED',
  USER_ALREADY_EXISTS: 'ACCOUNT_EXISTS',
  USER_ALREADY_EXISTS_USE_ANOTHER_EMAIL: 'ACCOUNT_EXISTS',
  EMAIL_PASSWORD_SIGN_UP_DISABLED: 'SIGN_UP_CLOSED',
  SESSION_NOT_FRESH: 'REAUTHENTICATION_REQUIRED',
  SESSION_EXPIRED: 'REAUTHENTICATION_REQUIRED',
  INVALID_TWO_FACTOR_COOKIE: 'SIGN_IN_REQUIRED',
  TOO_MANY_ATTEMPTS_REQUEST_NEW_CODE: 'SIGN_IN_REQUIRED',
  INVALID_CODE: 'INVALID_CODE',
  INVALID_BACKUP_CODE: 'INVALID_CODE',
  INVALID_TOKEN: 'INVALID_TOKEN',
  TOKEN_EXPIRED: 'INVALID_TOKEN',
  USER_NOT_FOUND: 'INVALID_TOKEN',
  INVALID_USER: 'INVALID_TOKEN',
  PASSWORD_TOO_LONG: 'SIGN_IN_FAILED',
  CHALLENGE_NOT_FOUND: 'PASSKEY_FAILED',
  AUTHENTICATION_FAILED: 'PASSKEY_FAILED',
  FAILED_TO_VERIFY_REGISTRATION: 'PASSKEY_FAILED',
  YOU_ARE_NOT_ALLOWED_TO_REGISTER_THIS_PASSKEY: 'PASSKEY_FAILED',
  PREVIOUSLY_REGISTERED: 'CONFLICT',
  TOTP_ALREADY_ENABLED: 'CONFLICT',
  TOTP_NOT_ENABLED: 'CONFLICT',
  TWO_FACTOR_NOT_ENABLED: 'CONFLICT',
  BACKUP_CODES_NOT_ENABLED: 'CONFLICT',
  CREDENTIAL_ACCOUNT_NOT_FOUND: 'CONFLICT',
  ACCOUNT_NOT_FOUND: 'NOT_FOUND',
  FAILED_TO_UNLINK_LAST_ACCOUNT: 'CONFLICT',
  EMAIL_ALREADY_VERIFIED: 'CONFLICT',
  EMAIL_MISMATCH: 'CONFLICT',
} as const

/** better-auth's codes for URLs of other sites, and the field that has the URL. */
const URL_FIELDS: Readonly<Record<string, string>> = {
  INVALID_CALLBACK_URL: 'callbackURL',
  INVALID_REDIRECT_URL: 'redirectTo',
  INVALID_ERROR_CALLBACK_URL: 'errorCallbackURL',
}

const OWN_PASSKEY = /^\/passkey\/(?:delete|update)-passkey$/

/** Maps an error of better-auth to ours. Its own text is never returned. */
export function appErrorOf({ status, code, passwordField, path, signedIn }: Refusal): AppError {
  // Another person's passkey is answered like one that doesn't exist.
  if (signedIn && OWN_PASSKEY.test(path) && status < 500) return new AppError('NOT_FOUND')
  if (code === 'INVALID_PASSWORD') {
    return invalid({ field: passwordField, code: 'WRONG_PASSWORD' })
  }
  if (code === 'PASSKEY_NOT_FOUND') {
    return new AppError(path.startsWith('/passkey/verify-') ? 'PASSKEY_FAILED' : 'NOT_FOUND')
  }
  const known = CODES[code as keyof typeof CODES]
  if (known !== undefined) return new AppError(known)
  const field = URL_FIELDS[code]
  if (field !== undefined) return invalid({ field, code: 'INVALID_URL' })
  if (status === 401) {
    return new AppError(path.startsWith('/passkey/verify-') ? 'PASSKEY_FAILED' : 'SIGN_IN_REQUIRED')
  }
  if (status === 403) return new AppError('FORBIDDEN')
  if (status === 404) return new AppError('NOT_FOUND')
  if (status === 409) return new AppError('CONFLICT')
  if (status < 500) return new AppError('BAD_REQUEST', { internal: `better-auth: ${code}` })
  return new AppError('INTERNAL_ERROR', { internal: `better-auth: ${status} ${code}` })
}
