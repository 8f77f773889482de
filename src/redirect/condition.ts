import type { LinkRow } from './resolver.ts'

/** Whether a link leads anywhere at a moment, and if not, why. */
export type Condition = 'open' | 'blocked' | 'disabled' | 'scheduled' | 'expired' | 'exhausted'

/** `now` in milliseconds since the Unix epoch. A link is open from its start up to its end. */
export function conditionOf(link: LinkRow, now: number): Condition {
  if (link.blocked !== 0) return 'blocked'
  if (link.enabled === 0) return 'disabled'
  if (link.starts_at !== null && link.starts_at > now) return 'scheduled'
  if (link.expires_at !== null && link.expires_at <= now) return 'expired'
  if (link.max_clicks !== null && link.uses >= link.max_clicks) return 'exhausted'
  return 'open'
}
