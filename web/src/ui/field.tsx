import { type ReactNode, useId } from 'react'
import { useI18n } from '../i18n/index.tsx'
import { cx } from './cx.ts'
import { formError } from './errors.ts'

/** The attributes that a field gives its control. */
export interface FieldControl {
  id: string
  'aria-invalid': boolean | undefined
  'aria-describedby': string | undefined
}

/** The parts around a control. */
export interface FieldProps {
  label: ReactNode
  hint?: ReactNode
  error?: string | undefined
  hideLabel?: boolean | undefined
  className?: string | undefined
}

/** A label, a control, a hint, and the API's error. */
export function Field({
  label,
  hint,
  error,
  hideLabel = false,
  className,
  children,
}: FieldProps & { children: (control: FieldControl) => ReactNode }) {
  const id = useId()
  const describedBy = [hint && `${id}-hint`, error && `${id}-error`].filter(Boolean).join(' ')
  return (
    <div className={cx('flex min-w-0 flex-col gap-1.5', className)}>
      <label
        id={`${id}-label`}
        htmlFor={id}
        className={hideLabel ? 'sr-only' : 'flex items-baseline gap-2 font-medium text-sm'}
      >
        {label}
      </label>
      {children({
        id,
        'aria-invalid': error ? true : undefined,
        'aria-describedby': describedBy || undefined,
      })}
      {hint ? (
        <p id={`${id}-hint`} className="text-faint text-xs">
          {hint}
        </p>
      ) : null}
      <FieldError id={`${id}-error`} message={error} />
    </div>
  )
}

/** The error of a field; announced when it appears. */
export function FieldError({ id, message }: { id: string; message: string | undefined }) {
  return (
    <p id={id} role="status" className={message ? 'text-bad text-sm' : 'sr-only'}>
      {message}
    </p>
  )
}

/** The error of a whole form: of a request, what its fields don't show, or a message. */
export function FormError({
  error,
  fields,
  message,
}: {
  error?: unknown
  /** Fields that show their own errors, with the API's names. */
  fields?: readonly string[] | undefined
  message?: string | null | undefined
}) {
  const text = formError(error, useI18n(), fields) ?? message
  return text ? (
    <p role="alert" className="rounded-sm bg-bad-soft px-3 py-2 text-bad text-sm">
      {text}
    </p>
  ) : null
}
