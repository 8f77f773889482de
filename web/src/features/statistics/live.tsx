import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { workspaceKey } from '../../api/workspace-key.ts'
import { usePlace } from '../../app/workspace.tsx'
import { useI18n } from '../../i18n/index.tsx'
import { Button } from '../../ui/button.tsx'
import { Chip } from '../../ui/chip.tsx'
import { cx } from '../../ui/cx.ts'
import { Card } from '../../ui/page.tsx'
import { RelativeTime } from '../../ui/time.tsx'
import { type Click, linkHeadQuery, recentQuery } from './queries.ts'
import { useLive } from './use-live.ts'
import type { Report } from './use-report.ts'
import { countryName, shortName, valueName } from './words.ts'

/** Switches the live view on and off. */
export function LiveToggle({ report }: { report: Report }) {
  const { t } = useI18n()
  const on = report.search.live === 'on'
  return (
    <Button
      aria-pressed={on}
      icon={<span className={cx('size-2 rounded-full', on ? 'bg-ok-mark' : 'bg-line-strong')} />}
      onClick={() => report.change({ live: on ? undefined : 'on' })}
    >
      {t('statistics.live')}
    </Button>
  )
}

/** How many visitors there were just now. */
export function RecentVisitors({ report }: { report: Report }) {
  const { t } = useI18n()
  const { data: count } = useQuery(recentQuery(report.question))
  return (
    // Its width counts for nothing: otherwise the buttons would move below the title when it comes.
    <span
      className="flex min-h-5 items-center gap-2 whitespace-nowrap text-sm [contain:inline-size]"
      data-testid="recent-visitors"
    >
      {count === undefined ? null : (
        <>
          <span
            aria-hidden="true"
            className={cx(
              'size-2 shrink-0 rounded-full',
              count > 0 ? 'bg-ok-mark' : 'bg-line-strong',
            )}
          />
          {t('statistics.live.visitors', { count })}
        </>
      )}
    </span>
  )
}

/** How often the numbers are reloaded at most. */
const REFRESH_MS = 2_000

/** Clicks as they arrive. The dot pulses only while connected. */
export function LivePanel({ report }: { report: Report }) {
  const { t } = useI18n()
  const client = useQueryClient()
  const { state, clicks, count } = useLive(report.question)
  const { workspace } = report.question
  const due = useRef<ReturnType<typeof setTimeout>>(undefined)
  useEffect(() => {
    // Further clicks wait for the pending reload: a busy link must not postpone it forever.
    if (count === 0 || due.current !== undefined) return
    due.current = setTimeout(() => {
      due.current = undefined
      void client.invalidateQueries({ queryKey: workspaceKey(workspace, 'stats') })
    }, REFRESH_MS)
  }, [count, client, workspace])
  useEffect(() => () => clearTimeout(due.current), [])
  return (
    <Card className="flex flex-col gap-2 p-4">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <h2 className="flex items-center gap-2 font-semibold">
          <span
            className={cx(
              'size-2 rounded-full',
              state === 'open' ? 'animate-live bg-ok-mark' : 'bg-warn-mark',
            )}
          />
          {t('statistics.live')}
        </h2>
        <p className="text-muted text-sm" role="status">
          {state === 'open'
            ? count === 0
              ? t('statistics.live.on')
              : t('statistics.live.count', { count })
            : t(state === 'lost' ? 'statistics.live.lost' : 'statistics.live.connecting')}
        </p>
      </div>
      {clicks.length === 0 ? (
        <p className="py-2 text-faint text-sm">{t('statistics.live.waiting')}</p>
      ) : (
        <LiveClicks clicks={clicks} />
      )}
    </Card>
  )
}

/** Clicks with the time since. */
export function LiveClicks({ clicks }: { clicks: readonly Click[] }) {
  const i18n = useI18n()
  const { t } = i18n
  // Updates "now" to "a minute ago".
  const [, tick] = useState(0)
  useEffect(() => {
    const timer = setInterval(() => tick((times) => times + 1), 15_000)
    return () => clearInterval(timer)
  }, [])
  return (
    <ul className="flex flex-col" data-testid="live-clicks">
      {clicks.map((click) => {
        const place =
          click.country === null
            ? t('statistics.live.unknownPlace')
            : countryName(click.country, i18n)
        return (
          <li
            key={click.id}
            className="flex flex-wrap items-center gap-x-4 gap-y-0.5 border-line border-t py-1.5 text-sm"
          >
            <RelativeTime time={click.clicked_at} className="w-24 shrink-0 text-faint" />
            <span className="flex min-w-0 flex-1 basis-40 flex-wrap gap-x-3">
              <LinkName click={click} />
              <bdi className="truncate text-muted">
                {valueName('referrer', click.referrer, i18n)}
              </bdi>
            </span>
            <span className="text-muted">{place}</span>
            {click.browser === null ? null : (
              <span className="hidden text-muted sm:inline">{click.browser}</span>
            )}
            {click.kind === 'human' ? null : <Chip>{t('statistics.live.bot')}</Chip>}
          </li>
        )
      })}
    </ul>
  )
}

/** The short URL of a click; requested once per link. */
function LinkName({ click }: { click: Click }) {
  const { workspace } = usePlace()
  const link = useQuery({
    ...linkHeadQuery(workspace.id, click.link_id ?? ''),
    enabled: click.link_id !== null,
  })
  const address = link.data === undefined ? undefined : shortName(link.data.short_url)
  return (
    <bdi dir="ltr" className="truncate font-medium">
      {address ?? click.domain}
    </bdi>
  )
}
