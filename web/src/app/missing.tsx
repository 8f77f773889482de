import { type ErrorComponentProps, Link, useRouter } from '@tanstack/react-router'
import { Compass } from 'lucide-react'
import { ApiError } from '../api/errors.ts'
import { useI18n } from '../i18n/index.tsx'
import { isReachable, NOT_LOADED } from '../lib/part.ts'
import { buttonClass } from '../ui/button.tsx'
import { Empty } from '../ui/empty.tsx'
import { Problem } from '../ui/problem.tsx'
import { useTitle } from '../ui/title.ts'

/** The page for unknown paths. */
export function NoSuchPage() {
  return (
    <main className="flex min-h-dvh flex-col justify-center">
      <NotFound />
    </main>
  )
}

/** The object of the path doesn't exist. */
export function NotFound() {
  const { t } = useI18n()
  useTitle(t('common.pageMissing'))
  return (
    <Empty
      heading="h1"
      icon={<Compass size={28} />}
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

/** Not even the shell of the pages could be loaded. */
export function NoPages(props: ErrorComponentProps) {
  return (
    <main className="flex min-h-dvh flex-col justify-center">
      <PageProblem {...props} />
    </main>
  )
}

/** A page that failed. */
export function PageProblem({ error, reset }: ErrorComponentProps) {
  const router = useRouter()
  const retry = () => {
    reset()
    void router.invalidate()
  }
  // A reload replaces chunks of an older version, and retries those that couldn't be loaded.
  const stale =
    (error instanceof TypeError && /import|module/i.test(error.message)) ||
    (error instanceof ApiError && error.code === NOT_LOADED)
  const reload = async () => {
    if (await isReachable()) location.reload()
  }
  return <Problem heading="h1" error={error} onRetry={stale ? () => void reload() : retry} />
}
