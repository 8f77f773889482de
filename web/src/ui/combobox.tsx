import { useState } from 'react'
import { type ComboboxProps, PendingListbox, triggerClass } from './listbox.tsx'
import { onDemand } from './on-demand.tsx'

const parts = onDemand(() => import('./combobox-parts.tsx'))

/** Chooses one of many values, with a search; its list is loaded when it is about to be opened. */
export function Combobox(props: ComboboxProps) {
  const [opened, setOpened] = useState(false)
  if (opened) {
    const { OpenedCombobox } = parts.get()
    return <OpenedCombobox {...props} />
  }
  const { value, options, label, placeholder, invalid = false, className } = props
  return (
    <PendingListbox
      aria-label={label}
      aria-invalid={invalid || undefined}
      className={triggerClass(true, className)}
      text={options.find((option) => option.value === value)?.label ?? placeholder}
      part={parts}
      onOpen={() => setOpened(true)}
    />
  )
}
