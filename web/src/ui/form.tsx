import type { ReactNode, SubmitEvent } from 'react'
import { useI18n } from '../i18n/index.tsx'
import { formError } from './errors.ts'
import { FormError } from './field.tsx'

/** What a form does: a mutation without variables. */
export interface Task {
  mutate: () => void
  isPending: boolean
  error: unknown
}

/** Fields that are sent together, below what was wrong with them as a whole. */
export function Form({
  task,
  fields,
  onSubmit = () => task.mutate(),
  id,
  className = 'flex flex-col gap-4',
  children,
}: {
  task: Task
  /** Those that say themselves what is wrong with them, by their names in the API. */
  fields?: readonly string[] | undefined
  /** Instead of the task: what decides whether it is done. */
  onSubmit?: (() => void) | undefined
  id?: string
  className?: string
  children: ReactNode
}) {
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    // A form that a dialog with this one was opened from isn't sent with it.
    event.stopPropagation()
    onSubmit()
  }
  return (
    <form id={id} onSubmit={submit} className={className}>
      <FormError message={formError(task.error, useI18n(), fields)} />
      {children}
    </form>
  )
}
