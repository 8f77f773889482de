import { Popover as Base } from '@base-ui/react/popover'
import { type ReactElement, type ReactNode, useRef } from 'react'
import { cx } from './cx.ts'
import { POPUP, takeFocus } from './popup.ts'

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
  const portal = useRef<HTMLDivElement>(null)
  return (
    <Base.Root
      open={open}
      onOpenChange={(next, { reason, event }) => {
        // Popups opened from here are in this portal too: a press there is not outside. Base UI detects
        // that by events that pass through portals, which Preact's don't.
        const isWithin = portal.current && event.composedPath().includes(portal.current)
        if (reason !== 'outside-press' || !isWithin) onOpenChange(next)
      }}
    >
      <Base.Trigger ref={takeFocus} render={trigger} />
      <Base.Portal ref={portal}>
        <Base.Positioner sideOffset={6} align={align} collisionPadding={8} className="z-30">
          <Base.Popup
            className={cx(
              POPUP,
              'max-h-(--available-height) max-w-[calc(100vw-1rem)] overflow-y-auto overscroll-contain p-4',
              className,
            )}
          >
            <Base.Title className="sr-only">{title}</Base.Title>
            {children}
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  )
}
