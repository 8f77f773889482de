import IntlMessageFormat from 'intl-messageformat'
import { PSEUDO_LOCALES, type PseudoLocale } from '../locales.ts'
import { addPseudoLocale } from '../translate.ts'
import { type Element, isBranching, isLiteral } from './ast.ts'

const ACCENTS: Readonly<Record<string, string>> = {
  ...pairs('ABCDEFGHIJKLMNOPQRSTUVWXYZ', 'ÅƁÇÐÉƑĜĤÎĴĶĻṀÑÖÞǪŔŠŢÛṼŴẊÝŽ'),
  ...pairs('abcdefghijklmnopqrstuvwxyz', 'åƀçðéƒĝĥîĵķļɱñöþǫŕšţûṽŵẋýž'),
}
const RTL_START = '\u200f\u202e'
const RTL_END = '\u202c\u200f'

/**
 * The English source as a pseudo-locale, like Android's. en-XA accents every letter, doubles vowels
 * (other languages are longer than English) and puts brackets around the whole, so that truncated,
 * concatenated and hard-coded text shows; ar-XB writes every word right-to-left. Values of
 * placeholders stay unchanged.
 */
function pseudoMessage(locale: PseudoLocale, source: string): IntlMessageFormat {
  const ast = new IntlMessageFormat(source, 'en', undefined, { ignoreTag: true }).getAst()
  const change = locale === 'en-XA' ? accent : mirror
  const changed = ast.map((element) => rewrite(element, change))
  const whole = locale === 'en-XA' ? [literal('['), ...changed, literal(']')] : changed
  // English plural rules, because the branches are the English ones.
  return new IntlMessageFormat(whole, 'en')
}

function rewrite(element: Element, change: (text: string) => string): Element {
  if (isLiteral(element)) return { ...element, value: change(element.value) }
  if (!isBranching(element)) return element
  const options = Object.fromEntries(
    Object.entries(element.options).map(([name, option]) => [
      name,
      { ...option, value: option.value.map((inner) => rewrite(inner, change)) },
    ]),
  )
  return { ...element, options } as Element
}

function accent(text: string): string {
  return text
    .replace(/[aeiou]/g, (vowel) => vowel + vowel)
    .replace(/[A-Za-z]/g, (letter) => ACCENTS[letter] ?? letter)
}

function mirror(text: string): string {
  return text.replace(/[A-Za-z]+/g, (word) => `${RTL_START}${word}${RTL_END}`)
}

function literal(value: string): Element {
  return { type: 0, value } as Element
}

function pairs(from: string, to: string): Record<string, string> {
  const targets = [...to]
  return Object.fromEntries([...from].map((letter, i) => [letter, targets[i] ?? letter]))
}

for (const locale of PSEUDO_LOCALES) {
  addPseudoLocale(locale, (source) => pseudoMessage(locale, source))
}
