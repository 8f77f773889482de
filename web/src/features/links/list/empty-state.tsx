import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { Link as RouterLink } from '@tanstack/react-router'
import { Archive, Link2, SearchX } from 'lucide-react'
import { usePlace } from '../../../app/workspace.tsx'
import { useI18n } from '../../../i18n/index.tsx'
import { Button } from '../../../ui/button.tsx'
import { Empty } from '../../../ui/empty.tsx'
import { deletedQuery, linksQuery } from '../queries.ts'

/** An empty list of links; people who may write see the first steps instead. */
export function NoLinks({
  hasArchived,
  onArchived,
}: {
  /** Undefined: unknown yet. */
  hasArchived: boolean | undefined
  onArchived: () => void
}) {
  const { t } = useI18n()
  const { may, workspace } = usePlace()
  const deleted = useInfiniteQuery(deletedQuery(workspace.id)).data ?? []
  if (hasArchived) {
    return (
      <Empty
        icon={<Archive size={28} />}
        title={t('links.allArchived')}
        action={<Button onClick={onArchived}>{t('links.allArchived.show')}</Button>}
      >
        <p>{t('links.allArchived.text')}</p>
      </Empty>
    )
  }
  if (hasArchived === undefined) return null
  if (may('links:write')) {
    return deleted.length === 0 ? null : (
      <RouterLink
        to="/links/deleted"
        className="text-accent-text text-sm underline underline-offset-2"
      >
        {t('links.trash.title')}
      </RouterLink>
    )
  }
  return (
    <Empty icon={<Link2 size={28} />} title={t('links.none')}>
      <p>{t('links.noneViewer')}</p>
    </Empty>
  )
}

/** Whether a workspace with an empty list has archived links. Undefined: unknown yet. */
export function useHasArchived(enabled: boolean): boolean | undefined {
  const { workspace } = usePlace()
  const { data, isError } = useQuery({ ...linksQuery(workspace.id, { archived: 'true' }), enabled })
  if (!enabled || isError) return false
  return data && data.pagination.total > 0
}

/** No matches. */
export function NothingFound({ onClear, paged }: { onClear: () => void; paged: boolean }) {
  const { t } = useI18n()
  return (
    <Empty
      icon={<SearchX size={28} />}
      title={paged ? t('links.pageEmpty') : t('links.notFound')}
      action={<Button onClick={onClear}>{t('links.showAll')}</Button>}
    >
      {paged ? null : <p>{t('links.notFoundHint')}</p>}
    </Empty>
  )
}
