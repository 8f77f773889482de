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
      canvas.font = getComputedStyle(element).font
      const room = element.clientWidth
      setShown(shortened(text, (part) => canvas.measureText(part).width <= room))
    }
    fit()
    const observer = new ResizeObserver(fit)
    observer.observe(element)
    return () => observer.disconnect()
  }, [text])
  return (
    <bdi
      ref={place}
      dir="ltr"
      className={cx('block min-w-0 max-w-full overflow-hidden whitespace-pre', className)}
      title={text}
    >
      {shown}
    </bdi>
  )
}
