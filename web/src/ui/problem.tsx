import { ApiError } from '../api/errors.ts'
import { useI18n } from '../i18n/index.tsx'
import { Button } from './button.tsx'
import { errorText } from './errors.ts'

/** A loading error: the reason, and a retry button. */
export function Problem({
  error,
  onRetry,
  heading: Text = 'p',
}: {
  error: unknown
  onRetry?: () => void
  /** `h1` if the page has no other heading. */
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
