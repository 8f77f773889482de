import type { I18n, MessageKey } from '../../i18n/index.tsx'
import { ACTIONS, type Action } from './kinds.ts'

/** The message of an action; null for one of a newer server. */
export function actionKey(action: string): MessageKey | null {
  const known = ACTIONS.find((one) => one === action)
  return known === undefined ? null : `audit.action.${known}`
}

/** An action on its own: its message goes after a name, and so begins with a small letter. */
export function actionLabel(action: Action, { t, locale }: I18n): string {
  const [first = '', ...rest] = t(`audit.action.${action}`)
  return first.toLocaleUpperCase(locale) + rest.join('')
}
