import { useLayoutEffect, useRef, useState } from 'react'
import { useI18n } from '../../../i18n/index.tsx'
import { cx } from '../../../ui/cx.ts'
import type { Link } from '../queries.ts'
import { readable, shortened } from '../text.ts'
import { hiddenHit } from './search-hit.ts'

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
function Middle({ text, className }: { text: string; className?: string }) {
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

/** Where a link leads, or else the match of a search that the row doesn't show otherwise. */
export function DestinationLine({
  link,
  query,
  className,
}: {
  link: Link
  query: string | undefined
  /** If there is no title above it. */
  className: string
}) {
  const { t } = useI18n()
  const hit = hiddenHit(link, query)
  if (hit === null) {
    return (
      <Middle
        text={readable(link.destination_url)}
        className={link.title ? 'text-faint text-xs' : className}
      />
    )
  }
  return (
    <span className="flex min-w-0 gap-1 text-faint text-xs">
      {hit.field === 'links.field.destination' ? null : <span>{t(hit.field)}:</span>}
      <bdi className="truncate">
        {hit.before}
        <mark className="rounded-xs bg-warn-soft text-fg">{hit.match}</mark>
        {hit.after}
      </bdi>
    </span>
  )
}
