import type { ComponentProps, ReactNode } from 'react'
import { cx } from './cx.ts'
import { useTitle } from './title.ts'

/** A page, whose title is also shown in the browser's tab. */
export function Page({
  title,
  heading,
  description,
  actions,
  before,
  narrow = false,
  children,
}: {
  /** Plain text. */
  title: string
  /** The content of the heading; default: the title. */
  heading?: ReactNode
  description?: ReactNode
  actions?: ReactNode
  /** Above the heading: a link back. */
  before?: ReactNode
  /** For forms and text. */
  narrow?: boolean
  children: ReactNode
}) {
  useTitle(title)
  return (
    <div className="mx-auto w-full max-w-300 px-4 py-5 sm:px-8 sm:py-7 print:pb-0!">
      {before ? <div className="mb-1 flex print:hidden">{before}</div> : null}
      <header className="mb-5 flex flex-wrap items-start justify-between gap-x-6 gap-y-3">
        <div className="flex min-h-8 pointer-coarse:min-h-10 min-w-0 max-w-full flex-1 basis-auto flex-col justify-center gap-1">
          <h1 className="font-semibold text-xl [overflow-wrap:anywhere]">{heading ?? title}</h1>
          {description ? <p className="max-w-prose text-muted">{description}</p> : null}
        </div>
        {actions ? <div className="flex flex-wrap items-center gap-2">{actions}</div> : null}
      </header>
      {narrow ? <div className="max-w-176">{children}</div> : children}
    </div>
  )
}

/** A part of a page with its own heading. */
export function Section({
  id,
  title,
  description,
  actions,
  className,
  children,
}: {
  /** The target of a URL's `#` fragment. */
  id?: string
  title: ReactNode
  description?: ReactNode
  actions?: ReactNode
  className?: string
  children: ReactNode
}) {
  return (
    <section id={id} className={cx('flex scroll-mt-6 flex-col gap-3', className)}>
      <div className="flex flex-wrap items-end justify-between gap-x-4 gap-y-2">
        <div className="flex min-w-0 flex-1 basis-48 flex-col gap-0.5">
          <h2 className="font-semibold">{title}</h2>
          {description ? <p className="max-w-prose text-muted text-sm">{description}</p> : null}
        </div>
        {actions}
      </div>
      {children}
    </section>
  )
}

/** A framed area. */
export function Card({ className, children }: { className?: string; children: ReactNode }) {
  return <div className={cx('rounded-md border border-line bg-canvas', className)}>{children}</div>
}

/** A part of a settings page: framed, with its own heading. */
export function CardSection(props: ComponentProps<typeof Section>) {
  return (
    <Card className="p-5">
      <Section {...props} />
    </Card>
  )
}
