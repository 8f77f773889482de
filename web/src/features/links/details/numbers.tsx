import { useQuery } from '@tanstack/react-query'
import { usePlace } from '../../../app/workspace.tsx'
import { useI18n } from '../../../i18n/index.tsx'
import { RelativeTime } from '../../../ui/time.tsx'
import { type Link, sparklinesQuery } from '../calls.ts'
import { Sparkline } from '../sparkline.tsx'

/** How often the link was clicked, by whom, and when last. */
export function Numbers({ link }: { link: Link }) {
  const { t, format } = useI18n()
  const { workspace } = usePlace()
  const days = useQuery(sparklinesQuery(workspace.id, [link.id])).data?.data[link.id]
  const { human, unique, bot } = link.clicks
  return (
    <dl className="grid grid-cols-2 gap-px overflow-hidden rounded-md border border-line bg-line sm:grid-cols-3 lg:grid-cols-[1fr_1fr_1fr_1.2fr_1.4fr]">
      <Figure label={t('links.clicks')} value={format.number(human)} />
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
      <div className="col-span-2 flex flex-col justify-between gap-2 bg-canvas p-4 sm:col-span-2 lg:col-span-1">
        <dt className="text-muted text-sm">{t('links.last30Days')}</dt>
        <dd>
          <Sparkline days={days} fluid />
        </dd>
      </div>
    </dl>
  )
}

function Figure({ label, value, hint }: { label: string; value: string; hint?: string }) {
  return (
    <div className="flex flex-col gap-1 bg-canvas p-4">
      <dt className="text-muted text-sm">{label}</dt>
      <dd className="tabular font-semibold text-2xl">{value}</dd>
      {hint ? <dd className="text-faint text-xs">{hint}</dd> : null}
    </div>
  )
}
