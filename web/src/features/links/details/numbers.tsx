import { useI18n } from '../../../i18n/index.tsx'
import { RelativeTime } from '../../../ui/time.tsx'
import type { Link } from '../queries.ts'

/** The counters of a link, and its last click. */
export function Numbers({ link }: { link: Link }) {
  const { t, format } = useI18n()
  const { human, unique, bot, imported } = link.clicks
  return (
    <dl className="grid grid-cols-2 gap-px overflow-hidden rounded-md border border-line bg-line lg:grid-cols-4">
      <Figure
        label={t('links.clicks')}
        value={format.number(human)}
        // Unlike the chart and the lists below.
        hint={t('statistics.range.all')}
        more={imported > 0 ? t('statistics.imported', { count: imported }) : null}
      />
      <Figure
        label={t('links.people')}
        value={format.number(unique)}
        hint={t('links.peopleHint')}
      />
      <Figure label={t('links.bots')} value={format.number(bot)} hint={t('links.botsHint')} />
      <div className="flex flex-col gap-1 bg-canvas p-4">
        <dt className="text-muted text-sm">{t('links.lastClick')}</dt>
        <dd className="font-semibold text-lg">
          {link.last_clicked_at === null ? (
            t('links.never')
          ) : (
            <RelativeTime time={link.last_clicked_at} />
          )}
        </dd>
      </div>
    </dl>
  )
}

function Figure({
  label,
  value,
  hint,
  more = null,
}: {
  label: string
  value: string
  hint: string
  more?: string | null
}) {
  return (
    <div className="flex flex-col gap-1 bg-canvas p-4">
      <dt className="text-muted text-sm">{label}</dt>
      <dd className="tabular font-semibold text-2xl">{value}</dd>
      <dd className="text-faint text-xs">{hint}</dd>
      {more === null ? null : <dd className="text-muted text-xs">{more}</dd>}
    </div>
  )
}
