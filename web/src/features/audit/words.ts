import type { I18n, MessageKey } from '../../i18n/index.tsx'
import { kindOf } from '../jobs/kind.ts'
import { FIELD_NAMES } from '../links/details/field-names.ts'
import type { ShareSubject } from '../shares/queries.ts'
import { SHOW_LABELS, subjectName } from '../shares/words.ts'
import { ACTIONS, type Action } from './kinds.ts'
import type { AuditEntry } from './queries.ts'

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

/** Types of events whose action has another name. */
const ACTIONS_OF_TYPES: Readonly<Record<string, string>> = {
  'key.created': 'api_key.created',
  'key.updated': 'api_key.updated',
  'key.rotated': 'api_key.rotated',
  'key.revoked': 'api_key.revoked',
  'member.added': 'member.joined',
}

/** A type of events in words; itself if a newer server has it. */
export function typeLabel(type: string, i18n: I18n): string {
  if (type === 'clicks.recorded') return i18n.t('webhooks.type.clicks.recorded')
  const action = ACTIONS_OF_TYPES[type] ?? type
  return actionKey(action) === null ? type : actionLabel(action as 'link.created', i18n)
}

/** What something was done to; a job goes by what it does, a share without a name by its subject. */
export function targetName(
  { type, id, label }: AuditEntry['target'],
  i18n: I18n,
  subject?: unknown,
): string {
  const { t } = i18n
  if ((type === 'job' || type === 'import') && label)
    return t(`jobs.kind.${kindOf({ type: label })}`)
  if (!label && !isNothing(subject)) return subjectName(subject as ShareSubject, i18n)
  return label || id
}

/** The names of fields of objects other than links. */
const OTHER_FIELDS: Readonly<Record<string, MessageKey>> = {
  access: 'folders.access',
  any_tag: 'links.field.tags',
  brand: 'domains.brand.name',
  campaign: 'links.field.utm.campaign',
  'brand.color': 'domains.brand.color',
  'brand.name': 'domains.brand.name',
  case_sensitive: 'domains.case',
  clicked: 'links.clicks',
  color: 'tags.color',
  content: 'links.field.utm.content',
  created_after: 'links.createdFrom',
  created_before: 'links.createdTo',
  email: 'settings.account.email',
  excluded_networks: 'settings.networks',
  expired_url: 'domains.expired',
  filters: 'links.filters',
  folder_id: 'links.field.folder',
  has_password: 'links.filter.password',
  has_rules: 'links.filter.rules',
  hidden_columns: 'links.columns',
  host: 'domains.host',
  language: 'settings.workspace.language',
  links: 'usage.links',
  logo: 'settings.logo',
  medium: 'links.field.utm.medium',
  members: 'folders.members',
  moved_to: 'folders.moveTo',
  name: 'tags.name',
  not_found_url: 'domains.notFound',
  order: 'links.sortBy',
  plan: 'usage.plan',
  prefix: 'keys.column.key',
  qr_correction: 'links.qr.correction',
  qr_dark: 'links.qr.dark',
  qr_eyes: 'links.qr.eyes',
  qr_light: 'links.qr.light',
  qr_logo: 'links.qr.logo',
  qr_margin: 'links.qr.quiet',
  qr_modules: 'links.qr.shape',
  require_two_factor: 'settings.workspace.twoFactor',
  restrictions: 'keys.restrictions',
  robots: 'domains.robots',
  role: 'members.role',
  root_url: 'domains.root',
  scopes: 'keys.scopes',
  search: 'common.search',
  slug_length: 'domains.slugLength',
  slug_prefix: 'domains.slugPrefix',
  slug_style: 'domains.slugStyle',
  shared: 'links.views.shared',
  show: 'shares.show',
  'social.description': 'links.field.social.description',
  'social.image_url': 'links.field.social.image',
  'social.title': 'links.field.social.title',
  sort: 'links.sortBy',
  source: 'links.field.utm.source',
  status: 'links.field.status',
  subject: 'shares.title',
  tag: 'links.field.tags',
  tagged: 'links.field.tags',
  term: 'links.field.utm.term',
  types: 'webhooks.types',
  url: 'webhooks.url',
}

/** The name of a field, or of a part of it (`social.title`), as on the page that changes it; null: only programs know it. */
export function fieldKey(name: string): MessageKey | null {
  return FIELD_NAMES[name] ?? OTHER_FIELDS[name] ?? null
}

/** Names of values from a fixed set. */
const VALUES: Readonly<Record<string, Readonly<Record<string, MessageKey>>>> = {
  access: { members: 'folders.access.members', workspace: 'folders.access.workspace' },
  match: { exact: 'links.off', prefix: 'links.on' },
  order: { asc: 'links.ascending', desc: 'links.descending' },
  qr_eyes: {
    circle: 'links.qr.eyes.circle',
    rounded: 'links.qr.eyes.rounded',
    square: 'links.qr.eyes.square',
  },
  qr_modules: {
    dots: 'links.qr.shape.dots',
    rounded: 'links.qr.shape.rounded',
    square: 'links.qr.shape.square',
  },
  bots: {
    exclude: 'statistics.kinds.exclude',
    include: 'statistics.kinds.include',
    only: 'statistics.kinds.only',
  },
  role: { owner: 'role.owner', admin: 'role.admin', member: 'role.member', viewer: 'role.viewer' },
  scopes: {
    'links:read': 'keys.scope.links:read',
    'links:write': 'keys.scope.links:write',
    'domains:read': 'keys.scope.domains:read',
    'domains:write': 'keys.scope.domains:write',
    'keys:write': 'keys.scope.keys:write',
    'events:read': 'keys.scope.events:read',
    'webhooks:read': 'keys.scope.webhooks:read',
    'webhooks:write': 'keys.scope.webhooks:write',
    'links:create': 'keys.scope.links:create',
    'stats:read': 'keys.scope.stats:read',
  },
  show: SHOW_LABELS,
  slug_style: {
    digits: 'domains.slugStyle.digits',
    lowercase: 'domains.slugStyle.lowercase',
    readable: 'domains.slugStyle.readable',
    words: 'domains.slugStyle.words',
  },
  sort: {
    clicks: 'links.sort.clicks',
    clicks_with_imported: 'links.sort.clicks_with_imported',
    created_at: 'links.sort.created_at',
    last_clicked_at: 'links.sort.last_clicked_at',
    slug: 'links.sort.slug',
    updated_at: 'links.sort.updated_at',
  },
  status: {
    active: 'links.status.active',
    blocked: 'links.status.blocked',
    disabled: 'links.status.disabled',
    exhausted: 'links.status.exhausted',
    expired: 'links.status.expired',
    failing: 'domains.status.failing',
    pending: 'domains.status.pending',
    scheduled: 'links.status.scheduled',
  },
  tracking: {
    count: 'links.tracking.count',
    full: 'links.tracking.full',
    none: 'links.tracking.none',
  },
}

/** A value's name; null if it needs none. */
export function valueWord(field: string, value: unknown, i18n: I18n): string | null {
  const words = VALUES[field]
  if (field === 'subject' && !isNothing(value)) return subjectName(value as ShareSubject, i18n)
  if (words === undefined && field !== 'types') return null
  const wordOf = (one: unknown) => {
    if (words === undefined) return typeLabel(String(one), i18n)
    const key = words[String(one)]
    return key === undefined ? String(one) : i18n.t(key)
  }
  if (Array.isArray(value)) return value.length === 0 ? null : i18n.format.list(value.map(wordOf))
  return typeof value === 'string' && words !== undefined && value in words ? wordOf(value) : null
}

/** Whether a field is empty. */
export function isNothing(value: unknown): boolean {
  if (value === null || value === undefined || value === '') return true
  return typeof value === 'object' && Object.keys(value).length === 0
}
