import { z } from 'zod'
import { AppError, type ErrorDetail, Refused } from '../errors/index.ts'
import { PASSWORD_MAX, PASSWORD_MIN } from './password.ts'

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
