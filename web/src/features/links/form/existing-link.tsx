import { useQuery } from '@tanstack/react-query'
import { Link as RouterLink } from '@tanstack/react-router'
import { usePlace } from '../../../app/workspace.tsx'
import { useI18n } from '../../../i18n/index.tsx'
import { leadingToQuery } from '../queries.ts'
import { nameOf } from '../text.ts'

/** Says which links already lead to a destination. */
export function ExistingLink({ destination }: { destination: string }) {
  const { t } = useI18n()
  const { workspace } = usePlace()
  const query = leadingToQuery(workspace.id, destination)
  const { data: links = [] } = useQuery({ ...query, enabled: destination !== '' })
  if (links.length === 0) return null
  return (
    <p role="status" className="flex flex-wrap gap-x-2 text-muted text-sm">
      {t('links.existing')}
      {links.map((link) => (
        <RouterLink
          key={link.id}
          to="/links/$id"
          params={{ id: link.id }}
          dir="ltr"
          className="text-accent-text underline underline-offset-2 [overflow-wrap:anywhere]"
        >
          {nameOf(link)}
        </RouterLink>
      ))}
    </p>
  )
}
