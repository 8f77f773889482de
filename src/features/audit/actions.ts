/** Audited actions on a link. */
export const LINK_ACTIONS = [
  'link.created',
  'link.updated',
  'link.deleted',
  'link.restored',
  'link.blocked',
  'link.unblocked',
  'link.started',
  'link.expired',
  'link.exhausted',
] as const

/** Audited actions in a workspace: what was changed, and how. */
export const AUDIT_ACTIONS = [
  ...LINK_ACTIONS,
  'tag.created',
  'tag.updated',
  'tag.renamed',
  'tag.merged',
  'tag.deleted',
  'folder.created',
  'folder.updated',
  'folder.deleted',
  'api_key.created',
  'api_key.updated',
  'api_key.revoked',
  'api_key.rotated',
  'member.joined',
  'member.updated',
  'member.removed',
  'member.left',
  'invitation.created',
  'invitation.revoked',
  'utm_template.created',
  'utm_template.updated',
  'utm_template.deleted',
  'view.created',
  'view.updated',
  'view.deleted',
  'share.created',
  'share.updated',
  'share.deleted',
  'workspace.created',
  'workspace.updated',
  'workspace.plan_changed',
  'workspace.deleted',
  'block.created',
  'block.removed',
  'block.appealed',
  'clicks.exported',
  'clicks.deleted',
  'links.exported',
  'job.created',
  'job.cancelled',
  'import.finished',
  'import.undone',
  'usage.threshold',
  'domain.created',
  'domain.updated',
  'domain.deleted',
  'domain.verified',
  'domain.failing',
  'webhook.created',
  'webhook.updated',
  'webhook.deleted',
  'webhook.secret_rotated',
  'webhook.disabled',
] as const

/** Audited actions on an account, outside of any workspace. */
export const ACCOUNT_ACTIONS = [
  'account.created',
  'account.signed_in',
  'account.sign_in_failed',
  'account.second_factor_failed',
  'account.sso_linked',
  'account.sso_unlinked',
  'account.signed_out_everywhere',
  'account.password_changed',
  'account.password_reset',
  'account.reset_link_created',
  'account.email_change_requested',
  'account.email_changed',
  'account.picture_changed',
  'account.picture_removed',
  'account.passkey_added',
  'account.passkey_removed',
  'account.two_factor_enabled',
  'account.two_factor_disabled',
  'account.recovery_codes_replaced',
  'account.codes_locked',
  'account.deleted',
  'instance.handed_over',
] as const

/** Audited actions of the operator on the whole instance. */
export type InstanceAction =
  | 'instance.backed_up'
  | 'instance.restored'
  | 'instance.clicks_recounted'

/** Every audited action. */
export type AuditAction = (typeof AUDIT_ACTIONS | typeof ACCOUNT_ACTIONS)[number] | InstanceAction
