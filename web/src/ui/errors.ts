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

/** The API's messages about a list, and about its items with their names. */
export function listError(
  error: unknown,
  field: string,
  names: readonly string[],
  { t, format }: Pick<I18n, 't' | 'format'>,
): string | undefined {
  const found = detailsOf(error).filter((one) => isWithin(one.field, field))
  const messages = found.map((one) => {
    const label = names[Number(/\[(\d+)\]/.exec(one.field.slice(field.length))?.[1])]
    return label === undefined ? one.message : t('common.labelled', { label, value: one.message })
  })
  return messages.length === 0 ? undefined : format.sentences(messages)
}

/** The failing fields that are part of a field, with itself. */
export function fieldsWithin(error: unknown, field: string): string[] {
  return detailsOf(error)
    .map((one) => one.field)
    .filter((one) => isWithin(one, field))
}

const detailsOf = (error: unknown) => (error instanceof ApiError ? error.details : [])

const isWithin = (path: string, field: string) =>
  path === field || path.startsWith(`${field}.`) || path.startsWith(`${field}[`)

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
