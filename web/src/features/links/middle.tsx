import { useLayoutEffect, useRef, useState } from 'react'
import { cx } from '../../ui/cx.ts'
import { shortened } from './text.ts'

const canvas = document.createElement('canvas').getContext('2d')

/** What fits each text into its place. All are measured before any is rendered: one layout for all. */
const fits = new Map<Element, () => void>()
// Its first call comes when all rows are laid out, before they are painted.
const observer = new ResizeObserver((changes) => {
  for (const { target } of changes) fits.get(target)?.()
})
// Until the font is loaded, the measure is that of another one.
document.fonts.addEventListener('loadingdone', () => {
  for (const fit of fits.values()) fit()
})

/** A text truncated in the middle if there is little room, because both ends are informative. */
export function Middle({ text, className }: { text: string; className?: string }) {
  const place = useRef<HTMLElement>(null)
  const [shown, setShown] = useState(text)
  useLayoutEffect(() => {
    const element = place.current
    if (element === null || canvas === null) return
    fits.set(element, () => {
      // The shorthand is empty if a font feature is set.
      const { fontWeight, fontSize, fontFamily } = getComputedStyle(element)
      canvas.font = `${fontWeight} ${fontSize} ${fontFamily}`
      const room = element.clientWidth
      setShown(shortened(text, (part) => canvas.measureText(part).width <= room))
    })
    observer.observe(element)
    return () => {
      observer.unobserve(element)
      fits.delete(element)
    }
  }, [text])
  return (
    <span
      ref={place}
      className={cx('block min-w-0 max-w-full overflow-hidden whitespace-pre', className)}
      title={text}
    >
      <bdi dir="ltr">{shown}</bdi>
    </span>
  )
}
