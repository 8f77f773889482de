import type { Colour } from './calls.ts'

/** The colour of a tag; its name stands beside it. */
export function TagDot({ colour }: { colour: Colour | undefined }) {
  return (
    <span
      aria-hidden="true"
      className="size-2 shrink-0 rounded-full"
      style={{ background: `var(--tag-${colour ?? 'grey'})` }}
    />
  )
}
