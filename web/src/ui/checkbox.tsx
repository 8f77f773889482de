import { Check, Minus } from 'lucide-react'
import { type ReactNode, useEffect, useRef } from 'react'
import { cx } from './cx.ts'

/** A checkbox. Without a visible label give it a `name`. */
export function Checkbox({
  checked,
  indeterminate = false,
  onChange,
  label,
  hint,
  name,
  disabled = false,
  className,
}: {
  checked: boolean
  /** Partly checked. */
  indeterminate?: boolean
  /** `isShifted`: with the shift key held. */
  onChange: (checked: boolean, isShifted: boolean) => void
  label?: ReactNode
  hint?: ReactNode
  /** Its name if it has no visible label. */
  name?: string
  disabled?: boolean
  className?: string
}) {
  const input = useRef<HTMLInputElement>(null)
  useEffect(() => {
    if (input.current) input.current.indeterminate = indeterminate
  }, [indeterminate])
  const Mark = indeterminate ? Minus : Check
  const box = (
    // 24 px to hit, 16 px to see.
    <span
      className={cx(
        'relative flex size-6 shrink-0 items-center justify-center',
        // Of a row, it only selects.
        label === undefined ? cx('print:hidden', className) : '-m-1 mt-[-0.125rem]',
      )}
    >
      <input
        ref={input}
        type="checkbox"
        checked={checked}
        disabled={disabled}
        aria-label={name}
        // Also fired by key and label. A change event doesn't say whether the shift key was held.
        onClick={({ currentTarget, shiftKey }) => onChange(currentTarget.checked, shiftKey)}
        className="peer absolute inset-0 cursor-pointer appearance-none pointer-coarse:-inset-2 rounded-xs disabled:cursor-not-allowed"
      />
      <span
        aria-hidden="true"
        className={cx(
          'pointer-events-none flex size-4 items-center justify-center rounded-xs border transition-colors peer-disabled:opacity-50',
          checked || indeterminate
            ? 'border-accent bg-accent text-on-accent'
            : 'border-line-strong bg-canvas peer-hover:border-muted',
        )}
      >
        {checked || indeterminate ? <Mark size={12} strokeWidth={3} /> : null}
      </span>
    </span>
  )
  if (label === undefined) return box
  return (
    // biome-ignore lint/a11y/noLabelWithoutControl: the checkbox is in it
    <label className={cx('flex items-start gap-3', className)}>
      {box}
      <span className="flex min-w-0 flex-col gap-0.5 text-pretty">
        <span className="text-base">{label}</span>
        {hint ? <span className="text-faint text-xs">{hint}</span> : null}
      </span>
    </label>
  )
}
