import { Fragment } from 'react'

/** Where a URL or an email address may end a line: after a slash, a question mark, `&` or `@`. */
const AFTER = /(?<=[/?&@])(?=[^/])/

/** A URL or an email address, whose lines end between its parts where that is possible. */
export function Breakable({ children }: { children: string }) {
  return children.split(AFTER).map((part, at) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: parts have no state
    <Fragment key={at}>
      {at === 0 ? null : <wbr />}
      {part}
    </Fragment>
  ))
}
