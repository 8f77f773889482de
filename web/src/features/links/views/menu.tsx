import { Bookmark } from 'lucide-react'
import { Suspense, useState } from 'react'
import { useI18n } from '../../../i18n/index.tsx'
import { lazyComponent } from '../../../lib/lazy-component.ts'
import { Button } from '../../../ui/button.tsx'
import { Popover } from '../../../ui/popover.tsx'
import type { Content, View } from './queries.ts'
import { type SavedOf, TEXTS } from './texts.ts'

const ViewList = lazyComponent(() => import('./list.tsx'), 'ViewList')
const ViewDialog = lazyComponent(() => import('./dialog.tsx'), 'ViewDialog')

/** Chooses what was saved, named on its button while it is shown, and saves what is shown. */
export function ViewsMenu({
  of,
  shown,
  isEmpty = false,
  current,
  size,
  onShow,
}: {
  of: SavedOf
  /** The current content. */
  shown: Content
  /** Whether there is nothing to save. */
  isEmpty?: boolean
  /** What was saved with the current content. */
  current: View | undefined
  size?: 'sm'
  onShow: (view: View) => void
}) {
  const { t } = useI18n()
  const title = t(TEXTS[of].title)
  const [open, setOpen] = useState(false)
  /** The view being renamed; null: a new one. */
  const [edited, setEdited] = useState<View | null | undefined>(undefined)
  return (
    <>
      <Popover
        title={title}
        open={open}
        onOpenChange={setOpen}
        className="w-72"
        trigger={
          <Button brief={current === undefined} {...(size && { size })} icon={<Bookmark />}>
            {current ? <span className="sr-only">{title}: </span> : null}
            <bdi className="max-w-40 truncate">{current?.name ?? title}</bdi>
          </Button>
        }
      >
        <Suspense fallback={<div className="h-32" />}>
          <ViewList
            of={of}
            shown={isEmpty ? null : shown}
            current={current?.id}
            onShow={(view) => {
              onShow(view)
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
          <ViewDialog of={of} view={edited} shown={shown} onClose={() => setEdited(undefined)} />
        )}
      </Suspense>
    </>
  )
}
