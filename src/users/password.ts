/** Fewest characters of a password (NIST SP 800-63B asks for 8, OWASP for 10 without a list). */
export const PASSWORD_MIN = 10
/** Most characters of a password: hashing a whole book helps nobody. */
export const PASSWORD_MAX = 128

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
