import { Menu as Base } from '@base-ui/react/menu'
import { Check } from 'lucide-react'
import type { ReactElement, ReactNode } from 'react'
import { cx } from './cx.ts'
import { Kbd } from './kbd.tsx'
import { ITEM, POPUP, takeFocus } from './popup.ts'

/** A menu that is initially open: see `menu.tsx`. */
export function OpenedMenu({
  trigger,
  align = 'end',
  side = 'bottom',
  className,
  children,
}: {
  /** The button, with a name. */
  trigger: ReactElement
  align?: 'start' | 'center' | 'end'
  side?: 'top' | 'bottom'
  className?: string
  children: ReactNode
}) {
  return (
    <Base.Root
      defaultOpen
      onOpenChange={(_, details) => {
        // A submenu is in a portal of its own: a press there is not outside. Base UI detects that by events
        // that pass through portals, which Preact's don't.
        if (details.reason === 'outside-press' && isInMenu(details.event)) details.cancel()
      }}
    >
      <Base.Trigger ref={takeFocus} render={trigger} />
      <Base.Portal>
        <Base.Positioner
          side={side}
          align={align}
          sideOffset={4}
          // Less than the margin beside buttons on a phone, or it changes sides there.
          collisionPadding={4}
          className="z-50"
        >
          <Base.Popup
            className={cx(POPUP, 'max-h-(--available-height) min-w-44 overflow-y-auto', className)}
          >
            {children}
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  )
}

/** Whether an event comes from a menu. */
function isInMenu(event: Event): boolean {
  return event.target instanceof Element && event.target.closest('[role=menu]') !== null
}

/** An action. */
export function MenuItem({
  icon,
  shortcut,
  danger = false,
  disabled = false,
  onClick,
  render,
  children,
}: {
  icon?: ReactNode
  shortcut?: string
  danger?: boolean
  disabled?: boolean
  onClick?: () => void
  /** A link element, for navigation. */
  render?: ReactElement
  children: ReactNode
}) {
  return (
    <Base.Item
      disabled={disabled}
      {...(onClick ? { onClick } : {})}
      {...(render ? { render } : {})}
      className={cx(ITEM, danger && 'text-bad')}
    >
      {icon ? <span className="flex w-4 justify-center text-faint">{icon}</span> : null}
      <span className="flex-1">{children}</span>
      {shortcut ? (
        <span className="flex pointer-coarse:hidden">
          <Kbd>{shortcut}</Kbd>
        </span>
      ) : null}
    </Base.Item>
  )
}

/** One of several choices, the current one marked. */
export function MenuRadio<T extends string>({
  label,
  value,
  onChange,
  options,
}: {
  label: string
  value: T
  onChange: (value: T) => void
  options: readonly { value: T; label: ReactNode }[]
}) {
  return (
    <Base.RadioGroup value={value} onValueChange={onChange} aria-label={label}>
      {options.map((option) => (
        <Base.RadioItem
          key={option.value}
          value={option.value}
          closeOnClick
          className={cx(ITEM, 'pe-8')}
        >
          {option.label}
          <Base.RadioItemIndicator className="absolute end-2">
            <Check />
          </Base.RadioItemIndicator>
        </Base.RadioItem>
      ))}
    </Base.RadioGroup>
  )
}

/** A submenu. */
export function Submenu({
  icon,
  label,
  children,
}: {
  icon?: ReactNode
  label: ReactNode
  children: ReactNode
}) {
  return (
    <Base.SubmenuRoot>
      <Base.SubmenuTrigger className={cx(ITEM, 'data-popup-open:bg-hover')}>
        {icon ? <span className="flex w-4 justify-center text-faint">{icon}</span> : null}
        <span className="flex-1">{label}</span>
        <span aria-hidden="true" className="text-faint rtl:-scale-x-100">
          ›
        </span>
      </Base.SubmenuTrigger>
      <Base.Portal>
        <Base.Positioner
          side="inline-end"
          align="end"
          sideOffset={4}
          collisionPadding={8}
          className="z-50"
        >
          <Base.Popup className={cx(POPUP, 'max-h-(--available-height) overflow-y-auto')}>
            {children}
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.SubmenuRoot>
  )
}

/** A separator between groups. */
export function MenuSeparator() {
  return <Base.Separator className="mx-1 my-1 h-px bg-line" />
}
