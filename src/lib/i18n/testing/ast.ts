import type IntlMessageFormat from 'intl-messageformat'

/** One element of a parsed ICU message. */
export type Element = ReturnType<IntlMessageFormat['getAst']>[number]
type LiteralElement = Extract<Element, { type: typeof LITERAL }>
type BranchingElement = Extract<Element, { options: object }>
type PluralElement = Extract<Element, { pluralType: unknown }>

// intl-messageformat doesn't export the parser's enum; these are the values of its TYPE.
const LITERAL = 0
const PLURAL = 6

export function isLiteral(element: Element): element is LiteralElement {
  return Number(element.type) === LITERAL
}

/** A plural or a select. */
export function isBranching(element: Element): element is BranchingElement {
  return 'options' in element
}

export function isPlural(element: Element): element is PluralElement {
  return Number(element.type) === PLURAL
}

/** Calls `visit` for every element, including those inside plural and select branches. */
export function walk(elements: readonly Element[], visit: (element: Element) => void): void {
  for (const element of elements) {
    visit(element)
    if (isBranching(element)) {
      for (const option of Object.values(element.options)) walk(option.value, visit)
    }
  }
}

/** The names of a message's arguments; those of a select with a `none` branch are optional. */
export function argumentsOf(elements: readonly Element[]): { all: string[]; optional: string[] } {
  const all = new Set<string>()
  const optional = new Set<string>()
  walk(elements, (element) => {
    if (isLiteral(element) || !('value' in element)) return
    all.add(element.value)
    if (isBranching(element) && !isPlural(element) && Object.hasOwn(element.options, 'none')) {
      optional.add(element.value)
    }
  })
  return { all: [...all], optional: [...optional] }
}
