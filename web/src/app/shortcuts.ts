import { useEffect, useRef } from 'react'

/** Actions by the key's character, `g l` for a sequence. */
type Shortcuts = Readonly<Record<string, (event: KeyboardEvent) => void>>

/** Elements that handle keys themselves; a toast is a non-modal dialog, and doesn't. */
const BUSY =
  '[role=dialog]:not([aria-modal=false]),[role=alertdialog]:not([aria-modal=false]),[role=menu],[role=listbox]'
const SEQUENCE_MS = 1_000
/** The first key of all sequences: the one after it means nothing else. */
const PREFIX = 'g'

/** Whether such an element is open: a closed list stays in the document, hidden. */
export function isBusy(): boolean {
  return [...document.querySelectorAll(BUSY)].some((one) => one.checkVisibility())
}

/** Whether keys and pasted text belong to a field. */
export function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false
  if (target instanceof HTMLInputElement) return target.type !== 'checkbox'
  return target.isContentEditable || /^(?:TEXTAREA|SELECT)$/.test(target.tagName)
}

/** The Latin letter of the key if the layout has another script. */
function nameOf({ key, code }: KeyboardEvent): string {
  if (/^[\p{L}]$/u.test(key) && !/^[a-z]$/i.test(key)) return code.replace(/^Key/, '').toLowerCase()
  return key
}

/**
 * Handles keys while the component is mounted, unless the person types, or a dialog or menu is
 * open. `mod k` is ⌘K or Ctrl+K.
 */
export function useShortcuts(shortcuts: Shortcuts, enabled = true): void {
  const current = useRef(shortcuts)
  useEffect(() => {
    current.current = shortcuts
  })
  useEffect(() => {
    if (!enabled) return
    let before = ''
    let at = 0
    const onKey = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.altKey || isBusy()) return
      const withModifier = event.ctrlKey || event.metaKey
      // Keys with a modifier don't type text, so they work in fields too.
      if (isTyping(event.target) && !withModifier) return
      const name = withModifier ? `mod ${nameOf(event)}` : nameOf(event)
      const isAfter = before === PREFIX && event.timeStamp - at < SEQUENCE_MS
      const action = current.current[isAfter ? `${PREFIX} ${name}` : name]
      before = name
      at = event.timeStamp
      if (action === undefined) return
      if (event.target instanceof HTMLElement && isPressing(name, event.target)) return
      event.preventDefault()
      action(event)
    }
    window.addEventListener('keydown', onKey)
    return () => window.removeEventListener('keydown', onKey)
  }, [enabled])
}

/** Enter and space belong to the focused control or link. */
function isPressing(name: string, target: HTMLElement): boolean {
  return (
    (name === 'Enter' || name === ' ') && target.closest('button,a,summary,label,input') !== null
  )
}
