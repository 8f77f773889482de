/** Costs of argon2id (RFC 9106). */
export interface HashCost {
  /** In KiB. */
  memoryCost: number
  timeCost: number
}

/** The most UTF-16 units of a password as it may be typed: decomposed, beyond the BMP. */
export const TYPED_PASSWORD_MAX = 1_000

/**
 * argon2id in PHC format, of the password in NFKC: keyboards and systems compose accented letters
 * differently (NIST SP 800-63B §3.1.1.2).
 */
export function hashNormalized(password: string, cost: HashCost): Promise<string> {
  return Bun.password.hash(password.normalize('NFKC'), { algorithm: 'argon2id', ...cost })
}

/**
 * Whether a hash is that of the password. As typed, too: hashes may be of passwords that were not
 * normalized.
 * @throws an error if the hash is malformed
 */
export async function verifyNormalized(password: string, hash: string): Promise<boolean> {
  // Normalizing takes a time quadratic in the number of combining marks, and no longer password can match.
  if (password.length > TYPED_PASSWORD_MAX) return false
  const normalized = password.normalize('NFKC')
  if (await Bun.password.verify(normalized, hash)) return true
  return normalized !== password && (await Bun.password.verify(password, hash))
}
