import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { usePlace } from '../../app/workspace.tsx'
import { useI18n } from '../../i18n/index.tsx'
import { Answer } from '../../ui/answer.tsx'
import { Button } from '../../ui/button.tsx'
import { CodeBlock } from '../../ui/copy.tsx'
import { Disclosure } from '../../ui/disclosure.tsx'
import { More } from '../../ui/more.tsx'
import { Section } from '../../ui/page.tsx'
import { SelectField } from '../../ui/select.tsx'
import { SkeletonRows } from '../../ui/skeleton.tsx'
import { RelativeTime } from '../../ui/time.tsx'
import { showToast, useAction } from '../../ui/toast.tsx'
import { typeLabel } from '../audit/words.ts'
import {
  type Attempt,
  DELIVERY_STATUSES,
  type Delivery,
  deliveriesQuery,
  resend,
  type Webhook,
  webhookQuery,
  webhooksKey,
} from './queries.ts'
import { ReplayDialog } from './replay.tsx'
import { DELIVERY_LABELS, DeliveryState } from './status.tsx'

const route = getRouteApi('/shell/webhooks/$id')

/** What a webhook has sent, and the responses. */
export function Deliveries({ webhook }: { webhook: Webhook }) {
  const { t } = useI18n()
  const { workspace } = usePlace()
  const { status } = route.useSearch()
  const navigate = route.useNavigate()
  const list = useInfiniteQuery(deliveriesQuery(workspace.id, webhook.id, status))
  const [after, setAfter] = useState<string | null>(null)
  const client = useQueryClient()
  const { dataUpdatedAt } = list
  // What came of them decides the webhook's status.
  useEffect(() => {
    if (dataUpdatedAt === 0) return
    void client.invalidateQueries({ queryKey: webhookQuery(workspace.id, webhook.id).queryKey })
  }, [client, workspace.id, webhook.id, dataUpdatedAt])
  return (
    <Section
      title={t('webhooks.deliveries')}
      actions={
        <SelectField
          label={t('links.field.status')}
          value={status ?? 'any'}
          onChange={(chosen) =>
            void navigate({ search: chosen === 'any' ? {} : { status: chosen }, replace: true })
          }
          options={[
            { value: 'any', label: t('links.any') },
            ...DELIVERY_STATUSES.map((value) => ({ value, label: t(DELIVERY_LABELS[value]) })),
          ]}
        />
      }
    >
      <Answer of={list} loading={<SkeletonRows count={4} />}>
        {(deliveries) =>
          deliveries.length === 0 ? (
            <p className="text-muted">{t('webhooks.deliveries.none')}</p>
          ) : (
            <ul className="flex flex-col">
              {deliveries.map((delivery) => (
                <Row
                  key={delivery.id}
                  webhookId={webhook.id}
                  delivery={delivery}
                  onReplay={() => setAfter(delivery.event_id)}
                />
              ))}
            </ul>
          )
        }
      </Answer>
      <More list={list} label={t('audit.more')} />
      {after === null ? null : (
        <ReplayDialog id={webhook.id} after={after} onClose={() => setAfter(null)} />
      )}
    </Section>
  )
}

function Row({
  webhookId,
  delivery,
  onReplay,
}: {
  webhookId: string
  delivery: Delivery
  onReplay: () => void
}) {
  const i18n = useI18n()
  const { t, format } = i18n
  const { workspace } = usePlace()
  const client = useQueryClient()
  const { id, type, status, attempts, event, next_attempt_at: next } = delivery
  const again = useAction(
    () => resend(webhookId, id),
    () => {
      showToast({ title: t('webhooks.resent') })
      return client.invalidateQueries({ queryKey: webhooksKey(workspace.id) })
    },
  )
  return (
    <li className="border-line border-b first:border-t">
      <Disclosure
        title={
          <span className="flex min-w-0 flex-1 items-center gap-x-3">
            <span className="min-w-0 flex-1 leading-tight">{typeLabel(type, i18n)}</span>
            <span className="max-sm:hidden">
              <Outcome attempt={attempts.at(-1)} />
            </span>
            <DeliveryState status={status} />
            <span className="text-faint text-sm">
              <RelativeTime time={delivery.created_at} />
            </span>
          </span>
        }
      >
        <div className="flex flex-wrap items-center gap-2">
          <code dir="ltr" className="me-auto text-sm [overflow-wrap:anywhere]">
            {delivery.event_id}
          </code>
          {next === null ? null : (
            <span className="text-muted text-sm">
              {t('webhooks.next', { when: format.relative(next) })}
            </span>
          )}
          <Button size="sm" loading={again.isPending} onClick={() => again.mutate()}>
            {t('members.invitation.resend')}
          </Button>
          <Button size="sm" onClick={onReplay}>
            {t('webhooks.replay.from')}
          </Button>
        </div>
        <div className="grid gap-4 lg:grid-cols-2">
          <section aria-label={t('webhooks.request')} className="flex min-w-0 flex-col gap-1.5">
            <h3 className="font-medium text-sm">{t('webhooks.request')}</h3>
            {event === null ? (
              <p className="text-muted text-sm">{t('webhooks.eventGone')}</p>
            ) : (
              <CodeBlock code={JSON.stringify(event, null, 2)} />
            )}
          </section>
          <section aria-label={t('webhooks.response')} className="flex min-w-0 flex-col gap-1.5">
            <h3 className="font-medium text-sm">{t('webhooks.response')}</h3>
            <ol className="flex flex-col gap-3">
              {attempts.toReversed().map((attempt) => (
                <Response key={attempt.at} attempt={attempt} />
              ))}
            </ol>
          </section>
        </div>
      </Disclosure>
    </li>
  )
}

/** The status and duration of an attempt. */
function Outcome({ attempt }: { attempt: Attempt | undefined }) {
  const { t } = useI18n()
  if (attempt === undefined) return null
  const { status, duration_ms: n } = attempt
  return (
    <span className="whitespace-nowrap text-muted text-sm tabular-nums">
      {status === null ? t('webhooks.ms', { n }) : `${status} · ${t('webhooks.ms', { n })}`}
    </span>
  )
}

function Response({ attempt }: { attempt: Attempt }) {
  const { t, format } = useI18n()
  const { error, response } = attempt
  return (
    <li className="flex min-w-0 flex-col gap-1.5">
      <p className="flex flex-wrap gap-x-3 text-sm">
        <span>{format.dateTime(attempt.at)}</span>
        <Outcome attempt={attempt} />
      </p>
      {error !== null ? (
        <p className="text-bad text-sm">
          {t(
            error === 'not_permitted' ? 'webhooks.reason.not_permitted' : `webhooks.error.${error}`,
          )}
        </p>
      ) : response ? (
        <CodeBlock code={response} />
      ) : (
        <p className="text-muted text-sm">{t('webhooks.noBody')}</p>
      )}
    </li>
  )
}
