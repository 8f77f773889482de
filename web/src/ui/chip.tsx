import { X } from 'lucide-react'
import type { ReactNode } from 'react'
import { cx } from './cx.ts'

export type Tone = 'neutral' | 'accent' | 'ok' | 'warn' | 'bad'

const TONES: Readonly<Record<Tone, string>> = {
  // Rows have the same background while they are pointed at.
  neutral: 'bg-hover text-muted group-focus-within/row:bg-pressed group-hover/row:bg-pressed',
  accent: 'bg-accent-soft text-accent-text',
  ok: 'bg-ok-soft text-ok',
  warn: 'bg-warn-soft text-warn',
  bad: 'bg-bad-soft text-bad',
}

/** A word in a box: a tag, a scope, a status. With `onRemove` it is removable. */
export function Chip({
  tone = 'neutral',
  onRemove,
  removeLabel,
  onClick,
  title,
  before,
  className,
  children,
}: {
  tone?: Tone
  onRemove?: () => void
  /** The name of the remove button, such as "Remove the filter Germany". */
  removeLabel?: string
  onClick?: () => void
  /** The full text, if it may be truncated. */
  title?: string
  /** An icon before the word. */
  before?: ReactNode
  className?: string
  children: ReactNode
}) {
  const look = cx(
    'inline-flex h-6 max-w-full items-center gap-1 rounded-xs px-1.5 text-xs',
    TONES[tone],
    className,
  )
  if (onClick) {
    return (
      <button
        type="button"
        title={title}
        onClick={onClick}
        className={cx(look, 'hover:text-fg pointer-coarse:h-10 pointer-coarse:px-3')}
      >
        {before}
        <span className="truncate" dir="auto">
          {children}
        </span>
      </button>
    )
  }
  return (
    <span className={cx(look, onRemove && 'not-print:pe-0 pointer-coarse:h-10')}>
      {before}
      <span className="truncate" dir="auto">
        {children}
      </span>
      {onRemove ? (
        <button
          type="button"
          aria-label={removeLabel}
          onClick={onRemove}
          className="flex size-6 shrink-0 print:hidden items-center justify-center rounded-xs hover:text-fg pointer-coarse:size-10"
        >
          <X size={12} />
        </button>
      ) : null}
    </span>
  )
}
