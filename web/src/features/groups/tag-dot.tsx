import type { Color } from './queries.ts'

/** The color of a tag, beside its name. */
export function TagDot({ color }: { color: Color | undefined }) {
  return (
    <span
      aria-hidden="true"
      className="size-2 shrink-0 rounded-full"
      style={{ background: `var(--tag-${color ?? 'grey'})` }}
    />
  )
}
