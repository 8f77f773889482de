import { Breakable } from '../../ui/breakable.tsx'
import { isWeb, readable } from './text.ts'

/** A destination, as a link if that is safe. */
export function Place({ url }: { url: string }) {
  const name = (
    <bdi dir="ltr" className="line-clamp-3 inline font-semibold">
      <Breakable>{readable(url)}</Breakable>
    </bdi>
  )
  if (!isWeb(url)) return name
  return (
    <a
      href={url}
      target="_blank"
      rel="noreferrer"
      className="rounded-xs text-accent-text underline decoration-1 underline-offset-3"
    >
      {name}
    </a>
  )
}
