import { lazy, Suspense } from 'react'
import { useI18n } from '../../i18n/index.tsx'
import { useMedia } from '../../lib/media.ts'
import { part } from '../../lib/part.ts'
import { cx } from '../../ui/cx.ts'
import { Card } from '../../ui/page.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import type { Dimension } from './filters.ts'
import { TopTabs } from './top-list.tsx'
import type { Report } from './use-report.ts'

const WorldMap = lazy(() => part(() => import('./world-map.tsx')))

const DIMENSIONS = ['country', 'region', 'city'] as const satisfies readonly Dimension[]

/** The places of the clicks: a map beside the list; on a phone only the list. */
export function Places({ report }: { report: Report }) {
  const { t } = useI18n()
  const dimensions = DIMENSIONS.filter(report.shows)
  // A smaller map is not worth its download.
  const wide = useMedia('(min-width: 40rem)')
  const title = t('statistics.group.places')
  if (dimensions.length === 0) return null
  const hasMap = wide && report.shows('country')
  return (
    <Card className="min-w-0 p-4">
      <h2 className="mb-1 font-semibold">{title}</h2>
      <div className={cx('grid gap-6', hasMap && 'lg:grid-cols-[minmax(0,3fr)_minmax(0,2fr)]')}>
        {hasMap ? (
          <div className="flex aspect-[840/475] min-w-0 flex-col justify-center">
            <Suspense fallback={<Skeleton className="h-40 w-full" />}>
              <WorldMap report={report} />
            </Suspense>
          </div>
        ) : null}
        <div className="min-w-0">
          <TopTabs report={report} dimensions={dimensions} label={title} />
        </div>
      </div>
    </Card>
  )
}
