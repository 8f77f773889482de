import type { ComponentProps, ReactNode } from 'react'
import { cx } from './cx.ts'
import { takeFocus } from './popup.ts'

/** The look of controls for typing and choosing. */
export const CONTROL = cx(
  'w-full min-w-0 rounded-sm border border-line-strong bg-canvas text-base text-fg transition-colors',
  'hover:border-muted disabled:cursor-not-allowed disabled:opacity-60',
  'focus-visible:border-accent-text focus-visible:outline-1 focus-visible:outline-offset-0 focus-visible:rounded-sm',
  'aria-invalid:border-bad-mark',
)

/** Browsers obey `autofocus` once per document: not in a field that appears on a later page. */
const focusing = (autoFocus = false) => (autoFocus ? { ref: takeFocus } : {})

/** A single-line text input. */
export function Input({ className, autoFocus, ...props }: ComponentProps<'input'>) {
  return (
    <input
      {...props}
      {...focusing(autoFocus)}
      className={cx(CONTROL, 'h-8 px-2.5 pointer-coarse:h-10', className)}
    />
  )
}

/** A multi-line text input; grows with its content. */
export function Textarea({ className, ...props }: ComponentProps<'textarea'>) {
  return (
    <textarea
      rows={3}
      {...props}
      className={cx(CONTROL, 'field-sizing-content max-h-60 min-h-16 px-2.5 py-1.5', className)}
    />
  )
}

/** A text input with content before and after it, in one frame. */
export function InputGroup({
  before,
  after,
  className,
  invalid = false,
  autoFocus,
  ...props
}: ComponentProps<'input'> & { before?: ReactNode; after?: ReactNode; invalid?: boolean }) {
  return (
    <div
      // A prefix of a URL comes first in every language.
      dir={props.dir === 'auto' ? undefined : props.dir}
      className={cx(
        CONTROL,
        'flex h-8 items-center pointer-coarse:h-10 focus-within:border-accent-text focus-within:outline-1 focus-within:outline-accent-text focus-within:outline-solid',
        (invalid || props['aria-invalid']) && 'border-bad-mark!',
        className,
      )}
    >
      {before === undefined ? null : (
        <span className="flex shrink-0 items-center ps-2.5 text-muted">{before}</span>
      )}
      <input
        {...props}
        {...focusing(autoFocus)}
        className="h-full min-w-0 flex-1 rounded-sm bg-transparent px-2.5 outline-none first:ps-2.5 not-first:ps-1.5"
      />
      {after === undefined ? null : (
        <span className="flex shrink-0 items-center pe-1 text-muted">{after}</span>
      )}
    </div>
  )
}
