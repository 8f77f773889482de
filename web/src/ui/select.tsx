import { Select as Base } from '@base-ui/react/select'
import { Check, ChevronDown } from 'lucide-react'
import type { ReactNode } from 'react'
import { cx } from './cx.ts'
import { Field, type FieldProps } from './field.tsx'
import { CONTROL } from './input.tsx'
import { ITEM, POPUP } from './popup.ts'

interface SelectOption<T extends string> {
  value: T
  label: string
  /** A second line. */
  hint?: ReactNode
}

interface SelectProps<T extends string> {
  value: T
  onChange: (value: T) => void
  options: readonly SelectOption<T>[]
  /** Its name, where no label stands beside it. */
  label?: string
  /** As small as a small button. */
  compact?: boolean
  className?: string
  disabled?: boolean
  id?: string
  'aria-invalid'?: boolean | undefined
  'aria-describedby'?: string | undefined
}

/** One of a few values. */
export function Select<T extends string>({
  value,
  onChange,
  options,
  label,
  compact = false,
  className,
  disabled = false,
  ...control
}: SelectProps<T>) {
  return (
    <Base.Root
      value={value}
      onValueChange={(next) => next !== null && onChange(next as T)}
      items={options as { value: T; label: string }[]}
      disabled={disabled}
    >
      <Base.Trigger
        {...control}
        aria-label={label}
        className={cx(
          CONTROL,
          'flex items-center justify-between gap-2 text-start',
          // Among buttons it looks like one.
          compact
            ? 'h-7.5 w-auto! border-line! bg-raised! px-2.5 text-sm hover:bg-hover!'
            : 'h-8 px-2.5',
          'pointer-coarse:h-10',
          className,
        )}
      >
        <Base.Value dir="auto" className="truncate" />
        <Base.Icon className="shrink-0 text-faint">
          <ChevronDown size={14} aria-hidden="true" />
        </Base.Icon>
      </Base.Trigger>
      <Base.Portal>
        <Base.Positioner sideOffset={4} className="z-50" alignItemWithTrigger={false}>
          <Base.Popup
            className={cx(
              POPUP,
              'max-h-(--available-height) min-w-(--anchor-width) overflow-y-auto',
            )}
          >
            <Base.List>
              {options.map((option) => (
                <Base.Item key={option.value} value={option.value} className={cx(ITEM, 'pe-8')}>
                  <Base.ItemIndicator className="absolute end-2">
                    <Check size={14} aria-hidden="true" />
                  </Base.ItemIndicator>
                  <span className="flex flex-col">
                    <Base.ItemText>{option.label}</Base.ItemText>
                    {option.hint ? <span className="text-faint text-xs">{option.hint}</span> : null}
                  </span>
                </Base.Item>
              ))}
            </Base.List>
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  )
}

/** A field with one of a few values. */
export function SelectField<T extends string>({
  label,
  hint,
  error,
  className,
  ...select
}: FieldProps & Pick<SelectProps<T>, 'value' | 'onChange' | 'options' | 'disabled'>) {
  return (
    <Field label={label} hint={hint} error={error} className={className}>
      {(control) => <Select {...control} {...select} />}
    </Field>
  )
}
