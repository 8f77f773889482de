import { useState } from 'react'
import { useI18n } from '../i18n/index.tsx'
import { type ComboboxProps, PendingListbox, triggerClass } from './listbox.tsx'
import { onDemand } from './on-demand.tsx'

const parts = onDemand(() => import('./combobox-parts.tsx'))

/** Chooses one of many values, with a search; its list is loaded when it is about to be opened. */
export function Combobox(props: ComboboxProps) {
  const { format } = useI18n()
  const [opened, setOpened] = useState(false)
  if (opened) {
    const { OpenedCombobox } = parts.get()
    return <OpenedCombobox {...props} />
  }
  const { value, options, chosen, label, placeholder, invalid = false, className } = props
  const named = options.filter((one) => chosen?.includes(one.value) ?? one.value === value)
  return (
    <PendingListbox
      aria-label={label}
      aria-invalid={invalid || undefined}
      className={triggerClass(true, className)}
      text={named.length > 0 ? format.list(named.map((one) => one.label)) : placeholder}
      isList={named.length > 1}
      part={parts}
      onOpen={() => setOpened(true)}
    />
  )
}
