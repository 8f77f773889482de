import { ApiError } from '../../api/errors.ts'
import type { I18n } from '../../i18n/index.tsx'
import { errorText } from '../../ui/problem.tsx'
import { PasskeyCancelled } from './passkeys.ts'

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
  if (error instanceof PasskeyCancelled) return i18n.t('auth.passkey.cancelled')
  if (error instanceof ApiError && error.details.length > 0) {
    const other = error.details.find(({ field }) => !fields.includes(field))
    return other === undefined ? null : other.message
  }
  return errorText(error, i18n)
}
