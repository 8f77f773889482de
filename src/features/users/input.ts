import { z } from '@hono/zod-openapi'
import { validate } from '../../http/index.ts'
import { hashNormalized, verifyNormalized } from '../../lib/base/passwords.ts'
import { invalid, OperatorError } from '../../lib/errors/index.ts'
import { checked } from '../../lib/validation/checked.ts'
import { canonicalEmail, EMAIL_MAX, emailKey } from '../../lib/validation/email.ts'
import { checkText, compose } from '../../lib/validation/text.ts'
import { ValidationIssue } from '../../lib/validation/validation-issue.ts'

/** The most characters of a person's name. */
export const USER_NAME_MAX = 100
/** The fewest characters of a password (NIST SP 800-63B requires 8). */
export const PASSWORD_MIN = 10
/** The most characters (code points) of a password: hashing longer ones only takes longer. */
export const PASSWORD_MAX = 128

/** A text typed by a person: trimmed, in NFC, not empty, of at most `max` characters. */
export function trimmed(max: number): (value: string) => string | ValidationIssue {
  return (value) => {
    const text = compose(value).trim()
    return text === '' ? new ValidationIssue('REQUIRED') : checkText({ max })(text)
  }
}

/** A field of such a text. */
export function trimmedText(max: number) {
  return checked(z.string(), trimmed(max)).openapi({ type: 'string', minLength: 1, maxLength: max })
}

/** A person's name. */
export const nameField = trimmedText(USER_NAME_MAX)

/** An email address in its stored form. */
export const emailField = checked(
  z.string(),
  (value) => canonicalEmail(value) ?? new ValidationIssue('INVALID_EMAIL'),
).openapi({ type: 'string', maxLength: EMAIL_MAX })

/** A new password. */
export const passwordField = checked(z.string(), (value) => {
  const { length } = [...value]
  if (length < PASSWORD_MIN) return new ValidationIssue('TOO_SHORT', { min: PASSWORD_MIN })
  return length > PASSWORD_MAX ? new ValidationIssue('TOO_LONG', { max: PASSWORD_MAX }) : value
}).openapi({
  type: 'string',
  format: 'password',
  minLength: PASSWORD_MIN,
  maxLength: PASSWORD_MAX,
})

/** A person to be created. */
export interface NewUser {
  email: string
  /** {@link PASSWORD_MIN} characters or more; one is generated when absent. */
  password?: string | undefined
  name?: string | null | undefined
}

const rest = z.object({ password: passwordField.optional(), name: nameField.optional() })

/**
 * The email address and the name in their stored form.
 * @throws OperatorError INVALID_EMAIL, AppError VALIDATION_FAILED
 */
export function checkNewUser(input: NewUser): { email: string; name: string | null } {
  const email = emailField.safeParse(input.email)
  if (!email.success) {
    throw new OperatorError('INVALID_EMAIL', `${input.email.trim()} is not an email address`, {
      status: 2,
    })
  }
  const { password, name } = input
  const checkedRest = validate(rest, { password, name: name?.trim() || undefined })
  return { email: email.data, name: checkedRest.name ?? null }
}

let common: Promise<ReadonlySet<string>> | undefined

/** Loaded at the first use: most processes never need it. */
async function loadCommon(): Promise<ReadonlySet<string>> {
  const { dictionary } = await import('@zxcvbn-ts/language-common')
  return new Set(dictionary['passwords-common'].filter(({ length }) => length >= PASSWORD_MIN))
}

/**
 * Refuses a password that is guessed first: one of a list (case-insensitive), the person's own
 * address, or a repeated character or pair (NIST SP 800-63B §3.1.1.2).
 * @throws AppError VALIDATION_FAILED with COMMON_PASSWORD
 */
export async function assertNotCommon(
  field: string,
  password: string,
  email?: string | undefined,
): Promise<void> {
  common ??= loadCommon()
  const text = password.normalize('NFKC').toLowerCase()
  const address = email === undefined ? undefined : emailKey(email)
  const isOwn = address !== undefined && (text === address || text === address.split('@')[0])
  if (!isOwn && !/^(.{1,2})\1+.?$/.test(text) && !(await common).has(text)) return
  throw invalid({ field, code: 'COMMON_PASSWORD' })
}

/** argon2id in PHC format, with the parameters preferred by OWASP's cheat sheet for passwords. */
export function hashPassword(password: string): Promise<string> {
  return hashNormalized(password, { memoryCost: 47_104, timeCost: 1 })
}

/** Whether the password matches; false also for a malformed hash. */
export async function verifyPassword(password: string, hash: string): Promise<boolean> {
  try {
    return await verifyNormalized(password, hash)
  } catch {
    return false
  }
}
