import { useQuery } from '@tanstack/react-query'
import { Check } from 'lucide-react'
import { usePlace } from '../../app/workspace.tsx'
import { type MessageKey, useI18n } from '../../i18n/index.tsx'
import { Chip } from '../../ui/chip.tsx'
import { Section } from '../../ui/page.tsx'
import { Problem } from '../../ui/problem.tsx'
import { LIMITS, type Plan, plansQuery } from './queries.ts'

const FEATURES = {
  custom_slugs: 'usage.feature.custom_slugs',
  aliases: 'usage.feature.aliases',
  passwords: 'usage.feature.passwords',
  scheduling: 'usage.feature.scheduling',
  click_limits: 'usage.feature.click_limits',
} as const satisfies Record<string, MessageKey>

/** All plans side by side, limit by limit; one below the other if there is little room. */
export function Plans({ current }: { current: Plan }) {
  const { t } = useI18n()
  const plans = useQuery(plansQuery)
  const shown = plans.data ?? [current]
  return (
    <Section title={t('usage.plans')} description={t('usage.plans.text')}>
      {plans.isError ? <Problem error={plans.error} onRetry={() => void plans.refetch()} /> : null}
      <div className="hidden overflow-x-auto lg:block">
        <table className="w-full table-fixed border-collapse text-start">
          <thead>
            <tr>
              <td className="w-52 border-line border-b" />
              {shown.map((plan) => (
                <th
                  key={plan.id}
                  scope="col"
                  className="border-line border-b px-3 py-3 text-start align-top font-normal"
                >
                  <PlanHead plan={plan} current={plan.id === current.id} />
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {LIMITS.filter((name) => shown.some(({ limits }) => limits[name] !== null)).map(
              (name) => (
                <tr key={name}>
                  <th
                    scope="row"
                    className="h-9 border-line border-b text-start font-normal text-muted text-sm"
                  >
                    {t(`usage.${name}`)}
                  </th>
                  {shown.map((plan) => (
                    <td key={plan.id} className="tabular border-line border-b px-3">
                      <LimitText value={plan.limits[name]} />
                    </td>
                  ))}
                </tr>
              ),
            )}
            <tr>
              <th scope="row" className="py-2 text-start align-top font-normal text-muted text-sm">
                {t('usage.features')}
              </th>
              {shown.map((plan) => (
                <td key={plan.id} className="px-3 py-2 align-top">
                  <Features plan={plan} />
                </td>
              ))}
            </tr>
          </tbody>
        </table>
      </div>
      <ul className="flex flex-col lg:hidden">
        {shown.map((plan) => (
          <li
            key={plan.id}
            className="flex flex-col gap-2 border-line border-b py-4 first:border-t"
          >
            <PlanHead plan={plan} current={plan.id === current.id} />
            <dl className="grid grid-cols-[1fr_auto] gap-x-4 gap-y-1 text-sm">
              {LIMITS.filter((name) => plan.limits[name] !== null).map((name) => (
                <div key={name} className="contents">
                  <dt className="text-muted">{t(`usage.${name}`)}</dt>
                  <dd className="tabular text-end">
                    <LimitText value={plan.limits[name]} />
                  </dd>
                </div>
              ))}
            </dl>
            <Features plan={plan} />
          </li>
        ))}
      </ul>
    </Section>
  )
}

function PlanHead({ plan, current }: { plan: Plan; current: boolean }) {
  const { t } = useI18n()
  const { instance } = usePlace()
  const price = usePrice(plan)
  return (
    <div className="flex flex-col gap-1">
      <span className="flex min-h-6 flex-wrap items-center gap-x-2 font-semibold">
        {plan.name}
        {current ? <Chip tone="accent">{t('usage.plans.current')}</Chip> : null}
      </span>
      {instance.sells_plans ? <span className="tabular text-muted text-sm">{price}</span> : null}
      <span className="text-faint text-xs">{plan.description}</span>
    </div>
  )
}

function usePrice({ price: { amount, currency, interval } }: Plan): string {
  const { t, regional } = useI18n()
  if (amount === null) return t('usage.price.none')
  if (amount === 0) return t('usage.price.free')
  const format = new Intl.NumberFormat(regional, { style: 'currency', currency })
  const { maximumFractionDigits: digits = 2 } = format.resolvedOptions()
  const price = format.format(amount / 10 ** digits)
  return t(interval === 'month' ? 'usage.price.month' : 'usage.price.year', { price })
}

function LimitText({ value }: { value: number | null }) {
  const { t, format } = useI18n()
  if (value === null) return <span className="text-faint">{t('usage.noLimit')}</span>
  return format.number(value)
}

function Features({ plan }: { plan: Plan }) {
  const { t } = useI18n()
  return (
    <ul className="flex flex-col gap-1 text-sm">
      {plan.features.map((feature) => (
        <li key={feature} className="flex items-start gap-1.5">
          <Check className="mt-0.75 shrink-0 text-ok" />
          {/* An operator's own features have only their names. */}
          {feature in FEATURES ? t(FEATURES[feature as keyof typeof FEATURES]) : feature}
        </li>
      ))}
    </ul>
  )
}
