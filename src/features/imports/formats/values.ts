import type { ErrorDetail } from '../../../lib/errors/index.ts'
import { BOUNDS } from '../../../model/links/values.ts'
import type { Draft } from './types.ts'

/** Whether a cell or member is empty. */
export function isEmpty(value: unknown): boolean {
  return value === undefined || value === null || value === ''
}

/** Abbreviated: `1.2K`. */
const SHORT = /^(\d{1,12})(?:[.,](\d{1,12}))? ?([kmb])$/i
const SCALES: Readonly<Record<string, number>> = { k: 1e3, m: 1e6, b: 1e9 }
/** With thousands separators, in India also of two digits, and with decimals that are zeros. */
const WHOLE = /^(\d{1,3}(?:[.,\s_’'](?:\d\d(?=[.,\s_’']\d)|\d{3}))*[.,\s_’']\d{3}|\d+)(?:[.,]0+)?$/

/** A whole number as people and spreadsheets write it; undefined: there is none. */
export function countOf(value: unknown): number | undefined {
  const number = typeof value === 'number' ? value : countIn(String(value ?? '').trim())
  return Number.isFinite(number) && number >= 0 ? Math.floor(number) : undefined
}

const NO_COUNT = /^(?:[-–—]|n\/a|null|none)?$/i
const UNREADABLE_COUNT: ErrorDetail = {
  field: 'clicks',
  code: 'INVALID_VALUE',
  params: { example: '1204' },
}

/** Sets the clicks of a draft, or says that they can't be read. */
export function takeClicks(draft: Draft, value: unknown): void {
  draft.clicks = countOf(value)
  if (draft.clicks !== undefined || NO_COUNT.test(String(value ?? '').trim())) return
  draft.faults = [...(draft.faults ?? []), UNREADABLE_COUNT]
}

/** A count in digits; any other value is returned unchanged, to be refused by the validation. */
export function limitOf(value: unknown): unknown {
  const number = integerOf(value)
  return typeof number === 'string' ? (countOf(number) ?? value) : number
}

function countIn(text: string): number {
  // Longer texts are no counts.
  if (text.length > 40) return Number.NaN
  if (/^\d+(?:\.\d+)?e\+?\d{1,3}$/i.test(text)) return Number(text)
  const [, whole, decimals = '0', scale = ''] = SHORT.exec(text) ?? []
  if (whole !== undefined) {
    return Math.round(Number(`${whole}.${decimals}`) * (SCALES[scale.toLowerCase()] as number))
  }
  const digits = WHOLE.exec(text)?.[1]
  return digits === undefined ? Number.NaN : Number(digits.replaceAll(/\D/g, ''))
}

/** True and false, as spreadsheets write them in their languages. */
const YES =
  'true yes on 1 wahr vrai verdadero vero verdadeiro waar prawda істина doğru истина правда sant sand sann tosi pravda igaz adevărat αληθεσ αληθης cert tõene patiess teisinga benar'
const NO =
  'false no off 0 falsch faux falso onwaar fałsz хибність yanliş yanlış ложь хиба falskt falsk usann epätosi nepravda hamis fals ψευδεσ ψευδης väär aplams klaidinga salah'

const FLAGS: Readonly<Record<string, boolean>> = {
  ...Object.fromEntries(YES.split(' ').map((word) => [word, true])),
  ...Object.fromEntries(NO.split(' ').map((word) => [word, false])),
}

/** Deeper nested values take long to handle, and links have none. */
export const DEPTH_MAX = 64

/** Parses JSON. @throws SyntaxError, also if it is nested too deep */
export function parseNested(text: string): unknown {
  let depth = 0
  for (const [sign] of text.matchAll(/"(?:[^"\\]|\\.)*"|[[\]{}]/gs)) {
    if (sign === '[' || sign === '{') depth++
    else if (sign === ']' || sign === '}') depth--
    if (depth > DEPTH_MAX) throw new SyntaxError('Nested too deep')
  }
  return JSON.parse(text)
}

/** True or false; any other value is returned unchanged, to be refused by the validation. */
export function flagOf(value: unknown): unknown {
  return typeof value === 'boolean' ? value : (FLAGS[String(value).trim().toLowerCase()] ?? value)
}

/** A whole number in digits; any other value is returned unchanged. */
export function integerOf(value: unknown): unknown {
  return typeof value === 'string' && /^-?\d{1,15}$/.test(value.trim()) ? Number(value) : value
}

/** A list in a cell, separated by commas, semicolons or vertical bars. */
export function listOf(value: unknown): string[] {
  const items = typeof value === 'string' ? value.split(/[,;|]/) : [value].flat()
  return items.map((item) => nameOf(item).trim()).filter((item) => item !== '')
}

/** The name of a tag, which may be an object. */
function nameOf(item: unknown): string {
  const name = typeof item === 'object' ? (item as { name?: unknown } | null)?.name : item
  return typeof name === 'object' || name === undefined ? '' : String(name)
}

/** The host and slug of a short URL; a text without a host is a slug. */
export function addressOf(text: string): { host?: string; slug: string } {
  const bare = text.trim().replace(/^https?:\/\//i, '')
  const slash = bare.indexOf('/')
  const start = slash === -1 ? bare : bare.slice(0, slash)
  const hasHost = bare !== text.trim() || (slash !== -1 && /[.:]/.test(start))
  if (!hasHost) return { slug: slugOf(bare) }
  const path = slash === -1 ? '' : bare.slice(slash + 1)
  return { host: start.toLowerCase(), slug: slugOf(decoded(path.replace(/[?#].*$/s, ''))) }
}

/** A slug without leading and trailing slashes. */
export function slugOf(value: unknown): string {
  const text = String(value).trim()
  let start = 0
  let end = text.length
  while (text[start] === '/') start++
  while (end > start && text[end - 1] === '/') end--
  return text.slice(start, end)
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path)
  } catch {
    return path
  }
}

/** Cuts values that other products allow to be longer: titles, notes, and tags. */
export function fitted(link: Record<string, unknown>): Record<string, unknown> {
  const { title, notes, tags } = link
  return {
    ...link,
    ...(typeof title === 'string' && { title: plain(title, BOUNDS.title) }),
    ...(typeof notes === 'string' && { notes: cut(notes, BOUNDS.notes) }),
    ...(Array.isArray(tags) && {
      tags: tags.slice(0, BOUNDS.tags).map((tag) => plain(String(tag), BOUNDS.tag)),
    }),
  }
}

/** The text on one line, without invisible characters. */
function plain(text: string, max: number): string {
  return cut(text.replaceAll(/[\s\p{Cc}]+/gu, ' ').trim(), max)
}

function cut(text: string, max: number): string {
  const characters = [...text.toWellFormed()]
  return characters.length > max ? characters.slice(0, max).join('') : text.toWellFormed()
}
