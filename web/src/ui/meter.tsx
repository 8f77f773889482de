import { cx } from './cx.ts'

/** How close a limit is. One of one, such as the owner of a small workspace, is not a warning. */
export function stateOf(value: number, max: number | null): 'free' | 'near' | 'full' | 'over' {
  if (max === null || (max === 1 && value <= 1)) return 'free'
  if (value > max) return 'over'
  if (value === max) return 'full'
  return value >= max * 0.8 ? 'near' : 'free'
}

const COLORS = {
  free: 'bg-accent',
  near: 'bg-warn-mark',
  full: 'bg-warn-mark',
  over: 'bg-bad-mark',
} as const

/** How much of a limit is used; turns amber at 80 % and red beyond it. */
export function Meter({
  value,
  max,
  label,
  text,
}: {
  value: number
  max: number
  label: string
  /** The values in words, such as "12 of 100". */
  text: string
}) {
  const share = max === 0 ? 1 : Math.min(1, value / max)
  return (
    // biome-ignore lint/a11y/useSemanticElements: a <meter> can't be drawn alike in all browsers
    <div
      role="meter"
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={max}
      aria-valuenow={Math.min(value, max)}
      aria-valuetext={text}
      className="h-1.5 w-full overflow-hidden rounded-full bg-pressed"
    >
      <div
        className={cx('h-full rounded-full', COLORS[stateOf(value, max)])}
        style={{ width: `${share * 100}%` }}
      />
    </div>
  )
}

/** The progress of a task, with counts. `max` null: unknown. */
export function Progress({
  value,
  max,
  label,
}: {
  value: number
  max: number | null
  label: string
}) {
  return (
    <div
      role="progressbar"
      aria-label={label}
      aria-valuemin={0}
      {...(max !== null && { 'aria-valuemax': max, 'aria-valuenow': value })}
      className="h-1.5 w-full overflow-hidden rounded-full bg-pressed"
    >
      <div
        className={cx(
          'h-full rounded-full bg-accent transition-[width]',
          max === null && 'opacity-40',
        )}
        style={{ width: `${max === 0 || max === null ? 100 : (value / max) * 100}%` }}
      />
    </div>
  )
}
