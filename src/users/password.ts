import { AppError } from '../errors/index.ts'

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
