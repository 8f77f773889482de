import { AUDIT_ACTIONS } from '../../../../src/audit/actions.ts'
import type { MessageKey } from '../../i18n/index.tsx'

/** Every action, as the server names it. */
export const ACTIONS = AUDIT_ACTIONS
export type Action = (typeof AUDIT_ACTIONS)[number]

/** An action in words; one that a newer server knows keeps its name. */
export function actionKey(action: string): MessageKey | null {
  const known = ACTIONS.find((one) => one === action)
  return known === undefined ? null : `audit.action.${known}`
}
