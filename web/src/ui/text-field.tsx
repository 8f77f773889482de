import type { ComponentProps } from 'react'
import { Field, type FieldProps } from './field.tsx'
import { Input, Textarea } from './input.tsx'

/** The props of a field and of its control; changes pass the text. */
type TextProps<Tag extends 'input' | 'textarea'> = FieldProps & {
  value: string
  onChange: (value: string) => void
  /** Of the control; `className` is the field's. */
  controlClass?: string
} & Omit<ComponentProps<Tag>, keyof FieldProps | 'id' | 'value' | 'onChange'>

/** A field with one line of text. */
export function TextField(props: TextProps<'input'>) {
  const { label, hideLabel, hint, error, className, controlClass, onChange, ...input } = props
  return (
    <Field {...{ label, hideLabel, hint, error, className }}>
      {(control) => (
        <Input
          {...input}
          {...control}
          className={controlClass}
          onChange={({ target }) => onChange(target.value)}
        />
      )}
    </Field>
  )
}

/** A field with several lines of text. */
export function TextareaField(props: TextProps<'textarea'>) {
  const { label, hideLabel, hint, error, className, controlClass, onChange, ...input } = props
  return (
    <Field {...{ label, hideLabel, hint, error, className }}>
      {(control) => (
        <Textarea
          {...input}
          {...control}
          className={controlClass}
          onChange={({ target }) => onChange(target.value)}
        />
      )}
    </Field>
  )
}
