import type { ReactNode } from 'react'

/** A page or list without anything: it teaches the one next step. */
export function Empty({
  icon,
  title,
  children,
  action,
}: {
  icon?: ReactNode
  title: ReactNode
  children?: ReactNode
  action?: ReactNode
}) {
  return (
    <div className="mx-auto flex max-w-xl flex-col items-center gap-3 px-4 py-16 text-center">
      {icon ? <div className="text-faint">{icon}</div> : null}
      <h2 className="font-semibold text-lg">{title}</h2>
      {children ? <div className="flex w-full flex-col gap-4 text-muted">{children}</div> : null}
      {action ? <div className="mt-2 flex flex-wrap justify-center gap-2">{action}</div> : null}
    </div>
  )
}
