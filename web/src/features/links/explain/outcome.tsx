import { Check, X } from 'lucide-react'
import { type ReactNode, useEffect, useRef } from 'react'
import { useI18n } from '../../../i18n/index.tsx'
import { Chip } from '../../../ui/chip.tsx'
import { cx } from '../../../ui/cx.ts'
import type { Link } from '../queries.ts'
import { type Explanation, grouped, type Step } from './visitor.ts'

/** The result of the visit, what decided it, and each step. */
export function Outcome({ link, explanation }: { link: Link; explanation: Explanation }) {
  const { t } = useI18n()
  const { status, location, steps } = explanation
  // A path below this link may belong to another one.
  const own = explanation.link_id === link.id ? link : null
  const rule = own?.rules.find(({ id }) => id === explanation.rule)
  const variants = rule?.then.variants ?? own?.variants
  const variant = variants?.find(({ id }) => id === explanation.variant)
  const result = useRef<HTMLDivElement>(null)
  useEffect(() => {
    // On a phone it is below the visible area.
    if (explanation) result.current?.scrollIntoView({ block: 'start' })
  }, [explanation])
  return (
    <div ref={result} className="flex flex-col gap-4 border-line border-t pt-4">
      <div className="flex flex-col gap-2">
        <p className="font-semibold">{t(`links.explain.${kindOf(explanation)}`, { status })}</p>
        {location === null ? null : (
          <p className="[overflow-wrap:anywhere]">
            <bdi dir="ltr">{location}</bdi>
          </p>
        )}
        {explanation.rule === null && explanation.variant === null ? null : (
          <div className="flex flex-wrap gap-2">
            <Decided by={t('statistics.dimension.rule')} name={rule?.name ?? explanation.rule} />
            <Decided
              by={t('statistics.dimension.variant')}
              name={variant?.name ?? explanation.variant}
            />
          </div>
        )}
      </div>
      <ol className="flex flex-col gap-1.5">
        {grouped(steps).map((group) => (
          <Group key={group.steps[0]?.check} rule={group.rule} link={own}>
            {group.steps.map((step) => (
              <StepLine key={step.check} step={step} />
            ))}
          </Group>
        ))}
      </ol>
    </div>
  )
}

function kindOf({ outcome, location }: Explanation): 'redirect' | 'page' {
  return outcome === 'redirect' || location !== null ? 'redirect' : 'page'
}

function Decided({ by, name }: { by: string; name: string | null }) {
  const { rich } = useI18n()
  return name === null ? null : (
    <Chip>{rich('common.labelled', { label: by, value: <bdi>{name}</bdi> })}</Chip>
  )
}

function Group({
  rule,
  link,
  children,
}: {
  rule: number | null
  link: Link | null
  children: ReactNode
}) {
  const { t, rich } = useI18n()
  if (rule === null) return children
  const number = t('rules.untitled', { number: rule + 1 })
  const name = link?.rules[rule]?.name
  return (
    <li className="flex flex-col gap-1.5 border-line border-s-2 ps-3">
      <span className="font-medium text-sm">
        {name === undefined
          ? number
          : rich('common.labelled', { label: number, value: <bdi>{name}</bdi> })}
      </span>
      <ol className="flex flex-col gap-1.5">{children}</ol>
    </li>
  )
}

function StepLine({ step: { passed, message } }: { step: Step }) {
  const { t } = useI18n()
  const Icon = passed ? Check : X
  return (
    <li className="flex gap-2">
      <Icon size={16} className={cx('mt-0.5 shrink-0', passed ? 'text-ok' : 'text-faint')} />
      <span className="min-w-0 [overflow-wrap:anywhere]">
        <span className="sr-only">
          {t(passed ? 'links.explain.passed' : 'links.explain.failed')}{' '}
        </span>
        {message}
      </span>
    </li>
  )
}
