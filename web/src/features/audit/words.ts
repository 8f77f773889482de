import type { MessageKey } from '../../i18n/index.tsx'

/** What can be done, in groups, as the server names it. */
export const ACTIONS = [
  'link.created',
  'link.updated',
  'link.deleted',
  'link.restored',
  'link.blocked',
  'link.unblocked',
  'api_key.created',
  'api_key.revoked',
  'api_key.rotated',
  'member.joined',
  'member.updated',
  'member.removed',
  'member.left',
  'invitation.created',
  'invitation.revoked',
  'workspace.created',
  'workspace.updated',
  'workspace.plan_changed',
  'workspace.deleted',
  'block.created',
  'block.removed',
] as const
export type Action = (typeof ACTIONS)[number]

/** An action in words; one that a newer server knows keeps its name. */
export function actionKey(action: string): MessageKey | null {
  const known = ACTIONS.find((one) => one === action)
  return known === undefined ? null : `audit.action.${known}`
}
