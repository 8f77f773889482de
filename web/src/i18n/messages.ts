import type audit from './messages/en/audit.json'
import type auth from './messages/en/auth.json'
import type common from './messages/en/common.json'
import type domains from './messages/en/domains.json'
import type imports from './messages/en/imports.json'
import type instance from './messages/en/instance.json'
import type jobs from './messages/en/jobs.json'
import type keys from './messages/en/keys.json'
import type links from './messages/en/links.json'
import type members from './messages/en/members.json'
import type rules from './messages/en/rules.json'
import type settings from './messages/en/settings.json'
import type shares from './messages/en/shares.json'
import type statistics from './messages/en/statistics.json'
import type tags from './messages/en/tags.json'
import type usage from './messages/en/usage.json'
import type webhooks from './messages/en/webhooks.json'

/** Every key of the English files; each feature has a file of its own. */
export type MessageKey =
  | keyof typeof common
  | keyof typeof links
  | keyof typeof rules
  | keyof typeof statistics
  | keyof typeof keys
  | keyof typeof members
  | keyof typeof audit
  | keyof typeof usage
  | keyof typeof webhooks
  | keyof typeof settings
  | keyof typeof auth
  | keyof typeof instance
  | keyof typeof domains
  | keyof typeof tags
  | keyof typeof imports
  | keyof typeof jobs
  | keyof typeof shares

export type Messages = Readonly<Record<MessageKey, string>>
