import type { UseInfiniteQueryResult, UseQueryResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { useI18n } from '../i18n/index.tsx'
import { Problem } from './problem.tsx'
import { Loading, Skeleton } from './skeleton.tsx'

/** The result of a query; before that its loading state or error. It stays during reloads. */
export function Answer<Data>({
  of: query,
  loading = <Skeleton className="h-40 w-full" />,
  children,
}: {
  of: UseQueryResult<Data> | UseInfiniteQueryResult<Data>
  /** The placeholder meanwhile, in the same size. */
  loading?: ReactNode
  children: (data: Data) => ReactNode
}) {
  const { t } = useI18n()
  if (query.data !== undefined) return children(query.data)
  if (query.isError) return <Problem error={query.error} onRetry={() => void query.refetch()} />
  return (
    <>
      <Loading label={t('common.loading')} />
      {loading}
    </>
  )
}
