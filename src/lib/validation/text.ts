import { ValidationIssue } from './validation-issue.ts'

const ASCII = /^[\0-\x7f]*$/
const CONTROL = /\p{Cc}/u
const CONTROL_BUT_LINES = /[^\P{Cc}\t\n\r]/u

/** Whether `text` has more than `max` characters, counted in Unicode code points. */
export function longerThan(text: string, max: number): boolean {
  if (text.length <= max) return false
  if (text.length > 2 * max) return true
  let count = 0
  for (const _ of text) count++
  return count > max
}

/**
 * Whether a text can be stored and displayed: no unpaired surrogates, no control characters.
 * `lines` permits tab and line breaks.
 */
export function isClean(text: string, lines = false): boolean {
  return text.isWellFormed() && !(lines ? CONTROL_BUT_LINES : CONTROL).test(text)
}

/** More marks in a row than any language has: the Stream-Safe Text Format of UAX #15 §13 ends there. */
const MARKS = /\p{M}{31}/u

/** Whether a text has more than 30 combining marks in a row. */
export function hasManyMarks(text: string): boolean {
  return MARKS.test(text)
}

/**
 * A text in NFC; with many marks in a row unchanged, because sorting them takes quadratic time.
 */
export function compose(text: string): string {
  return ASCII.test(text) || hasManyMarks(text) ? text : text.normalize('NFC')
}

/**
 * The form for case-insensitive comparison: texts that differ only in case, or in how their accents
 * are composed, fold alike. Upper-casing makes ß equal SS, and ı equal I; lower-casing before it does
 * the same for capital ẞ. The dot that İ keeps is removed, so i, I, ı and İ are one letter.
 */
export function foldCase(text: string): string {
  return ASCII.test(text) ? text.toLowerCase() : withoutDots(foldWithDots(text))
}

/** {@link foldCase} of earlier versions: Unicode's full case folding, in which İ is i with a dot. */
export function foldWithDots(text: string): string {
  return compose(compose(text).toLowerCase().toUpperCase().toLowerCase())
}

const DOT = '\u0307'

/** A folded text without dots above i, which has one already. */
export function withoutDots(text: string): string {
  if (!text.includes(DOT)) return text
  const apart = hasManyMarks(text) ? text : text.normalize('NFD')
  return compose(apart.replace(/i\p{M}+/gu, (letter) => letter.replaceAll(DOT, '')))
}

/**
 * {@link foldCase} for substring search: the result must not depend on neighbouring characters, and
 * a lower-case sigma does (Unicode's Final_Sigma, the only such rule outside locales).
 */
export function foldForSearch(text: string): string {
  return foldCase(text).replaceAll('ς', 'σ')
}

/** Bounds of a text in characters; `lines` permits line breaks and tabs. */
export interface TextBounds {
  max: number
  min?: number
  lines?: boolean
}

/** Makes the check of a text. */
export function checkText({ max, min = 0, lines = false }: TextBounds) {
  return (text: string): string | ValidationIssue => {
    if (text.length < min) return new ValidationIssue('TOO_SHORT', { min })
    if (longerThan(text, max)) return new ValidationIssue('TOO_LONG', { max })
    return isClean(text, lines) ? text : new ValidationIssue('INVALID_CHARACTERS')
  }
}
