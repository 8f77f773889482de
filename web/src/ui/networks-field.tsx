import type { ReactNode } from 'react'
import { useI18n } from '../i18n/index.tsx'
import { listError } from './errors.ts'
import { TextareaField } from './text-field.tsx'

/** The addresses and networks of a text. */
export function networksOf(text: string): string[] {
  return text.split(/[\s,]+/).filter((line) => line !== '')
}

/** Addresses and networks, one per line. */
export function NetworksField({
  error,
  field,
  value,
  ...props
}: {
  label: ReactNode
  hint: ReactNode
  /** The error of the last request, and the API's name of the field. */
  error: unknown
  field: string
  rows?: number
  disabled?: boolean
  value: string
  onChange: (text: string) => void
}) {
  const i18n = useI18n()
  return (
    <TextareaField
      error={listError(error, field, networksOf(value), i18n)}
      dir="ltr"
      rows={4}
      spellCheck={false}
      placeholder={'192.0.2.0/24\n2001:db8::/32'}
      value={value}
      {...props}
    />
  )
}
