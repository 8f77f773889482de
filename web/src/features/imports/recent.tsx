import { useInfiniteQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { usePlace } from '../../app/workspace.tsx'
import { useI18n } from '../../i18n/index.tsx'
import { buttonClass } from '../../ui/button.tsx'
import { Section } from '../../ui/page.tsx'
import { JobLines } from '../jobs/line.tsx'
import { jobsQuery } from '../jobs/queries.ts'

/** Recent imports, to return to. */
export function Recent() {
  const { t } = useI18n()
  const { workspace } = usePlace()
  const jobs = useInfiniteQuery(jobsQuery(workspace.id)).data ?? []
  const imports = jobs.filter(({ type }) => type.startsWith('imports.'))
  if (imports.length === 0) return null
  return (
    <Section
      title={t('imports.recent')}
      actions={
        <Link to="/jobs" className={buttonClass('secondary', 'sm')}>
          {t('jobs.all')}
        </Link>
      }
    >
      <JobLines jobs={imports} />
    </Section>
  )
}
