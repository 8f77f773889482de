import { type ErrorComponentProps, Link, useRouter } from '@tanstack/react-router'
import { Compass } from 'lucide-react'
import { useI18n } from '../i18n/index.tsx'
import { buttonClass } from '../ui/button.tsx'
import { Empty } from '../ui/empty.tsx'
import { Problem } from '../ui/problem.tsx'

/** No such page. */
export function NotFound() {
  const { t } = useI18n()
  return (
    <Empty
      icon={<Compass size={28} aria-hidden="true" />}
      title={t('common.pageMissing')}
      action={
        <Link to="/links" className={buttonClass('primary')}>
          {t('common.toLinks')}
        </Link>
      }
    >
      <p>{t('common.pageMissingHint')}</p>
    </Empty>
  )
}

/** A page that failed. */
export function PageProblem({ error, reset }: ErrorComponentProps) {
  const router = useRouter()
  const retry = () => {
    reset()
    void router.invalidate()
  }
  // What a chunk of an older version was replaced by comes with a fresh page.
  const stale = error instanceof TypeError && /import|module/i.test(error.message)
  return <Problem error={error} onRetry={stale ? () => location.reload() : retry} />
}
