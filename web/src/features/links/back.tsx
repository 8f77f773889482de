import { Link as RouterLink } from '@tanstack/react-router'
import { ArrowLeft } from 'lucide-react'
import { useI18n } from '../../i18n/index.tsx'
import { lastSearch } from './list/last-search.ts'

/** Returns to the list of links as it was left. */
export function BackToLinks() {
  const { t } = useI18n()
  return (
    <RouterLink
      to="/links"
      search={lastSearch()}
      className="flex h-6 w-fit items-center gap-1 pointer-coarse:h-10 text-muted text-sm hover:text-fg"
    >
      <ArrowLeft className="rtl:-scale-x-100" />
      {t('shell.links')}
    </RouterLink>
  )
}
