import { useId, useState } from 'react'
import { cx } from './cx.ts'
import { Input } from './input.tsx'

/** A date with its label beside it, or above it in a form; empty if none is chosen. */
export function DayInput({
  label,
  value,
  onChange,
  stacked = false,
}: {
  label: string
  value: string
  /** Called with complete dates: a half typed year is one of the first centuries. */
  onChange: (day: string) => void
  /** Like the other fields of a form. */
  stacked?: boolean
}) {
  const id = useId()
  const [text, setText] = useState(value)
  const [seen, setSeen] = useState(value)
  // Another value replaces what is being typed.
  if (value !== seen) {
    setSeen(value)
    setText(value)
  }
  return (
    <label
      htmlFor={id}
      className={cx(
        'flex flex-col text-sm',
        stacked ? 'gap-1.5 font-medium' : 'gap-1 text-muted sm:flex-row sm:items-center sm:gap-2',
      )}
    >
      {label}
      <Input
        id={id}
        type="date"
        min="1970-01-01"
        max="9999-12-31"
        className={stacked ? 'font-normal' : 'sm:w-38!'}
        value={text}
        onChange={({ target }) => {
          setText(target.value)
          if (target.validity.valid) onChange(target.value)
        }}
      />
    </label>
  )
}
