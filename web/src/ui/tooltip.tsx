import { cloneElement, type HTMLAttributes, type ReactElement, useEffect } from 'react'
import { useI18n } from '../i18n/index.tsx'

/**
 * A tool tip on hover and focus. It repeats or explains, and is never the only name. All of a page
 * share one element: tables have hundreds, with only an attribute each.
 */
export function Tooltip({
  text,
  shortcut,
  children,
}: {
  text: string
  /** The keyboard shortcut. */
  shortcut?: string
  children: ReactElement
}) {
  const tip = { 'data-tip': text, 'data-tip-key': shortcut }
  return cloneElement(children as ReactElement<HTMLAttributes<HTMLElement>>, tip as object)
}

const DELAY_MS = 500
/** After one was open the next one opens immediately. */
const WARM_MS = 400
const GAP = 6
const MARGIN = 8
const LOOK =
  'pointer-events-auto fixed inset-auto m-0 hidden w-max max-w-[min(20rem,calc(100vw-1rem))] items-center gap-2 rounded-sm border-0 bg-fg px-2 py-1 text-canvas text-xs shadow-float open:flex [overflow-wrap:anywhere]'
const KEY_LOOK =
  'inline-flex h-4.5 min-w-4.5 items-center justify-center rounded-xs border border-current/30 px-1 leading-none'

/** The tool tips of the page; once, around the app. */
export function Tooltips() {
  const { format } = useI18n()
  useEffect(() => {
    const box = document.createElement('div')
    box.setAttribute('role', 'tooltip')
    box.id = 'tooltip'
    box.popover = 'manual'
    box.className = LOOK
    const words = document.createElement('span')
    const key = document.createElement('kbd')
    key.className = KEY_LOOK
    box.append(words, key)
    document.body.append(box)

    let target: HTMLElement | null = null
    let timer: ReturnType<typeof setTimeout> | undefined
    let closedAt = 0

    const hide = () => {
      clearTimeout(timer)
      if (box.matches(':popover-open')) {
        box.hidePopover()
        closedAt = performance.now()
      }
      target = null
    }
    const open = () => {
      if (target === null || !target.isConnected) return
      words.textContent =
        target instanceof HTMLTimeElement
          ? format.exact(target.dateTime)
          : (target.dataset.tip ?? '')
      key.textContent = target.dataset.tipKey ?? ''
      key.hidden = key.textContent === ''
      // In the top layer: above any dialog.
      box.showPopover()
      place(box, target.getBoundingClientRect())
    }
    const point = (event: Event) => {
      const over = event.target instanceof Element ? event.target : null
      // It stays while the pointer is on it (WCAG 1.4.13).
      if (over && box.contains(over)) return
      const next = over?.closest<HTMLElement>('[data-tip]') ?? null
      if (next === target) return
      const warm = box.matches(':popover-open') || performance.now() - closedAt < WARM_MS
      hide()
      // Touch has no hover, and an open menu is explanatory enough.
      const finger = event instanceof PointerEvent && event.pointerType === 'touch'
      if (next === null || finger || next.getAttribute('aria-expanded') === 'true') return
      target = next
      timer = setTimeout(open, warm ? 0 : DELAY_MS)
    }
    const focus = (event: FocusEvent) => {
      if (event.target instanceof Element && event.target.matches(':focus-visible')) point(event)
    }
    const keyDown = (event: KeyboardEvent) => {
      if (event.key === 'Escape' || event.key === 'Enter') hide()
    }
    document.addEventListener('pointerover', point)
    document.addEventListener('pointerdown', hide)
    document.addEventListener('focusin', focus)
    document.addEventListener('focusout', hide)
    document.addEventListener('keydown', keyDown)
    document.addEventListener('scroll', hide, { capture: true, passive: true })
    return () => {
      hide()
      box.remove()
      document.removeEventListener('pointerover', point)
      document.removeEventListener('pointerdown', hide)
      document.removeEventListener('focusin', focus)
      document.removeEventListener('focusout', hide)
      document.removeEventListener('keydown', keyDown)
      document.removeEventListener('scroll', hide, { capture: true })
    }
  }, [format])
  return null
}

/** Places it above the target, or below if there is no room; always within the page. */
function place(box: HTMLElement, at: DOMRect): void {
  const { offsetWidth: width, offsetHeight: height } = box
  const above = at.top - height - GAP
  const left = at.left + (at.width - width) / 2
  // Not the window's edges: what is beside the body is kept free for a scroll bar, and cuts.
  const page = document.body.getBoundingClientRect()
  const most = page.right - width - MARGIN
  box.style.top = `${above < MARGIN ? at.bottom + GAP : above}px`
  box.style.left = `${Math.max(page.left + MARGIN, Math.min(left, most))}px`
}
