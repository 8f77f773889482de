import type { MessageKey } from '../../../i18n/index.tsx'

/** The names of fields in a history. */
export const FIELD_NAMES: Readonly<Record<string, MessageKey>> = {
  destination_url: 'links.field.destination',
  slug: 'links.field.slug',
  aliases: 'links.field.aliases',
  domain: 'links.field.domain',
  title: 'links.field.title',
  notes: 'links.field.notes',
  tags: 'links.field.tags',
  external_id: 'links.field.externalId',
  enabled: 'links.field.enabled',
  redirect_status: 'links.field.redirectStatus',
  forward_query: 'links.field.forwardQuery',
  match: 'links.field.match',
  forward_path: 'links.field.forwardPath',
  starts_at: 'links.field.startsAt',
  expires_at: 'links.field.expiresAt',
  max_clicks: 'links.field.maxClicks',
  fallback_url: 'links.field.fallback',
  has_password: 'links.field.password',
  social: 'links.section.social',
  tracking: 'links.section.tracking',
  blocked: 'links.status.blocked',
  reason: 'links.field.reason',
  folder_id: 'links.field.folder',
  archived: 'links.field.archived',
  rules: 'links.field.rules',
  variants: 'links.field.variants',
}
/** Fields with a time. */
export const TIMES = new Set(['starts_at', 'expires_at'])
