import { AUDIT_ACTIONS } from '@src/features/audit/actions.ts'
import type { MessageKey } from '../../i18n/index.tsx'

/** Every action, with the server's name. */
export const ACTIONS = AUDIT_ACTIONS
export type Action = (typeof AUDIT_ACTIONS)[number]

/** Kinds of entries, named like the pages, with the first parts of their actions. */
export const KINDS = {
  links: { label: 'shell.links', parts: ['link', 'links', 'job', 'import', 'block'] },
  groups: { label: 'shell.tags', parts: ['tag', 'folder', 'view', 'utm_template'] },
  statistics: { label: 'shell.statistics', parts: ['clicks', 'share'] },
  domains: { label: 'usage.domains', parts: ['domain'] },
  keys: { label: 'shell.keys', parts: ['api_key'] },
  webhooks: { label: 'webhooks.title', parts: ['webhook'] },
  members: { label: 'shell.members', parts: ['member', 'invitation'] },
  workspace: { label: 'shell.workspace', parts: ['workspace', 'usage'] },
} as const satisfies Record<string, { label: MessageKey; parts: readonly string[] }>

export type Kind = keyof typeof KINDS

/** The kind with a name. */
export function kindNamed(name: string | undefined): Kind | undefined {
  return name !== undefined && Object.hasOwn(KINDS, name) ? (name as Kind) : undefined
}

/** The actions of a kind. */
export function actionsOf(kind: Kind): Action[] {
  const parts: readonly string[] = KINDS[kind].parts
  return ACTIONS.filter((action) => parts.includes(action.split('.', 1)[0] ?? ''))
}
