import type { ReactNode } from 'react'

/** An empty page or list, with the next step. */
export function Empty({
  icon,
  title,
  heading: Heading = 'h2',
  children,
  action,
  program,
}: {
  icon?: ReactNode
  title: ReactNode
  /** `h1` if the page has no other heading. */
  heading?: 'h1' | 'h2'
  children?: ReactNode
  action?: ReactNode
  /** The same by API: shown below the button. */
  program?: ReactNode
}) {
  return (
    <div className="mx-auto flex max-w-xl flex-col items-center gap-3 px-4 py-16 text-center">
      {icon ? <div className="text-faint">{icon}</div> : null}
      <Heading className="font-semibold text-lg">{title}</Heading>
      {children ? <div className="flex w-full flex-col gap-4 text-muted">{children}</div> : null}
      {action ? <div className="mt-2 flex flex-wrap justify-center gap-2">{action}</div> : null}
      {program ? <div className="mt-4 flex w-full flex-col gap-3 text-muted">{program}</div> : null}
    </div>
  )
}
