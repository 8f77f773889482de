import { Check } from 'lucide-react'
import type { ReactNode } from 'react'
import { cx } from './cx.ts'

/** Chooses any number of a few visible options. */
export function Toggles<T extends string>({
  value,
  onChange,
  options,
  label,
  invalid = false,
}: {
  value: readonly T[]
  /** In the order of the options. */
  onChange: (value: T[]) => void
  options: readonly { value: T; label: ReactNode }[]
  label: string
  invalid?: boolean
}) {
  const toggle = (one: T) =>
    onChange(
      options
        .map((option) => option.value)
        .filter((each) => value.includes(each) !== (each === one)),
    )
  return (
    <fieldset data-invalid={invalid || undefined} className="flex flex-wrap gap-1.5">
      <legend className="sr-only">{label}</legend>
      {options.map((option) => {
        const isOn = value.includes(option.value)
        return (
          <button
            key={option.value}
            type="button"
            aria-pressed={isOn}
            onClick={() => toggle(option.value)}
            className={cx(
              'inline-flex h-7 items-center gap-1 rounded-sm border px-2 text-sm transition-colors pointer-coarse:h-10 pointer-coarse:px-3',
              isOn
                ? 'border-accent-text bg-accent-soft text-accent-text'
                : 'border-line-strong text-muted hover:text-fg',
              invalid && 'border-bad-mark',
            )}
          >
            {isOn ? <Check size={12} strokeWidth={3} /> : null}
            {option.label}
          </button>
        )
      })}
    </fieldset>
  )
}
