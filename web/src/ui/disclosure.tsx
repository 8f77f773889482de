import { ChevronRight } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { cx } from './cx.ts'

/** A collapsible part of a form. */
export function Disclosure({
  title,
  initiallyOpen = false,
  forced = false,
  mark,
  className,
  children,
}: {
  title: ReactNode
  initiallyOpen?: boolean
  /** Keeps it expanded: it contains faults. */
  forced?: boolean
  /** The name of the mark beside the title; absent: no mark. */
  mark?: string | undefined
  className?: string
  children: ReactNode
}) {
  const [open, setOpen] = useState(initiallyOpen)
  return (
    <details
      open={open || forced}
      onToggle={(event) => setOpen(event.currentTarget.open)}
      className={cx('group', className)}
    >
      <summary className="flex h-10 list-none items-center gap-1.5 rounded-sm font-medium text-muted hover:text-fg [&::-webkit-details-marker]:hidden">
        <ChevronRight className="transition-transform group-open:rotate-90 rtl:-scale-x-100 rtl:group-open:-rotate-90" />
        {title}
        {mark === undefined ? null : (
          <>
            <span className="size-1.5 rounded-full bg-accent" aria-hidden="true" />
            <span className="sr-only">{mark}</span>
          </>
        )}
      </summary>
      <div className="flex flex-col gap-4 pt-1 pb-4">{children}</div>
    </details>
  )
}

/** The line that opens a smaller collapsible part: the first child of a `details`. */
export function Summary({ children }: { children: ReactNode }) {
  return (
    <summary className="flex min-h-8 w-fit list-none items-center gap-1.5 rounded-sm text-muted text-sm hover:text-fg [&::-webkit-details-marker]:hidden print:[details:not([open])>&]:hidden">
      <ChevronRight
        size={16}
        className="transition-transform rtl:-scale-x-100 [details[open]>summary>&]:rotate-90 rtl:[details[open]>summary>&]:-rotate-90"
      />
      {children}
    </summary>
  )
}
