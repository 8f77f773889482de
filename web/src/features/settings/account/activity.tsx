import { useQuery } from '@tanstack/react-query'
import { type MessageKey, useI18n } from '../../../i18n/index.tsx'
import { Answer } from '../../../ui/answer.tsx'
import { CardSection } from '../../../ui/page.tsx'
import { SkeletonRows } from '../../../ui/skeleton.tsx'
import { RelativeTime } from '../../../ui/time.tsx'
import { eventsQuery } from '../queries.ts'

/** The account's events: sign-ins, failures, and changes of credentials. */
export function ActivitySection() {
  const { t } = useI18n()
  const events = useQuery(eventsQuery)
  if (events.data?.length === 0) return null
  return (
    <CardSection title={t('settings.activity')} description={t('settings.activity.text')}>
      <Answer of={events} loading={<SkeletonRows count={3} />}>
        {(all) => (
          <ul
            className="max-h-80 overflow-y-auto border-line border-t"
            // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard
            tabIndex={0}
            aria-label={t('settings.activity')}
          >
            {all.map((event) => (
              <li
                key={event.id}
                className="flex flex-wrap justify-between gap-x-4 border-line border-b py-2 text-sm"
              >
                <span>
                  {t(`settings.activity.${event.action.split('.')[1]}` as MessageKey)}
                  {event.by === 'operator' ? ` (${t('settings.activity.operator')})` : null}
                </span>
                <span className="text-muted">
                  <RelativeTime time={event.created_at} />
                </span>
              </li>
            ))}
          </ul>
        )}
      </Answer>
    </CardSection>
  )
}
