import { isUtf8 } from 'node:buffer'
import { nextTurn } from '../lib/base/turn.ts'
import { AppError, type ErrorDetail } from '../lib/errors/index.ts'
import { fieldOf } from './details.ts'

/** The deepest nesting of objects and arrays. */
const DEPTH_MAX = 32
/** The most members of one object. */
const MEMBERS_MAX = 20_000
/** Characters that are parsed per turn of the event loop. */
const TURN_LENGTH = 32 * 1024

const WHITE_SPACE = /[ \t\n\r]*/y
const LITERAL = /true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y
const PLAIN = /[ !#-[\]-\uffff]+/y
const ESCAPE = /\\(?:["\\/bfnrt]|u[\da-fA-F]{4})/y

/** An object or an array that isn't closed yet. */
type Open = Readonly<{ end: string }> &
  (
    | { items: unknown[] }
    /** `name` is null while it is being read. */
    | { members: Record<string, unknown>; count: number; name: string | null }
  )

/**
 * Parses a JSON object, strictly by RFC 8259 and I-JSON (RFC 7493): UTF-8 without a byte-order
 * mark, no duplicate members, no escaped unpaired surrogate, at most 32 levels deep, objects of at
 * most 20,000 members. Long texts are parsed in several turns of the event loop, which `JSON.parse`
 * would hold.
 * @throws AppError INVALID_JSON with the reason and the position.
 */
export async function parseJsonObject(bytes: Uint8Array): Promise<Record<string, unknown>> {
  if (!isUtf8(bytes)) throw invalid({ field: '', code: 'INVALID_ENCODING' })
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8')
  const parsing = new Parser(text).parse()
  let step = parsing.next()
  while (!step.done) {
    await nextTurn()
    step = parsing.next()
  }
  const { value } = step
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
    return value as Record<string, unknown>
  }
  throw invalid({ field: '', code: 'INVALID_TYPE', params: { expected: 'object' } })
}

function invalid(detail: ErrorDetail): AppError {
  return new AppError('INVALID_JSON', { details: [detail] })
}

class Parser {
  #at = 0
  #turnEnd = TURN_LENGTH
  readonly #open: Open[] = []

  constructor(readonly text: string) {}

  /** Yields where a turn ends. */
  *parse(): Generator<undefined, unknown> {
    for (;;) {
      if (this.#isTurnOver()) yield
      this.#skip(WHITE_SPACE)
      let value: unknown
      const opened = this.#begin()
      if (opened === undefined) {
        value = this.#plainString() ?? this.#literal() ?? (yield* this.#escapedString())
        if (value === NULL) value = null
      } else {
        this.#open.push(opened)
        this.#skip(WHITE_SPACE)
        if (!this.#take(opened.end)) {
          if ('members' in opened) yield* this.#name(opened)
          continue
        }
        this.#open.pop()
        value = 'items' in opened ? opened.items : opened.members
      }
      // The value ends here, and with it perhaps what it is in.
      for (;;) {
        this.#skip(WHITE_SPACE)
        const around = this.#open.at(-1)
        if (around === undefined) {
          if (this.#at < this.text.length) throw this.#syntax()
          return value
        }
        if ('items' in around) around.items.push(value)
        else addMember(around.members, around.name as string, value)
        if (this.#take(',')) {
          if ('members' in around) yield* this.#name(around)
          break
        }
        this.#expect(around.end)
        this.#open.pop()
        value = 'items' in around ? around.items : around.members
      }
    }
  }

  #begin(): Open | undefined {
    const isObject = this.#take('{')
    if (!isObject && !this.#take('[')) return undefined
    if (this.#open.length === DEPTH_MAX) {
      throw invalid({ field: '', code: 'TOO_DEEP', params: { max: DEPTH_MAX } })
    }
    return isObject ? { end: '}', members: {}, count: 0, name: null } : { end: ']', items: [] }
  }

  /** Reads the name of the next member. */
  *#name(object: Extract<Open, { members: object }>): Generator<undefined, void> {
    object.name = null
    this.#skip(WHITE_SPACE)
    const start = this.#at
    const name = this.#plainString() ?? (yield* this.#escapedString())
    if (Object.hasOwn(object.members, name)) {
      const field = fieldOf([...this.#path(), name])
      throw invalid({ field, code: 'DUPLICATE_KEY', params: positionOf(this.text, start) })
    }
    if (++object.count > MEMBERS_MAX) {
      const field = fieldOf(this.#path())
      throw invalid({ field, code: 'TOO_MANY', params: { max: MEMBERS_MAX } })
    }
    object.name = name
    this.#skip(WHITE_SPACE)
    this.#expect(':')
  }

  /** A string without escapes; undefined: there is no such string here. */
  #plainString(): string | undefined {
    const start = this.#at
    if (!this.#take('"')) return undefined
    this.#skip(PLAIN)
    if (this.#take('"')) return this.text.slice(start + 1, this.#at - 1)
    this.#at = start
    return undefined
  }

  *#escapedString(): Generator<undefined, string> {
    const start = this.#at
    this.#expect('"')
    while (this.#skip(PLAIN) || this.#skip(ESCAPE)) if (this.#isTurnOver()) yield
    this.#expect('"')
    const value = JSON.parse(this.text.slice(start, this.#at)) as string
    if (value.isWellFormed()) return value
    throw invalid({ field: fieldOf(this.#path()), code: 'INVALID_CHARACTERS' })
  }

  /** Undefined: there is a string, or nothing of JSON. */
  #literal(): number | boolean | typeof NULL | undefined {
    const start = this.#at
    if (this.text[start] === '"') return undefined
    if (!this.#skip(LITERAL)) throw this.#syntax()
    const literal = this.text.slice(start, this.#at)
    if (literal === 'null') return NULL
    return literal === 'true' || (literal === 'false' ? false : Number(literal))
  }

  #path(): (string | number)[] {
    return this.#open.flatMap((each) => ('items' in each ? each.items.length : (each.name ?? [])))
  }

  #isTurnOver(): boolean {
    if (this.#at < this.#turnEnd) return false
    this.#turnEnd = this.#at + TURN_LENGTH
    return true
  }

  #take(character: string): boolean {
    if (this.text[this.#at] !== character) return false
    this.#at++
    return true
  }

  #expect(character: string): void {
    if (!this.#take(character)) throw this.#syntax()
  }

  #skip(pattern: RegExp): boolean {
    pattern.lastIndex = this.#at
    const found = pattern.test(this.text)
    if (found) this.#at = pattern.lastIndex
    return found
  }

  #syntax(): AppError {
    return invalid({ field: '', code: 'JSON_SYNTAX', params: positionOf(this.text, this.#at) })
  }
}

/** Stands for null, which `??` would take for nothing. */
const NULL = Symbol('null')

function addMember(members: Record<string, unknown>, name: string, value: unknown): void {
  // Assigning it would set the prototype.
  if (name !== '__proto__') members[name] = value
  else
    Object.defineProperty(members, name, {
      value,
      enumerable: true,
      configurable: true,
      writable: true,
    })
}

/** Both from 1; columns in Unicode code points. */
function positionOf(text: string, at: number) {
  let line = 1
  let start = 0
  for (let end = text.indexOf('\n'); end >= 0 && end < at; end = text.indexOf('\n', start)) {
    line++
    start = end + 1
  }
  let column = 1
  for (const _ of text.slice(start, at)) column++
  return { line, column }
}
