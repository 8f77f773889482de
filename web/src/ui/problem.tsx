import { ApiError } from '../api/errors.ts'
import { type I18n, useI18n } from '../i18n/index.tsx'
import { Button } from './button.tsx'

/** An error in the API's own words; in ours where no answer came. */
export function errorText(error: unknown, { t }: Pick<I18n, 't'>): string {
  if (error instanceof ApiError) {
    if (error.message !== '') return error.message
    if (error.status === 0) return t('common.offline')
  }
  return t('common.failed')
}

/** Something could not be loaded: why, and the way to try again. */
export function Problem({
  error,
  onRetry,
  heading: Text = 'p',
}: {
  error: unknown
  onRetry?: () => void
  /** `h1` where nothing else heads the page. */
  heading?: 'p' | 'h1'
}) {
  const i18n = useI18n()
  const id = error instanceof ApiError ? error.requestId : null
  return (
    <div role="alert" className="flex flex-col items-center gap-3 px-4 py-12 text-center">
      <Text className="max-w-prose font-medium">{errorText(error, i18n)}</Text>
      {id === null ? null : (
        <p className="text-faint text-xs">{i18n.t('common.requestId', { id })}</p>
      )}
      {onRetry ? <Button onClick={onRetry}>{i18n.t('common.retry')}</Button> : null}
    </div>
  )
}
