import { useLayoutEffect, useRef, useState } from 'react'
import { cx } from '../../ui/cx.ts'
import { shortened } from './text.ts'

const canvas = document.createElement('canvas').getContext('2d')

/** A text that is shortened in the middle where its place is narrow: both ends say something. */
export function Middle({ text, className }: { text: string; className?: string }) {
  const place = useRef<HTMLElement>(null)
  const [shown, setShown] = useState(text)
  useLayoutEffect(() => {
    const element = place.current
    if (element === null || canvas === null) return
    const fit = () => {
      // The shorthand is empty where a feature of the font is set.
      const { fontWeight, fontSize, fontFamily } = getComputedStyle(element)
      canvas.font = `${fontWeight} ${fontSize} ${fontFamily}`
      const room = element.clientWidth
      setShown(shortened(text, (part) => canvas.measureText(part).width <= room))
    }
    fit()
    // Until the font is there, the measure is another one's.
    void document.fonts.ready.then(fit)
    const observer = new ResizeObserver(fit)
    observer.observe(element)
    return () => observer.disconnect()
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
