import type { ComponentProps, KeyboardEvent, ReactNode, SubmitEvent } from 'react'
import { Button } from './button.tsx'
import { FormError } from './field.tsx'

/** The action of a form: a mutation without variables. */
export interface Task {
  mutate: () => void
  isPending: boolean
  error: unknown
}

/** Presses a form's button by Ctrl or ⌘ and Enter, also from a field of several lines. */
export function submitByKeys(event: KeyboardEvent<HTMLFormElement>): void {
  if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey) || event.defaultPrevented) return
  event.preventDefault()
  event.stopPropagation()
  for (const control of event.currentTarget.elements) {
    if (!(control instanceof HTMLButtonElement) || control.type !== 'submit') continue
    control.click()
    return
  }
}

/** A form, with its general error above the fields. */
export function Form({
  task,
  fields,
  onSubmit = () => task.mutate(),
  id,
  className = 'flex flex-col gap-4',
  children,
}: {
  task: Task
  /** Fields that show their own errors, with the API's names. */
  fields?: readonly string[] | undefined
  /** Replaces the task, for example to ask first. */
  onSubmit?: (() => void) | undefined
  id?: string
  className?: string
  children: ReactNode
}) {
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    // The event must not submit a surrounding form, from which this dialog was opened.
    event.stopPropagation()
    onSubmit()
  }
  return (
    <form id={id} onSubmit={submit} onKeyDown={submitByKeys} className={className}>
      <FormError error={task.error} fields={fields} />
      {children}
    </form>
  )
}

/** The button that submits a form. */
export function Submit({
  of: task,
  ...props
}: ComponentProps<typeof Button> & { of: Pick<Task, 'isPending'> }) {
  return <Button type="submit" variant="primary" loading={task.isPending} {...props} />
}
