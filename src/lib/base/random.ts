/** A source of random bytes. Passed in wherever it is needed, so that tests can replace it. */
export interface Random {
  /** `length` bytes from a cryptographic source. */
  bytes(length: number): Uint8Array
}

/** The operating system's cryptographic source. */
export const systemRandom: Random = {
  bytes: (length) => crypto.getRandomValues(new Uint8Array(length)),
}

/**
 * `length` characters drawn uniformly from `alphabet` (at most 256 characters), by rejection
 * sampling.
 */
export function randomString(random: Random, alphabet: string, length: number): string {
  const bound = 256 - (256 % alphabet.length)
  let text = ''
  while (text.length < length) {
    for (const byte of random.bytes(length - text.length + 4)) {
      if (byte < bound && text.length < length) text += alphabet[byte % alphabet.length]
    }
  }
  return text
}
