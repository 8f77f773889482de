import type { I18n, MessageKey } from '../../i18n/index.tsx'
import type { Webhook } from './queries.ts'

/** Headings of the kinds of types, in the order of the form. */
const KINDS: Readonly<Record<string, MessageKey>> = {
  link: 'shell.links',
  clicks: 'links.clicks',
  tag: 'tags.title',
  folder: 'folders.title',
  domain: 'usage.domains',
  key: 'shell.keys',
  member: 'shell.members',
  import: 'jobs.kind.import',
  usage: 'shell.usage',
  webhook: 'webhooks.title',
}

/** Types by what they are about; kinds that we don't know come last. */
export function groupsOf(types: readonly string[], { t }: I18n) {
  const groups = Map.groupBy(types, (type) => type.split('.', 1)[0] ?? '')
  const kinds = [...new Set([...Object.keys(KINDS), ...groups.keys()])]
  return kinds.flatMap((kind) => {
    const members = groups.get(kind)
    const key = KINDS[kind]
    return members === undefined
      ? []
      : [{ kind, label: key === undefined ? kind : t(key), members }]
  })
}

/** Why a webhook sends nothing, or since when it fails; null: it works. */
export function troubleOf(webhook: Webhook, { t, format }: I18n): string | null {
  const { disabled_reason: reason, failing_since: since } = webhook
  if (reason !== null) return t(`webhooks.reason.${reason}`)
  return since === null ? null : t('webhooks.failing', { date: format.dateTime(since) })
}
