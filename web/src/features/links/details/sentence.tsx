import { betweenSentences } from '@src/lib/i18n/locales.ts'
import type { ReactNode } from 'react'
import { useI18n } from '../../../i18n/index.tsx'
import { Place } from '../place.tsx'
import type { Link } from '../queries.ts'

/** What the link does now, in one sentence, and other facts in a second one. */
export function LinkSentence({ link }: { link: Link }) {
  const { t, rich, format, locale } = useI18n()
  const place = (url: string) => <Place url={url} />
  const values = {
    destination: place(link.destination_url),
    status: String(link.redirect_status),
    until: link.expires_at === null ? '' : format.dateTime(link.expires_at),
    since: link.starts_at === null ? '' : format.dateTime(link.starts_at),
    max: link.max_clicks ?? 0,
    left: Math.max(0, (link.max_clicks ?? 0) - link.clicks.human),
    strong: (children: ReactNode[]) => <strong className="font-semibold">{children}</strong>,
  }
  const main = () => {
    if (link.status === 'active' && link.variants.length > 0) {
      return t('rules.now.split', { count: link.variants.length, status: values.status })
    }
    if (link.status === 'active') {
      if (link.expires_at !== null) return rich('links.now.activeUntil', values)
      return rich('links.now.active', values)
    }
    return rich(`links.now.${link.status}`, values)
  }
  const more: ReactNode[] = []
  if (link.status === 'active' && link.rules.length > 0)
    more.push(t('rules.now.rules', { count: link.rules.length }))
  if (link.status === 'active' && link.max_clicks !== null)
    more.push(t('links.now.left', { left: values.left }))
  if (link.status === 'active' && link.match === 'prefix')
    more.push(t(link.forward_path ? 'links.now.prefixPath' : 'links.now.prefix'))
  if (link.has_password) more.push(t('links.now.password'))
  if (link.status !== 'active' && link.status !== 'blocked' && link.fallback_url !== null) {
    more.push(rich('links.now.fallback', { destination: place(link.fallback_url) }))
  }
  return (
    <p className="max-w-prose text-lg leading-relaxed [overflow-wrap:anywhere]">
      {main()}
      {more.map((part, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the parts stand still
        <span key={i}>
          {betweenSentences(locale)}
          {part}
        </span>
      ))}
    </p>
  )
}
