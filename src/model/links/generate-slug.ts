import { type Random, randomString } from '../../lib/base/random.ts'
import { offends } from './offensive.ts'
import { isReserved, SLUG_ALPHABET } from './slug.ts'
import type { SlugSettings, SlugStyle } from './slug-settings.ts'
import { SLUG_WORDS } from './slug-words.ts'

/** After this many collisions at a length, generated slugs get one character longer. */
const TRIES_PER_LENGTH = 3
/** After so many collisions the prefix must be the reason: nothing is free below it. */
export const TRIES_MAX = 30

const ALPHABETS: Record<Exclude<SlugStyle, 'words'>, string> = {
  readable: SLUG_ALPHABET,
  lowercase: 'abcdefghijklmnopqrstuvwxyz',
  digits: '0123456789',
}
/** Without those that look like letters. */
const WORD_DIGITS = '23456789'
/** Together with two words at least 30 bits. */
const WORD_DIGITS_LENGTH = 4

/**
 * A random slug for a domain; `tries` is how many were taken already. It isn't reserved there and
 * has no offensive word.
 * @param settings whose prefix isn't below a reserved first segment
 */
export function generateSlug(
  random: Random,
  tries: number,
  { length, style, prefix }: SlugSettings,
  domainNo: number,
): string {
  const more = Math.floor(tries / TRIES_PER_LENGTH)
  for (;;) {
    const part =
      style === 'words'
        ? `${word(random)}-${word(random)}-${randomString(random, WORD_DIGITS, WORD_DIGITS_LENGTH + more)}`
        : randomString(random, ALPHABETS[style], length + more)
    if (!offends(part) && !isReserved(prefix + part, domainNo)) return prefix + part
  }
}

/** A word drawn uniformly, by rejection sampling. */
function word(random: Random): string {
  const bound = 65_536 - (65_536 % SLUG_WORDS.length)
  for (;;) {
    const [high = 0, low = 0] = random.bytes(2)
    const drawn = high * 256 + low
    if (drawn < bound) return SLUG_WORDS[drawn % SLUG_WORDS.length] as string
  }
}
