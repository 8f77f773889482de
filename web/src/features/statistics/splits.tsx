import { useQuery } from '@tanstack/react-query'
import { useI18n } from '../../i18n/index.tsx'
import { Card } from '../../ui/page.tsx'
import { type Compared, compareVariants, VISITORS_MIN, verdictOf } from './proportion.ts'
import { linkHeadQuery, topQuery } from './queries.ts'
import type { Report } from './use-report.ts'

/** The most variants of a split. */
const ALL = 20

/** A split of a link: its own, or a rule's. */
interface Split {
  /** Empty: not of a rule. */
  rule: string
  title: string | null
  variants: readonly { id: string; name?: string; weight: number }[]
}

/** For a link with variants: their shares, and whether the differences are significant. */
export function SplitCards({ report }: { report: Report }) {
  const { workspace, linkId } = report.question
  const { data: link } = useQuery({
    ...linkHeadQuery(workspace, linkId ?? ''),
    enabled: linkId !== null,
  })
  // A subset of the variants can't be compared.
  const isFiltered = report.filters.some(({ dimension }) => dimension === 'variant')
  if (link === undefined || isFiltered) return null
  const own: Split = { rule: '', title: null, variants: link.variants ?? [] }
  const ruled = (link.rules ?? []).map(
    ({ id, name = id, then }): Split => ({ rule: id, title: name, variants: then.variants ?? [] }),
  )
  return [own, ...ruled]
    .filter(({ variants }) => variants.length > 0)
    .map((split) => <SplitCard key={split.rule} report={report} split={split} />)
}

function SplitCard({ report, split }: { report: Report; split: Split }) {
  const { t, rich } = useI18n()
  const { question, period } = report
  // The same destination may be a variant of several splits.
  const filter = { dimension: 'rule', value: split.rule, match: 'is' } as const
  const filters = [...question.filters, filter]
  const { data } = useQuery(topQuery({ ...question, filters }, period, 'variant', ALL))
  if (data === undefined) return null
  const visitors = new Map(data.data.map(({ value, unique }) => [value ?? '', unique]))
  const compared = compareVariants(split.variants, visitors)
  return (
    <Card className="flex min-w-0 flex-col gap-3 p-4 lg:col-span-2">
      <div className="flex flex-col gap-1">
        <h2 className="font-semibold">
          {split.title === null
            ? t('statistics.split.title')
            : rich('common.labelled', {
                label: t('statistics.split.title'),
                value: <bdi>{split.title}</bdi>,
              })}
        </h2>
        <VerdictText compared={compared} />
      </div>
      <table className="w-full text-sm">
        <thead className="text-faint text-xs">
          <tr>
            <th className="pb-1 text-start font-normal">{t('statistics.dimension.variant')}</th>
            <td className="hidden sm:table-cell" />
            <th className="pb-1 text-end font-normal">{t('statistics.rows.share')}</th>
            <th className="pb-1 text-end font-normal">{t('statistics.split.interval')}</th>
            <th className="pb-1 text-end font-normal">{t('statistics.split.expected')}</th>
            <th className="hidden pb-1 text-end font-normal sm:table-cell">
              {t('statistics.rows.people')}
            </th>
          </tr>
        </thead>
        <tbody>
          {compared.map((variant) => (
            <VariantRow key={variant.id} variant={variant} />
          ))}
        </tbody>
      </table>
    </Card>
  )
}

function VerdictText({ compared }: { compared: readonly Compared[] }) {
  const { t, rich } = useI18n()
  const verdict = verdictOf(compared)
  const text =
    'variant' in verdict
      ? rich(`statistics.split.${verdict.kind}`, { name: <bdi>{verdict.variant.name}</bdi> })
      : t(`statistics.split.${verdict.kind}`, { least: VISITORS_MIN })
  return <p className="max-w-prose text-muted text-sm">{text}</p>
}

function VariantRow({ variant }: { variant: Compared }) {
  const { format } = useI18n()
  const { name, share, expected, interval, visitors } = variant
  const { low, high } = interval
  return (
    <tr className="h-8">
      <td className="max-w-28 sm:max-w-48">
        <bdi className="block w-fit max-w-full truncate">{name}</bdi>
      </td>
      <td className="hidden w-1/3 px-4 sm:table-cell">
        <ShareBar variant={variant} />
      </td>
      <td className="tabular text-end">{format.percent(share)}</td>
      <td className="tabular whitespace-nowrap ps-2 text-end">
        <bdi>
          {format.percent(low)} – {format.percent(high)}
        </bdi>
      </td>
      <td className="tabular ps-2 text-end text-muted">{format.percent(expected)}</td>
      <td className="tabular hidden ps-2 text-end sm:table-cell">{format.number(visitors)}</td>
    </tr>
  )
}

/** The interval as a bar, the share as a dot on it, the weight as a line. */
function ShareBar({ variant: { share, expected, interval } }: { variant: Compared }) {
  const at = (value: number) => `${value * 100}%`
  const { low, high } = interval
  return (
    <span aria-hidden="true" className="relative block h-4 rounded-xs bg-sunken">
      <span
        className="absolute inset-y-1 rounded-full bg-bar"
        style={{ insetInlineStart: at(low), width: at(high - low) }}
      />
      <span
        className="absolute inset-y-0 w-0.5 bg-muted"
        style={{ insetInlineStart: `calc(${at(expected)} - 1px)` }}
      />
      <span
        className="absolute top-1 size-2 rounded-full bg-accent"
        style={{ insetInlineStart: `calc(${at(share)} - 4px)` }}
      />
    </span>
  )
}
