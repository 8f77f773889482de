import { ChevronDown } from 'lucide-react'
import type { ButtonHTMLAttributes, ReactNode } from 'react'
import { cx } from './cx.ts'
import { CONTROL } from './input.tsx'
import { type OnDemand, PendingTrigger } from './on-demand.tsx'

interface SelectOption<T extends string> {
  value: T
  label: string
  /** A second line. */
  hint?: ReactNode
}

export interface SelectProps<T extends string> {
  value: T
  onChange: (value: T) => void
  options: readonly SelectOption<T>[]
  /** Its name, if it has no label. */
  label?: string
  /** As small as a small button. */
  compact?: boolean
  className?: string
  disabled?: boolean
  id?: string
  'aria-invalid'?: boolean | undefined
  'aria-describedby'?: string | undefined
}

export interface Option {
  value: string
  label: string
}

export interface ComboboxProps {
  value: string
  onChange: (value: string) => void
  options: readonly Option[]
  label: string
  /** The placeholder while nothing is chosen. */
  placeholder?: string
  /** If set: the options are results for this text, not all of them. */
  onSearch?: (text: string) => void
  /** Whether the options are still being loaded. */
  pending?: boolean
  /** Typed values can be chosen, too. */
  custom?: boolean
  /** If set: any number can be chosen, and these are. The list stays open; `onChange` toggles one. */
  chosen?: readonly string[] | undefined
  invalid?: boolean
  className?: string
  /** If set, it moves the focus when a value was chosen; otherwise the trigger gets it. */
  onChosen?: () => void
}

/** The look of the trigger; `compact`: like a button. */
export function triggerClass(compact: boolean, className: string | undefined): string {
  return cx(
    CONTROL,
    'flex items-center justify-between gap-2 text-start',
    compact
      ? 'h-7 w-auto! border-line! bg-raised! px-2.5 text-sm hover:bg-hover! pointer-coarse:h-10'
      : // Of a form, the whole name is shown.
        'min-h-8 px-2.5 py-1 pointer-coarse:min-h-10 [&>.truncate]:whitespace-normal',
    className,
  )
}

/** The trigger of a list that isn't loaded yet; looks the same. */
export function PendingListbox({
  text,
  isList = false,
  part,
  onOpen,
  ...button
}: Omit<ButtonHTMLAttributes<HTMLButtonElement>, 'part'> & {
  text: ReactNode
  /** Whether the text names several values, in the direction of the page. */
  isList?: boolean
  part: OnDemand<unknown>
  onOpen: () => void
}) {
  const trigger = (
    <button type="button" role="combobox" aria-expanded={false} {...button}>
      <span dir={isList ? undefined : 'auto'} className="truncate">
        {text}
      </span>
      <ChevronDown className="shrink-0 text-faint" />
    </button>
  )
  return <PendingTrigger trigger={trigger} popup="listbox" part={part} onOpen={onOpen} />
}
