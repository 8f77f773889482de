import { useQuery } from '@tanstack/react-query'
import { Bookmark } from 'lucide-react'
import { Suspense, useState } from 'react'
import { usePlace } from '../../../app/workspace.tsx'
import { useI18n } from '../../../i18n/index.tsx'
import { lazyComponent } from '../../../lib/lazy-component.ts'
import { Button } from '../../../ui/button.tsx'
import { Popover } from '../../../ui/popover.tsx'
import { useHiddenColumns } from '../hidden-columns.ts'
import type { LinksSearch } from '../search.ts'
import { isSameList, linkViewsQuery, shownOf, type View } from './calls.ts'
import { useShowView } from './use-views.ts'

const ViewList = lazyComponent(() => import('./list.tsx'), 'ViewList')
const ViewDialog = lazyComponent(() => import('./dialog.tsx'), 'ViewDialog')

/** Chooses a saved view, and saves the current list as one. */
export function Views({ search }: { search: LinksSearch }) {
  const { t } = useI18n()
  const { workspace } = usePlace()
  const shown = shownOf(search, useHiddenColumns())
  const { data: views = [] } = useQuery(linkViewsQuery(workspace.id))
  const current = views.find((view) => isSameList(view, shown))
  const [open, setOpen] = useState(false)
  const show = useShowView()
  /** The view being renamed; null: a new one. */
  const [edited, setEdited] = useState<View | null | undefined>(undefined)
  const edit = (view: View | null) => {
    setOpen(false)
    setEdited(view)
  }
  return (
    <>
      <Popover
        title={t('links.views')}
        open={open}
        onOpenChange={setOpen}
        className="w-72"
        trigger={
          <Button brief={current === undefined} icon={<Bookmark />}>
            {current ? <span className="sr-only">{t('links.views')}: </span> : null}
            <bdi className="max-w-40 truncate">{current?.name ?? t('links.views')}</bdi>
          </Button>
        }
      >
        <Suspense fallback={<div className="h-32" />}>
          <ViewList
            of="links"
            shown={shown}
            current={current?.id}
            onShow={(view) => {
              show(view)
              setOpen(false)
            }}
            onEdit={edit}
          />
        </Suspense>
      </Popover>
      <Suspense>
        {edited === undefined ? null : (
          <ViewDialog of="links" view={edited} shown={shown} onClose={() => setEdited(undefined)} />
        )}
      </Suspense>
    </>
  )
}
