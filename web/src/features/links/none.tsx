import { Link2, SearchX } from 'lucide-react'
import { usePlace } from '../../app/workspace.tsx'
import { useI18n } from '../../i18n/index.tsx'
import { Button } from '../../ui/button.tsx'
import { Empty } from '../../ui/empty.tsx'

/** A workspace without links, for viewers; others see the first steps. */
export function NoLinks() {
  const { t } = useI18n()
  if (usePlace().may('links:write')) return null
  return (
    <Empty icon={<Link2 size={28} aria-hidden="true" />} title={t('links.none')}>
      <p>{t('links.noneViewer')}</p>
    </Empty>
  )
}

/** Nothing matches. */
export function NothingFound({ onClear, paged }: { onClear: () => void; paged: boolean }) {
  const { t } = useI18n()
  return (
    <Empty
      icon={<SearchX size={28} aria-hidden="true" />}
      title={paged ? t('links.pageEmpty') : t('links.notFound')}
      action={<Button onClick={onClear}>{t('links.showAll')}</Button>}
    >
      {paged ? null : <p>{t('links.notFoundHint')}</p>}
    </Empty>
  )
}
