import type { ReactNode } from 'react'
import { cx } from './cx.ts'

/** Chooses one of two to five visible options. */
export function Segmented<T extends string>({
  value,
  onChange,
  options,
  label,
}: {
  value: T
  onChange: (value: T) => void
  options: readonly { value: T; label: ReactNode }[]
  label: string
}) {
  return (
    <fieldset className="inline-flex flex-wrap rounded-sm border border-line bg-sunken p-0.5 print:border-0 print:bg-transparent">
      <legend className="sr-only">{label}</legend>
      {options.map((option) => (
        <button
          key={option.value}
          type="button"
          aria-pressed={option.value === value}
          onClick={() => onChange(option.value)}
          className={cx(
            'h-6.5 whitespace-nowrap rounded-xs px-2 text-sm transition-colors pointer-coarse:h-10 sm:px-2.5',
            option.value === value
              ? 'bg-raised font-medium text-fg shadow-[0_0_0_1px_var(--line)]'
              : 'text-muted hover:text-fg print:hidden',
          )}
        >
          {option.label}
        </button>
      ))}
    </fieldset>
  )
}
