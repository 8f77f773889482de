import type { Colour } from './calls.ts'

/** The colour of a tag, beside its name. */
export function TagDot({ colour }: { colour: Colour | undefined }) {
  return (
    <span
      aria-hidden="true"
      className="size-2 shrink-0 rounded-full"
      style={{ background: `var(--tag-${colour ?? 'grey'})` }}
    />
  )
}
