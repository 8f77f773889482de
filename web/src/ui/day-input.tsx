import { useId, useState } from 'react'
import { Input } from './input.tsx'

/** A date with its label beside it; empty if none is chosen. */
export function DayInput({
  label,
  value,
  onChange,
}: {
  label: string
  value: string
  /** Called with complete dates: a half typed year is one of the first centuries. */
  onChange: (day: string) => void
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
      className="flex flex-col gap-1 text-muted text-sm sm:flex-row sm:items-center sm:gap-2"
    >
      {label}
      <Input
        id={id}
        type="date"
        min="1970-01-01"
        max="9999-12-31"
        className="sm:w-38!"
        value={text}
        onChange={({ target }) => {
          setText(target.value)
          if (target.validity.valid) onChange(target.value)
        }}
      />
    </label>
  )
}
