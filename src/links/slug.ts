import { type Random, randomString } from '../base/random.ts'
import { Fault } from '../validation/fault.ts'
import { foldCase, longerThan } from '../validation/text.ts'
import { RESERVED_SLUGS } from './reserved.ts'

/** The most characters that a slug may have. */
export const SLUG_LENGTH_MAX = 64
/** Characters of a generated slug: none that is taken for another one. */
export const SLUG_ALPHABET = '23456789abcdefghjkmnpqrstuvwxyz'
/** The length of a generated slug, as long as there is little collision. */
export const SLUG_LENGTH_GENERATED = 7

/** After so many collisions at one length, generated slugs get one character longer. */
const TRIES_PER_LENGTH = 3

const PLAIN = /^[a-z0-9_-]+$/
const ALLOWED = /^[\p{L}\p{M}\p{Nd}_-]+$/u
/** A leading mark combines with the character before the slug; invisible characters mislead. */
const MISLEADING = /^\p{M}|\p{Default_Ignorable_Code_Point}/u

/** A slug as typed (in NFC), and the key that makes it unique. */
export interface SlugName {
  slug: string
  key: string
}

/** What two slugs that differ only in case or composition have in common. */
export function slugKey(slug: string): string {
  return PLAIN.test(slug) ? slug : foldCase(slug)
}

/** Checks a slug that a client chose. */
export function parseSlug(text: string): SlugName | Fault {
  if (PLAIN.test(text) && text.length <= SLUG_LENGTH_MAX) {
    return unreserved({ slug: text, key: text }, text)
  }
  if (text === '') return new Fault('TOO_SHORT', { min: 1 })
  const slug = text.isWellFormed() ? text.normalize('NFC') : text
  if (longerThan(slug, SLUG_LENGTH_MAX)) return new Fault('TOO_LONG', { max: SLUG_LENGTH_MAX })
  if (!ALLOWED.test(slug) || MISLEADING.test(slug)) return new Fault('INVALID_SLUG')
  // Full-width and mathematical letters are taken for the plain ones by readers.
  return unreserved({ slug, key: slugKey(slug) }, slugKey(slug.normalize('NFKC')))
}

function unreserved(name: SlugName, seenAs: string): SlugName | Fault {
  return RESERVED_SLUGS.has(seenAs) ? new Fault('SLUG_RESERVED') : name
}

/** A random slug; `tries` is how many were taken already. */
export function generateSlug(random: Random, tries: number): string {
  const length = SLUG_LENGTH_GENERATED + Math.floor(tries / TRIES_PER_LENGTH)
  const slug = randomString(random, SLUG_ALPHABET, length)
  return RESERVED_SLUGS.has(slug) ? generateSlug(random, tries) : slug
}

/** Slugs to offer instead of a taken one: numbered first, then with a random end. */
export function alternatives(slug: string, random: Random): SlugName[] {
  const endings = ['2', '3', '4', '5']
  for (let length = 3; length <= 6; length++) {
    endings.push(randomString(random, SLUG_ALPHABET, length))
  }
  const base = [...slug]
  return endings.map((ending) => {
    const text = `${base.slice(0, SLUG_LENGTH_MAX - ending.length - 1).join('')}-${ending}`
    return { slug: text, key: slugKey(text) }
  })
}
