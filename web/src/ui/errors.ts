import { ApiError } from '../api/errors.ts'
import type { I18n } from '../i18n/index.tsx'

/** An error in the API's own words; in ours where no answer came. */
export function errorText(error: unknown, { t }: Pick<I18n, 't'>): string {
  if (error instanceof ApiError) {
    if (error.message !== '') return error.message
    if (error.code === 'PASSKEY_CANCELLED') return t('auth.passkey.cancelled')
    if (error.status === 0) return t('common.offline')
  }
  return t('common.failed')
}

/** What the API says about a field. */
export function fieldError(error: unknown, field: string): string | undefined {
  return error instanceof ApiError ? error.field(field) : undefined
}

/** What is said about the whole form: whatever no field of it says. */
export function formError(
  error: unknown,
  i18n: Pick<I18n, 't'>,
  fields: readonly string[] = [],
): string | null {
  if (error === null || error === undefined) return null
  if (error instanceof ApiError && error.details.length > 0) {
    return error.details.find(({ field }) => !fields.includes(field))?.message ?? null
  }
  return errorText(error, i18n)
}
