/**
 * The part of ICU MessageFormat that our messages use, in 1 kB: arguments, `number`, `plural` with
 * `=1`, `#` and `offset`-less rules, `selectordinal`, `select`, `<tag>…</tag>`, and apostrophes that
 * quote. A test reads every message with the full parser of intl-messageformat as well.
 */
export type Node =
  | string
  | { kind: 'argument'; name: string; number: boolean }
  | { kind: 'choice'; type: ChoiceType; name: string; options: Record<string, Node[]> }
  | { kind: 'count' }
  | { kind: 'tag'; name: string; children: Node[] }

type ChoiceType = 'plural' | 'selectordinal' | 'select'

const WORD = /[^\s,{}<>/]+/y
const SPACE = /\s*/y

/** Parses a message. @throws SyntaxError */
export function parseMessage(text: string): Node[] {
  let at = 0

  const fail = () => new SyntaxError(`message breaks at ${at}: ${text}`)
  function take(pattern: RegExp): string {
    pattern.lastIndex = at
    const found = pattern.exec(text)?.[0] ?? ''
    at += found.length
    return found
  }
  function expect(character: string): void {
    take(SPACE)
    if (text[at] !== character) throw fail()
    at++
  }
  function word(): string {
    take(SPACE)
    const found = take(WORD)
    if (found === '') throw fail()
    return found
  }

  function nodes(inPlural: boolean, closing: string | null): Node[] {
    const all: Node[] = []
    let literal = ''
    const flush = () => {
      if (literal !== '') all.push(literal)
      literal = ''
    }
    for (;;) {
      const character = text[at]
      if (character === undefined) {
        if (closing !== null) throw fail()
        break
      }
      if (character === '}' && closing === '}') break
      if (closing?.startsWith('</') && text.startsWith(closing, at)) break
      if (character === "'") {
        const [run, end] = quotedAt(text, at + 1)
        literal += run
        at = end
      } else if (character === '{') {
        flush()
        all.push(argument(inPlural))
      } else if (character === '#' && inPlural) {
        flush()
        at++
        all.push({ kind: 'count' })
      } else if (character === '<' && /[a-z]/i.test(text[at + 1] ?? '')) {
        flush()
        at++
        const name = word()
        expect('>')
        const children = nodes(inPlural, `</${name}>`)
        at += name.length + 3
        all.push({ kind: 'tag', name, children })
      } else if (character === '}') {
        throw fail()
      } else {
        literal += character
        at++
      }
    }
    flush()
    return all
  }

  function argument(inPlural: boolean): Node {
    expect('{')
    const name = word()
    take(SPACE)
    if (text[at] === '}') {
      at++
      return { kind: 'argument', name, number: false }
    }
    expect(',')
    const type = word()
    if (type === 'number') {
      expect('}')
      return { kind: 'argument', name, number: true }
    }
    if (type !== 'plural' && type !== 'selectordinal' && type !== 'select') throw fail()
    expect(',')
    const options: Record<string, Node[]> = {}
    for (;;) {
      take(SPACE)
      if (text[at] === '}') break
      const option = word()
      expect('{')
      options[option] = nodes(inPlural || type !== 'select', '}')
      at++
    }
    at++
    if (options.other === undefined) throw fail()
    return { kind: 'choice', type, name, options }
  }

  return nodes(false, null)
}

/** After an apostrophe: another one, quoted text, or a plain apostrophe; and where it ends. */
function quotedAt(text: string, start: number): [run: string, end: number] {
  const next = text[start]
  if (next === "'") return ["'", start + 1]
  if (next === undefined || !'{}<>#|'.includes(next)) return ["'", start]
  let run = ''
  for (let at = start; at < text.length; at++) {
    if (text[at] !== "'") run += text[at]
    else if (text[at + 1] !== "'") return [run, at + 1]
    else {
      run += "'"
      at++
    }
  }
  return [run, text.length]
}

/** A value for a message; functions render tags. */
export type Value<T> = string | number | T | ((children: T[]) => T)

/** Formats a message: a list of texts and of the values' types. */
export function formatMessage<T>(
  nodes: readonly Node[],
  values: Readonly<Record<string, Value<T>>>,
  locale: string,
  count?: number,
): (string | T)[] {
  const number = (value: number) => numberFormat(locale).format(value)
  return nodes.flatMap((node): (string | T)[] => {
    if (typeof node === 'string') return [node]
    if (node.kind === 'count') return [number(count ?? 0)]
    const value = values[node.name]
    if (node.kind === 'tag') {
      const children = formatMessage(node.children, values, locale, count) as T[]
      return typeof value === 'function'
        ? [(value as (children: T[]) => T)(children)]
        : (children as (string | T)[])
    }
    if (node.kind === 'argument') {
      if (value === undefined) return [`{${node.name}}`]
      if (typeof value === 'number') return [number(value)]
      return [typeof value === 'string' ? isolated(value, locale) : (value as T)]
    }
    if (node.type === 'select') {
      const chosen = node.options[String(value)] ?? node.options.other
      return formatMessage(chosen as Node[], values, locale, count)
    }
    const amount = Number(value)
    const chosen =
      node.options[`=${amount}`] ??
      node.options[pluralRules(locale, node.type).select(amount)] ??
      node.options.other
    return formatMessage(chosen as Node[], values, locale, amount)
  })
}

/**
 * A value that keeps its own direction in a right-to-left sentence: "2026-sale" isn't shown as
 * "sale-2026". Uses Unicode's "first strong isolate"; a text with isolated parts is one of our own,
 * with the direction of the language, even if it has no words outside these parts.
 */
export function isolated(value: string, locale: string): string {
  if (!locale.startsWith('ar')) return value
  return `${/[\u2066-\u2068]/.test(value) ? '\u2067' : '\u2068'}${value}\u2069`
}

const numbers = new Map<string, Intl.NumberFormat>()
function numberFormat(locale: string): Intl.NumberFormat {
  let format = numbers.get(locale)
  if (format === undefined) {
    format = new Intl.NumberFormat(locale)
    numbers.set(locale, format)
  }
  return format
}

const plurals = new Map<string, Intl.PluralRules>()
function pluralRules(locale: string, type: ChoiceType): Intl.PluralRules {
  const key = `${locale} ${type}`
  let rules = plurals.get(key)
  if (rules === undefined) {
    rules = new Intl.PluralRules(locale, { type: type === 'plural' ? 'cardinal' : 'ordinal' })
    plurals.set(key, rules)
  }
  return rules
}
