import { Popover as Base } from '@base-ui/react/popover'
import type { ReactElement, ReactNode } from 'react'
import { cx } from './cx.ts'
import { POPUP } from './popup.ts'

/** A popover that is initially open: see `popover.tsx`. */
export function OpenedPopover({
  trigger,
  title,
  open,
  onOpenChange,
  align = 'start',
  className,
  children,
}: {
  /** The button. */
  trigger: ReactElement
  /** Its name for screen readers. */
  title: string
  open: boolean
  onOpenChange: (open: boolean) => void
  align?: 'start' | 'center' | 'end'
  className?: string
  children: ReactNode
}) {
  return (
    <Base.Root open={open} onOpenChange={(next) => onOpenChange(next)}>
      <Base.Trigger ref={focus} render={trigger} />
      <Base.Portal>
        <Base.Positioner sideOffset={6} align={align} collisionPadding={8} className="z-30">
          <Base.Popup className={cx(POPUP, 'max-w-[calc(100vw-1rem)] p-4', className)}>
            <Base.Title className="sr-only">{title}</Base.Title>
            {children}
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  )
}

/** Moves the focus from the placeholder button, which had it, to this one. */
function focus(trigger: HTMLElement | null): void {
  trigger?.focus({ preventScroll: true })
}
