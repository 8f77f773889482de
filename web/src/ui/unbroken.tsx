import { Fragment } from 'react'

/** Words with hyphens, such as slugs; without the marks that isolate names in right-to-left texts. */
const HYPHENATED = /([^\s\u2066-\u2069]+-[^\s\u2066-\u2069]+)/

/** A text whose lines don't end at the hyphen of a name, unless the name alone is too long for one. */
export function Unbroken({ children }: { children: string }) {
  return children.split(HYPHENATED).map((part, at) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: parts have no state
    <Fragment key={at}>
      {at % 2 === 0 ? part : <span className="inline-block max-w-full">{part}</span>}
    </Fragment>
  ))
}
