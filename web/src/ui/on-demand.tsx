import { cloneElement, type HTMLAttributes, type KeyboardEvent, type ReactElement } from 'react'
import { part as loadPart } from '../lib/part.ts'

/** A chunk of the program that is loaded when it is about to be needed. */
export interface OnDemand<T> {
  load(): Promise<T>
  /** The loaded chunk. Throws if it isn't loaded. */
  get(): T
  isLoaded(): boolean
}

let failed: (error: unknown) => void = () => {}

/** Sets what says that a pressed button's chunk couldn't be loaded. */
export function onLoadFailure(say: (error: unknown) => void): void {
  failed = say
}

export function onDemand<T>(load: () => Promise<T>): OnDemand<T> {
  let loaded: T | undefined
  let loading: Promise<T> | undefined
  return {
    load() {
      loading ??= loadPart(load).then(
        (module) => {
          loaded = module
          return module
        },
        (error: unknown) => {
          // The next attempt may find the network again.
          loading = undefined
          throw error
        },
      )
      return loading
    },
    get() {
      if (loaded === undefined) throw new Error('not loaded yet')
      return loaded
    },
    isLoaded: () => loaded !== undefined,
  }
}

/**
 * The button of something that isn't loaded yet: loads it when the pointer or the focus gets near,
 * opens it when it is pressed.
 */
export function PendingTrigger({
  trigger,
  popup,
  part,
  onOpen,
}: {
  trigger: ReactElement
  popup: 'menu' | 'dialog' | 'listbox'
  part: OnDemand<unknown>
  onOpen: () => void
}) {
  const approach = () => void part.load().catch(() => {})
  const open = () => void part.load().then(onOpen, (error: unknown) => failed(error))
  const props: HTMLAttributes<HTMLElement> = {
    'aria-haspopup': popup,
    'aria-expanded': false,
    onPointerEnter: approach,
    onFocus: approach,
    onClick: open,
    onKeyDown(event: KeyboardEvent) {
      if (popup === 'dialog' || (event.key !== 'ArrowDown' && event.key !== 'ArrowUp')) return
      event.preventDefault()
      event.stopPropagation()
      open()
    },
  }
  return cloneElement(trigger as ReactElement<HTMLAttributes<HTMLElement>>, props)
}
