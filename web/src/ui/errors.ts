import { ApiError } from '../api/errors.ts'
import type { I18n } from '../i18n/index.tsx'

/** The API's message of an error; ours if there was no response. */
export function errorText(error: unknown, { t }: Pick<I18n, 't'>): string {
  if (error instanceof ApiError) {
    if (error.message !== '') return error.message
    if (error.code === 'PASSKEY_CANCELLED') return t('auth.passkey.cancelled')
    if (error.status === 0) return t('common.offline')
  }
  return t('common.failed')
}

/** The API's message about a field. */
export function fieldError(error: unknown, field: string): string | undefined {
  return error instanceof ApiError ? error.field(field) : undefined
}

/** The message about the whole form: everything that its fields don't show. */
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
