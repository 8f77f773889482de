import { useId } from 'react'
import { Input } from './input.tsx'

/** A date with its label beside it; empty if none is chosen. */
export function DayInput({
  label,
  value,
  onChange,
}: {
  label: string
  value: string
  onChange: (day: string) => void
}) {
  const id = useId()
  return (
    <label
      htmlFor={id}
      className="flex flex-col gap-1 text-muted text-sm sm:flex-row sm:items-center sm:gap-2"
    >
      {label}
      <Input
        id={id}
        type="date"
        className="sm:w-38!"
        value={value}
        onChange={({ target }) => onChange(target.value)}
      />
    </label>
  )
}
