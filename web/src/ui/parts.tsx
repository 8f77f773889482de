import { Children, type ReactNode } from 'react'

/** Short texts with dots between them: a line ends after one of them rather than inside it. */
export function Parts({ children }: { children: ReactNode }) {
  const all = Children.toArray(children)
  return all.map((part, i) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: they have no other identity, nor any state
    <span key={i}>
      <span className="inline-block max-w-full">
        {part}
        {i < all.length - 1 ? '\u00a0·' : null}
      </span>{' '}
    </span>
  ))
}
