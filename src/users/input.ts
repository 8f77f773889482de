import { z } from 'zod'
import { AppError, type ErrorDetail, Refused } from '../errors/index.ts'

/** Most characters of a person's name. */
export const USER_NAME_MAX = 100
/** RFC 5321 §4.5.3.1.3, without the angle brackets. */
const EMAIL_MAX = 254
const CONTROL_CHARACTERS = /\p{Cc}/u
const emailSchema = z.email().max(EMAIL_MAX)

/** A person to be made. */
export interface NewUser {
  email: string
  /** {@link PASSWORD_MIN} characters or more; one is made when absent. */
  password?: string | undefined
  name?: string | null | undefined
}

/**
 * The e-mail address and the name as they are kept.
 * @throws Refused INVALID_EMAIL, AppError VALIDATION_FAILED
 */
export function checkNewUser(input: NewUser): { email: string; name: string | null } {
  const email = input.email.trim()
  if (!emailSchema.safeParse(email).success) {
    throw new Refused('INVALID_EMAIL', `${email} is not an e-mail address`)
  }
  const name = input.name?.normalize('NFC').trim() || null
  const details = [...faultsOfPassword(input.password), ...faultsOfName(name)]
  if (details.length > 0) throw new AppError('VALIDATION_FAILED', { details })
  return { email, name }
}

function faultsOfPassword(password: string | undefined): ErrorDetail[] {
  if (password === undefined) return []
  const { length } = [...password]
  if (length < PASSWORD_MIN) {
    return [{ field: 'password', code: 'TOO_SHORT', params: { min: PASSWORD_MIN } }]
  }
  if (length > PASSWORD_MAX) {
    return [{ field: 'password', code: 'TOO_LONG', params: { max: PASSWORD_MAX } }]
  }
  return []
}

function faultsOfName(name: string | null): ErrorDetail[] {
  if (name === null) return []
  if ([...name].length > USER_NAME_MAX) {
    return [{ field: 'name', code: 'TOO_LONG', params: { max: USER_NAME_MAX } }]
  }
  if (CONTROL_CHARACTERS.test(name)) return [{ field: 'name', code: 'INVALID_CHARACTERS' }]
  return []
}

/** Fewest characters of a password (NIST SP 800-63B asks for 8). */
export const PASSWORD_MIN = 10
/** Most characters of a password: hashing a whole book helps nobody. */
export const PASSWORD_MAX = 128

let common: Promise<ReadonlySet<string>> | undefined

/** Loaded at the first use: most processes never need it. */
async function loadCommon(): Promise<ReadonlySet<string>> {
  const { dictionary } = await import('@zxcvbn-ts/language-common')
  return new Set(dictionary['passwords-common'].filter(({ length }) => length >= PASSWORD_MIN))
}

/**
 * Refuses a password that guessers try first: one of a kept list, without regard to case, the
 * person's own address, or one character or pair again and again (NIST SP 800-63B §3.1.1.2).
 * @throws AppError VALIDATION_FAILED with COMMON_PASSWORD
 */
export async function assertNotCommon(
  field: string,
  password: string,
  email?: string | undefined,
): Promise<void> {
  common ??= loadCommon()
  const text = password.toLowerCase()
  const address = email?.trim().toLowerCase()
  const isOwn = address !== undefined && (text === address || text === address.split('@')[0])
  if (!isOwn && !/^(.{1,2})\1+.?$/.test(text) && !(await common).has(text)) return
  throw new AppError('VALIDATION_FAILED', { details: [{ field, code: 'COMMON_PASSWORD' }] })
}

/** argon2id in PHC form, at the cost that OWASP's password storage cheat sheet puts first. */
export function hashPassword(password: string): Promise<string> {
  return Bun.password.hash(password, { algorithm: 'argon2id', memoryCost: 47_104, timeCost: 1 })
}

/** Whether this is the password; false also for a hash that isn't one. */
export async function verifyPassword(password: string, hash: string): Promise<boolean> {
  try {
    return await Bun.password.verify(password, hash)
  } catch {
    return false
  }
}
