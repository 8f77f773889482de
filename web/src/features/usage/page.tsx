import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { usePlace } from '../../app/workspace.tsx'
import { useI18n } from '../../i18n/index.tsx'
import { Answer } from '../../ui/answer.tsx'
import { Chip } from '../../ui/chip.tsx'
import { Meter, stateOf } from '../../ui/meter.tsx'
import { Page, Section } from '../../ui/page.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { Plans } from './plans.tsx'
import { COUNTED, type Plan, type Usage, usageQuery } from './queries.ts'
import { RequestChart } from './requests.tsx'

/** The plan, its usage, and the other plans. */
export function UsagePage() {
  const { t } = useI18n()
  const { workspace } = usePlace()
  const usage = useQuery(usageQuery(workspace.id))
  return (
    <Page
      title={t('usage.title')}
      description={usage.data ? t('usage.plan.of', { plan: usage.data.plan.name }) : undefined}
    >
      <Answer of={usage} loading={<UsageSkeleton />}>
        {(usage) => (
          <div className="flex flex-col gap-10">
            <Limits {...usage} />
            <RequestChart requests={usage.requests} limit={usage.plan.limits.requests_per_minute} />
            <Plans current={usage.plan} />
          </div>
        )}
      </Answer>
    </Page>
  )
}

function Limits({ plan, used, open_invitations: open }: Usage) {
  const { t } = useI18n()
  return (
    <Section title={t('usage.limits')}>
      <dl className="grid gap-x-10 gap-y-5 sm:grid-cols-2">
        {COUNTED.map((name) => (
          <LimitMeter key={name} name={name} used={used[name] ?? 0} plan={plan}>
            {name === 'members' && open > 0 ? t('usage.invitations', { count: open }) : null}
          </LimitMeter>
        ))}
      </dl>
    </Section>
  )
}

function LimitMeter({
  name,
  used,
  plan,
  children,
}: {
  name: (typeof COUNTED)[number]
  used: number
  plan: Plan
  /** What else counts. */
  children: ReactNode
}) {
  const { t, format } = useI18n()
  const limit = plan.limits[name]
  const state = stateOf(used, limit)
  const label = t(name === 'clicks_per_month' ? 'usage.clicksThisMonth' : `usage.${name}`)
  const text = limit === null ? format.number(used) : t('usage.of', { used, limit })
  return (
    <div className="grid grid-cols-[1fr_auto] content-start items-center gap-x-4 gap-y-1.5">
      <dt className="flex min-h-6 items-center gap-2 font-medium text-sm">
        {label}
        {state === 'free' ? null : (
          <Chip tone={state === 'over' ? 'bad' : 'warn'}>
            {t(state === 'near' ? 'usage.near' : 'usage.full')}
          </Chip>
        )}
      </dt>
      <dd className="tabular text-muted text-sm">{text}</dd>
      {limit === null ? null : (
        <dd className="col-span-2">
          <Meter value={used} max={limit} label={label} text={text} />
        </dd>
      )}
      {children ? <dd className="col-span-2 text-muted text-sm">{children}</dd> : null}
      {name === 'clicks_per_month' && limit !== null && used >= limit ? (
        <dd className="col-span-2 text-muted text-sm">{t('usage.clicks.full')}</dd>
      ) : null}
    </div>
  )
}

function UsageSkeleton() {
  return (
    <div className="grid gap-6 sm:grid-cols-2">
      {COUNTED.map((name) => (
        <Skeleton key={name} className="h-8 w-full" />
      ))}
      <Skeleton className="h-40 w-full" />
    </div>
  )
}
