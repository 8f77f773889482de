import { ExternalLink, QrCode } from 'lucide-react'
import { useEffect, useEffectEvent } from 'react'
import { usePlace } from '../../../app/workspace.tsx'
import { useI18n } from '../../../i18n/index.tsx'
import { Button, buttonClass } from '../../../ui/button.tsx'
import { CopyButton } from '../../../ui/copy.tsx'
import { cx } from '../../../ui/cx.ts'
import { LiveClicks } from '../../statistics/live.tsx'
import { ownTimeZone } from '../../statistics/range.ts'
import { useLive } from '../../statistics/use-live.ts'
import type { Link } from '../queries.ts'
import { nameOf } from '../text.ts'

/** The first link at work: what can be done with it, and its visits as they come. */
export function FirstVisits({
  link,
  onQr,
  onVisit,
}: {
  link: Link
  onQr: () => void
  /** Called when the first visit has come. */
  onVisit: () => void
}) {
  const { t } = useI18n()
  const { workspace } = usePlace()
  const { state, clicks } = useLive({
    workspace: workspace.id,
    linkId: link.id,
    shared: false,
    zone: ownTimeZone(),
    // Whatever someone opens it with, a visit is seen.
    bots: 'include',
    filters: [],
  })
  const isVisited = clicks.length > 0
  const visited = useEffectEvent(onVisit)
  useEffect(() => {
    if (isVisited) visited()
  }, [isVisited])
  return (
    <div className="flex flex-col gap-3">
      <div className="flex flex-wrap items-center gap-2">
        <bdi dir="ltr" className="font-medium [overflow-wrap:anywhere]">
          {nameOf(link)}
        </bdi>
        <CopyButton words text={link.short_url} label={t('links.copy')} />
        <a
          href={link.short_url}
          target="_blank"
          rel="noreferrer"
          className={buttonClass('secondary', 'sm')}
        >
          <ExternalLink />
          {t('links.first.openLink')}
        </a>
        <Button size="sm" icon={<QrCode />} onClick={onQr}>
          {t('links.qr.title')}
        </Button>
      </div>
      <p role="status" className="flex items-center gap-2 text-muted text-sm">
        <span
          aria-hidden="true"
          className={cx(
            'size-2 shrink-0 rounded-full',
            state === 'open' ? 'animate-live bg-ok-mark' : 'bg-warn-mark',
          )}
        />
        {t(
          state === 'lost'
            ? 'statistics.live.lost'
            : state === 'connecting'
              ? 'statistics.live.connecting'
              : isVisited
                ? 'statistics.live.on'
                : 'statistics.live.waiting',
        )}
      </p>
      {isVisited ? <LiveClicks clicks={clicks} /> : null}
    </div>
  )
}
