import { type ComponentProps, useState } from 'react'
import { onDemand, PendingTrigger } from './on-demand.tsx'
import type * as Parts from './popover-parts.tsx'

const parts = onDemand(() => import('./popover-parts.tsx'))

type Props = Omit<ComponentProps<typeof Parts.OpenedPopover>, 'open' | 'onOpenChange'> & {
  open?: boolean
  onOpenChange?: (open: boolean) => void
}

/** Content that opens beside its button; loaded when it is about to be opened. */
export function Popover({ open, onOpenChange, ...props }: Props) {
  const [own, setOwn] = useState(false)
  const [opened, setOpened] = useState(false)
  const isOpen = open ?? own
  const change = (next: boolean) => {
    setOpened(true)
    setOwn(next)
    onOpenChange?.(next)
  }
  if (!opened) {
    const openIt = () => change(true)
    return <PendingTrigger trigger={props.trigger} popup="dialog" part={parts} onOpen={openIt} />
  }
  const { OpenedPopover } = parts.get()
  return <OpenedPopover {...props} open={isOpen} onOpenChange={change} />
}
