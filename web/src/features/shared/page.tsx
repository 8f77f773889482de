import { useQuery } from '@tanstack/react-query'
import { ArrowRight } from 'lucide-react'
import { type ReactNode, useMemo, useState } from 'react'
import { parseSearch, stringifySearch } from '../../app/search-params.ts'
import { useI18n } from '../../i18n/index.tsx'
import { cx } from '../../ui/cx.ts'
import { Problem } from '../../ui/problem.tsx'
import { Loading, Skeleton } from '../../ui/skeleton.tsx'
import { useTitle } from '../../ui/title.ts'
import { Controls } from '../statistics/controls.tsx'
import { ReportView } from '../statistics/report.tsx'
import { type StatisticsSearch, statisticsSearch } from '../statistics/search.ts'
import { type Report, reportOf } from '../statistics/use-report.ts'
import { shortName } from '../statistics/words.ts'
import { type About, aboutQuery, type Brand, isProtected } from './queries.ts'
import { Unlock } from './unlock.tsx'

/** Whether another page embeds this one and has its own heading. */
const EMBEDDED = new URLSearchParams(location.search).has('embed')

/** The public page of shared statistics. */
export function SharedPage() {
  const { t } = useI18n()
  const about = useQuery(aboutQuery)
  if (about.data !== undefined) return <Statistics about={about.data} />
  if (isProtected(about.error)) {
    return (
      <Frame title={t('shared.password.title')}>
        <Unlock onOpen={() => void about.refetch()} />
      </Frame>
    )
  }
  return (
    <Frame title={t('shares.title')}>
      {about.isError ? (
        <Problem heading="h1" error={about.error} onRetry={() => void about.refetch()} />
      ) : (
        <>
          <Loading label={t('common.loading')} />
          <Skeleton className="h-70 w-full" />
        </>
      )}
    </Frame>
  )
}

function Statistics({ about }: { about: About }) {
  const { t } = useI18n()
  const report = useSharedReport(about)
  const { link } = about
  const title = about.name ?? link?.title ?? t('shares.title')
  return (
    <Frame title={title} brand={link?.brand ?? null}>
      <header className="mb-5 flex flex-col gap-1">
        <h1 className="font-semibold text-xl [overflow-wrap:anywhere]">
          <bdi>{title}</bdi>
        </h1>
        {link === null ? null : (
          <p className="text-muted [overflow-wrap:anywhere]">
            <bdi dir="ltr">{shortName(link.short_url)}</bdi>
            {link.destination_url ? (
              <>
                <ArrowRight className="mx-1.5 inline rtl:-scale-x-100" />
                <bdi dir="ltr">{shortName(link.destination_url)}</bdi>
              </>
            ) : null}
          </p>
        )}
      </header>
      <Controls report={report} />
      <ReportView report={report} />
    </Frame>
  )
}

/** The report of the URL, about the share. */
function useSharedReport({ kind, since, dimensions }: About): Report {
  const [search, setSearch] = useState<StatisticsSearch>(() =>
    statisticsSearch(parseSearch(location.search)),
  )
  return useMemo(() => {
    const scope = {
      workspace: '',
      linkId: kind === 'link' ? '' : null,
      since,
      shared: dimensions,
    }
    return reportOf(search, scope, (next) => {
      setSearch(next)
      // Language, theme and frame stay as in the URL.
      const { lang, theme, embed } = parseSearch(location.search)
      const query = stringifySearch({ ...next, lang, theme })
      const framed = embed === undefined ? query : `${query === '' ? '?' : `${query}&`}embed`
      history.replaceState(null, '', location.pathname + framed)
    })
  }, [search, kind, since, dimensions])
}

/** The branding of the link's domain, as on its pages; logos are made for a light background. */
function Branded({ brand: { name, logo, color } }: { brand: Brand }) {
  return (
    <div
      className="border-line border-b"
      style={{ borderTop: `3px solid ${color ?? 'transparent'}` }}
    >
      {logo === null && name === null ? null : (
        <div className="mx-auto flex w-full max-w-300 items-center gap-2.5 px-4 py-3 sm:px-8">
          {logo === null ? null : (
            <img
              src={logo}
              alt=""
              className="h-7 max-w-40 shrink-0 rounded-xs bg-[light-dark(transparent,#fff)] object-contain shadow-[0_0_0_4px_light-dark(transparent,#fff)]"
            />
          )}
          <bdi className="font-semibold">{name}</bdi>
        </div>
      )}
    </div>
  )
}

/** The frame around the content; none if another page embeds it. */
function Frame({
  title,
  brand = null,
  children,
}: {
  title: string
  brand?: Brand | null
  children: ReactNode
}) {
  const { t } = useI18n()
  useTitle(title)
  return (
    <div className="flex min-h-dvh flex-col">
      {brand === null ? null : <Branded brand={brand} />}
      <main
        className={cx('mx-auto w-full max-w-300 flex-1', EMBEDDED ? 'p-4' : 'px-4 py-7 sm:px-8')}
      >
        {children}
      </main>
      <footer
        className={cx(
          'mx-auto flex w-full max-w-300 items-center gap-2 px-4 py-4 text-muted text-sm',
          EMBEDDED ? '' : 'sm:px-8',
        )}
      >
        <img src="/app/icon.svg" alt="" width={16} height={16} />
        {t('shared.with', { product: t('common.product') })}
      </footer>
    </div>
  )
}
