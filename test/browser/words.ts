import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import en_audit from '../../web/src/i18n/messages/en/audit.json'
import en_auth from '../../web/src/i18n/messages/en/auth.json'
import en_common from '../../web/src/i18n/messages/en/common.json'
import en_domains from '../../web/src/i18n/messages/en/domains.json'
import en_imports from '../../web/src/i18n/messages/en/imports.json'
import en_instance from '../../web/src/i18n/messages/en/instance.json'
import en_jobs from '../../web/src/i18n/messages/en/jobs.json'
import en_keys from '../../web/src/i18n/messages/en/keys.json'
import en_links from '../../web/src/i18n/messages/en/links.json'
import en_members from '../../web/src/i18n/messages/en/members.json'
import en_rules from '../../web/src/i18n/messages/en/rules.json'
import en_settings from '../../web/src/i18n/messages/en/settings.json'
import en_shares from '../../web/src/i18n/messages/en/shares.json'
import en_statistics from '../../web/src/i18n/messages/en/statistics.json'
import en_tags from '../../web/src/i18n/messages/en/tags.json'
import en_usage from '../../web/src/i18n/messages/en/usage.json'
import en_webhooks from '../../web/src/i18n/messages/en/webhooks.json'

const ENGLISH = {
  ...en_audit,
  ...en_auth,
  ...en_common,
  ...en_domains,
  ...en_imports,
  ...en_instance,
  ...en_jobs,
  ...en_keys,
  ...en_links,
  ...en_members,
  ...en_rules,
  ...en_settings,
  ...en_shares,
  ...en_statistics,
  ...en_tags,
  ...en_usage,
  ...en_webhooks,
}

/** A text of the dashboard. */
export type Word = keyof typeof ENGLISH

const FOLDER = resolve(import.meta.dir, '../../web/src/i18n/messages')

/**
 * The dashboard's texts in a language, so that tests name buttons by their key and don't depend on
 * the wording. Only for texts without plurals.
 */
export function wordsOf(language: string) {
  const own: Record<string, string> = {}
  const folder = join(FOLDER, language)
  // A language without translations is shown in English.
  for (const file of existsSync(folder) ? readdirSync(folder) : []) {
    Object.assign(own, JSON.parse(readFileSync(join(folder, file), 'utf8')))
  }
  const isolated = (value: string) => (language === 'ar' ? `\u2068${value}\u2069` : value)
  return (word: Word, values: Readonly<Record<string, string>> = {}): string =>
    (own[word] ?? ENGLISH[word]).replaceAll(/\{(\w+)\}/g, (whole, name) =>
      values[name] === undefined ? whole : isolated(values[name]),
    )
}

/** English texts. */
export const en = wordsOf('en')
