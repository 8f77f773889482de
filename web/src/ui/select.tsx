import { useState } from 'react'
import { Field, type FieldProps } from './field.tsx'
import { PendingListbox, type SelectProps, triggerClass } from './listbox.tsx'
import { onDemand } from './on-demand.tsx'

const parts = onDemand(() => import('./select-parts.tsx'))

/** One of a few values; its list is loaded when it is about to be opened. */
export function Select<T extends string>(props: SelectProps<T>) {
  const [opened, setOpened] = useState(false)
  if (opened) {
    const { OpenedSelect } = parts.get()
    return <OpenedSelect {...props} />
  }
  const { value, onChange: _, options, label, compact = false, className, ...control } = props
  return (
    <PendingListbox
      {...control}
      aria-label={label}
      className={triggerClass(compact, className)}
      text={options.find((option) => option.value === value)?.label ?? value}
      part={parts}
      onOpen={() => setOpened(true)}
    />
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
