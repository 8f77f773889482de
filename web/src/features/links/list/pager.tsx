import { ChevronLeft, ChevronRight } from 'lucide-react'
import { useI18n } from '../../../i18n/index.tsx'
import { Button } from '../../../ui/button.tsx'
import { type LinkList, PAGE_SIZE } from '../queries.ts'
import { atLeast } from './toolbar.tsx'

/** The range of links and the total, with previous and next page. */
export function Pager({
  pagination,
  shown,
  from,
  go,
}: {
  pagination: LinkList['pagination']
  shown: number
  /** How many links come before these. */
  from: number
  go: (cursor: string | undefined, from: number | undefined) => void
}) {
  const { t, format } = useI18n()
  const { next_cursor: next, prev_cursor: previous, total, total_is_exact } = pagination
  if (next === null && previous === null) return null
  const forth = () => next !== null && go(next, from + shown)
  const back = () => {
    if (previous === null) return
    const before = Math.max(0, from - PAGE_SIZE)
    // The first page has no cursor, so that new links appear on it.
    if (before === 0) go(undefined, undefined)
    else go(previous, before)
  }
  return (
    <nav aria-label={t('links.pages')} className="flex items-center justify-between gap-4 pt-4">
      <p className="tabular text-faint text-sm">
        {t('links.range', {
          first: format.number(from + 1),
          last: format.number(from + shown),
          total: atLeast(total, total_is_exact, format),
        })}
      </p>
      <div className="flex gap-2">
        <Button
          // Not disabled, which would take the focus away from them on the last page.
          aria-disabled={previous === null}
          onClick={back}
          icon={<ChevronLeft className="rtl:-scale-x-100" />}
        >
          {t('links.previous')}
        </Button>
        <Button aria-disabled={next === null} onClick={forth}>
          {t('links.next')}
          <ChevronRight className="rtl:-scale-x-100" />
        </Button>
      </div>
    </nav>
  )
}
