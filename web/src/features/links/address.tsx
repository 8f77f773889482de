import { usePlace } from '../../app/workspace.tsx'
import { cx } from '../../ui/cx.ts'

/**
 * A short address. Where its place is narrow the domain goes as a whole, because a part of it says
 * nothing; the short name stays, and is shortened only where it alone is too long. Both stand in
 * one line from the end on; a domain that has no room there wraps into a second one, out of sight.
 */
export function Address({
  link,
  className,
}: {
  link: { domain: string; slug: string }
  className?: string
}) {
  const { instance } = usePlace()
  // Where all links are on one host, it says nothing.
  const isPlain = instance.domains.length <= 1 && link.domain === instance.default_domain
  return (
    <bdi
      dir="ltr"
      className={cx(
        'flex h-5 min-w-0 max-w-full flex-row-reverse flex-wrap justify-end overflow-hidden rtl:justify-start',
        className,
      )}
    >
      {isPlain ? null : <span className="order-2 truncate text-faint">{link.domain}/</span>}
      <span className="order-1 min-w-0 max-w-full truncate">{link.slug}</span>
    </bdi>
  )
}
