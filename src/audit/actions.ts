/** Every action that is recorded: what it was done to, and what was done. */
export const AUDIT_ACTIONS = [
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
] as const
export type AuditAction = (typeof AUDIT_ACTIONS)[number]
