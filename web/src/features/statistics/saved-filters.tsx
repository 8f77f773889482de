import { useQuery } from '@tanstack/react-query'
import { Bookmark } from 'lucide-react'
import { Suspense, useState } from 'react'
import { usePlace } from '../../app/workspace.tsx'
import { useI18n } from '../../i18n/index.tsx'
import { lazyComponent } from '../../lib/lazy-component.ts'
import { Button } from '../../ui/button.tsx'
import { Popover } from '../../ui/popover.tsx'
import { savedFiltersQuery, type View } from '../links/views/calls.ts'
import { contentOf, isSameReport, searchOfReport } from './saved.ts'
import type { Report } from './use-report.ts'

const ViewList = lazyComponent(() => import('../links/views/list.tsx'), 'ViewList')
const ViewDialog = lazyComponent(() => import('../links/views/dialog.tsx'), 'ViewDialog')

/** Chooses saved filters, and saves the current ones; the period stays as it is. */
export function SavedFilters({ report }: { report: Report }) {
  const { t } = useI18n()
  const { workspace } = usePlace()
  const shown = contentOf(report.question)
  const { data: saved = [] } = useQuery(savedFiltersQuery(workspace.id))
  const current = saved.find((view) => isSameReport(view, shown))
  const [open, setOpen] = useState(false)
  /** The filters being renamed; null: new ones. */
  const [edited, setEdited] = useState<View | null | undefined>(undefined)
  const isNothing = report.filters.length === 0 && report.question.bots === 'exclude'
  return (
    <>
      <Popover
        title={t('statistics.saved')}
        open={open}
        onOpenChange={setOpen}
        className="w-72"
        trigger={
          <Button brief={current === undefined} size="sm" icon={<Bookmark />}>
            {current ? <span className="sr-only">{t('statistics.saved')}: </span> : null}
            <bdi className="max-w-40 truncate">{current?.name ?? t('statistics.saved')}</bdi>
          </Button>
        }
      >
        <Suspense fallback={<div className="h-32" />}>
          <ViewList
            of="statistics"
            shown={isNothing ? null : shown}
            current={current?.id}
            onShow={(view) => {
              report.change(searchOfReport(view))
              setOpen(false)
            }}
            onEdit={(view) => {
              setOpen(false)
              setEdited(view)
            }}
          />
        </Suspense>
      </Popover>
      <Suspense>
        {edited === undefined ? null : (
          <ViewDialog
            of="statistics"
            view={edited}
            shown={shown}
            onClose={() => setEdited(undefined)}
          />
        )}
      </Suspense>
    </>
  )
}
