import { useInfiniteQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useI18n } from '../../i18n/index.tsx'
import { useMedia } from '../../lib/media.ts'
import { Chip } from '../../ui/chip.tsx'
import { More } from '../../ui/more.tsx'
import { Loading, Skeleton } from '../../ui/skeleton.tsx'
import { Table, Td, Th } from '../../ui/table.tsx'
import type { Dimension } from './filters.ts'
import { Mark } from './mark.tsx'
import { clicksQuery, type ListedClick } from './queries.ts'
import { NoClicks, ReportProblem } from './report.tsx'
import type { Report } from './use-report.ts'
import { countryName, shortName, valueName } from './words.ts'

/** The clicks of a report one by one, newest first. */
export function SingleClicks({ report }: { report: Report }) {
  const { t, regional } = useI18n()
  const { question, period } = report
  const list = useInfiniteQuery(clicksQuery(question, period))
  const wide = useMedia('(min-width: 64rem)')
  const clicks = list.data
  if (clicks === undefined) {
    if (list.isError) {
      return <ReportProblem error={list.error} onRetry={() => void list.refetch()} />
    }
    return (
      <>
        <Loading label={t('common.loading')} />
        <Skeleton className="h-80 w-full" />
      </>
    )
  }
  if (clicks.length === 0) return <NoClicks report={report} unfiltered="statistics.single.none" />
  const format = new Intl.DateTimeFormat(regional, {
    timeZone: question.zone,
    dateStyle: 'medium',
    timeStyle: 'medium',
  })
  const shown = {
    clicks,
    timeOf: (click: ListedClick) => (
      <time dateTime={click.clicked_at}>{format.format(new Date(click.clicked_at))}</time>
    ),
    ofMany: question.linkId === null,
  }
  return (
    <div className="flex flex-col">
      {wide ? <ClickTable {...shown} /> : <ClickCards {...shown} />}
      <More list={list} label={t('statistics.more')} />
    </div>
  )
}

interface Shown {
  clicks: readonly ListedClick[]
  timeOf: (click: ListedClick) => ReactNode
  /** Whether they are of several links, which are then named. */
  ofMany: boolean
}

function ClickTable({ clicks, timeOf, ofMany }: Shown) {
  const { t } = useI18n()
  return (
    <Table className="text-sm">
      <thead>
        <tr>
          <Th>{t('statistics.single.time')}</Th>
          {ofMany ? <Th>{t('statistics.dimension.link')}</Th> : null}
          <Th>{t('statistics.single.place')}</Th>
          <Th>{t('statistics.dimension.referrer')}</Th>
          <Th>{t('statistics.dimension.device')}</Th>
          <Th>{t('statistics.dimension.language')}</Th>
        </tr>
      </thead>
      <tbody>
        {clicks.map((click) => (
          <tr key={click.id}>
            <Td className="tabular whitespace-nowrap">{timeOf(click)}</Td>
            {ofMany ? (
              <Td className="max-w-48">
                <LinkName click={click} />
              </Td>
            ) : null}
            <Td className="max-w-48">
              <Place click={click} />
            </Td>
            <Td className="max-w-56">
              <Source click={click} />
            </Td>
            <Td>
              <span className="flex flex-wrap items-center gap-x-3 gap-y-1 py-1">
                <Agent click={click} />
                <Kind click={click} />
              </span>
            </Td>
            <Td>
              <Value dimension="language" value={click.language} />
            </Td>
          </tr>
        ))}
      </tbody>
    </Table>
  )
}

/** The same without room for a table. */
function ClickCards({ clicks, timeOf, ofMany }: Shown) {
  const { t } = useI18n()
  return (
    <ul aria-label={t('statistics.tab.clicks')} className="flex flex-col">
      {clicks.map((click) => (
        <li key={click.id} className="flex flex-col gap-1 border-line border-b py-2.5 text-sm">
          <span className="flex flex-wrap items-center justify-between gap-x-3 gap-y-1">
            <span className="tabular font-medium">{timeOf(click)}</span>
            <Kind click={click} />
          </span>
          {ofMany ? <LinkName click={click} /> : null}
          <span className="flex min-w-0 flex-wrap gap-x-4 gap-y-1">
            <Place click={click} />
            <Source click={click} />
          </span>
          <span className="flex min-w-0 flex-wrap gap-x-4 gap-y-1 text-muted">
            <Agent click={click} />
            {click.language === null ? null : <Value dimension="language" value={click.language} />}
          </span>
        </li>
      ))}
    </ul>
  )
}

/** A value with its icon. */
function Value({ dimension, value }: { dimension: Dimension; value: string | null }) {
  const i18n = useI18n()
  const name = valueName(dimension, value, i18n)
  return (
    <span className="inline-flex min-w-0 max-w-full items-center" title={name}>
      <Mark dimension={dimension} value={value} />
      <bdi className="truncate">{name}</bdi>
    </span>
  )
}

function LinkName({ click }: { click: ListedClick }) {
  const name = (
    <bdi dir="ltr" className="truncate">
      {click.short_url === undefined ? click.domain : shortName(click.short_url)}
    </bdi>
  )
  if (click.link_id === null || click.short_url === undefined) {
    return <span className="flex min-w-0 text-muted">{name}</span>
  }
  return (
    <Link
      to="/links/$id"
      params={{ id: click.link_id }}
      className="flex min-h-6 w-fit max-w-full items-center font-medium underline-offset-2 hover:underline pointer-coarse:min-h-10"
    >
      {name}
    </Link>
  )
}

function Place({ click: { country, region, city } }: { click: ListedClick }) {
  const i18n = useI18n()
  const name =
    country === null ? i18n.t('statistics.live.unknownPlace') : countryName(country, i18n)
  const within = city ?? region
  return (
    <span className="inline-flex min-w-0 max-w-full items-center">
      <Mark dimension="country" value={country} />
      <bdi className="truncate" title={name}>
        {name}
      </bdi>
      {within === null ? null : (
        <bdi className="ms-2 truncate text-faint" title={within}>
          {within}
        </bdi>
      )}
    </span>
  )
}

/** The page that the visitor came from, and the source that the link names. */
function Source({ click }: { click: ListedClick }) {
  return (
    <span className="flex min-w-0 flex-wrap items-center gap-x-3 lg:py-1">
      <Value dimension="referrer" value={click.referrer} />
      {click.utm_source === null ? null : (
        <bdi className="truncate text-faint" title={`utm_source=${click.utm_source}`}>
          {click.utm_source}
        </bdi>
      )}
    </span>
  )
}

function Agent({ click }: { click: ListedClick }) {
  return (
    <>
      {(['device', 'browser', 'os'] as const).map((dimension) =>
        // "Bot" is already its mark.
        click[dimension] === null || click[dimension] === 'bot' ? null : (
          <Value key={dimension} dimension={dimension} value={click[dimension]} />
        ),
      )}
    </>
  )
}

/** Marks bots, link previews and scans; other clicks have no mark. */
function Kind({ click: { kind, reason, trigger } }: { click: ListedClick }) {
  const i18n = useI18n()
  const { t } = i18n
  return (
    <>
      {trigger === 'qr' ? <Chip>{valueName('trigger', trigger, i18n)}</Chip> : null}
      {kind === 'human' ? null : (
        <span title={reason ?? undefined} className="inline-flex">
          <Chip tone="warn">
            {t(kind === 'preview' ? 'statistics.single.preview' : 'statistics.live.bot')}
          </Chip>
        </span>
      )}
    </>
  )
}
