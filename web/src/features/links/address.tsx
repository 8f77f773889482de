import { usePlace } from '../../app/workspace.tsx'
import { cx } from '../../ui/cx.ts'

/**
 * A short URL. If there is little room the domain is hidden as a whole, because a part of it is
 * useless; the slug stays, and is only truncated if it alone is too long. Both are in one line
 * aligned at its end; a domain without room wraps into a second, hidden line.
 */
export function Address({
  link,
  className,
}: {
  link: { domain: string; slug: string }
  className?: string
}) {
  const { instance } = usePlace()
  // If all links are on one host, it isn't shown.
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
