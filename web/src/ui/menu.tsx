import { MoreHorizontal } from 'lucide-react'
import { type ComponentProps, type ReactNode, useState } from 'react'
import { IconButton } from './button.tsx'
import type * as Parts from './menu-parts.tsx'
import { onDemand, PendingTrigger } from './on-demand.tsx'

/** Menus need a positioning library: loaded when the first one is about to be opened. */
const parts = onDemand(() => import('./menu-parts.tsx'))

/** A menu of actions. Until it is first opened only its button exists: tables have many. */
export function Menu(props: ComponentProps<typeof Parts.OpenedMenu>) {
  const [opened, setOpened] = useState(false)
  if (!opened) {
    const open = () => setOpened(true)
    return <PendingTrigger trigger={props.trigger} popup="menu" part={parts} onOpen={open} />
  }
  const { OpenedMenu } = parts.get()
  return <OpenedMenu {...props} />
}

/** The menu of actions on an item of a list. */
export function MoreMenu({
  label,
  size = 'md',
  children,
}: {
  label: string
  size?: 'sm' | 'md'
  children: ReactNode
}) {
  const trigger = <IconButton size={size} label={label} icon={<MoreHorizontal size={16} />} />
  return <Menu trigger={trigger}>{children}</Menu>
}

// The following components are only rendered in an open menu, so their code is loaded.

/** An action. */
export function MenuItem(props: ComponentProps<typeof Parts.MenuItem>) {
  const { MenuItem: Item } = parts.get()
  return <Item {...props} />
}

type RadioProps<T extends string> = Parameters<typeof Parts.MenuRadio<T>>[0]

/** One of several choices, the current one marked. */
export function MenuRadio<T extends string>(props: RadioProps<T>) {
  const { MenuRadio: Radio } = parts.get()
  return <Radio {...props} />
}

/** A submenu. */
export function Submenu(props: ComponentProps<typeof Parts.Submenu>) {
  const { Submenu: Sub } = parts.get()
  return <Sub {...props} />
}

/** A separator between groups. */
export function MenuSeparator() {
  const { MenuSeparator: Separator } = parts.get()
  return <Separator />
}
