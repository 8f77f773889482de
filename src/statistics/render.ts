import type { Domains } from '../domains/index.ts'
import { formatTimestamp } from '../validation/timestamp.ts'
import type { ClickView } from './schemas.ts'
import type { ClickPosition, StoredClick } from './types.ts'

/** A click as the API gives it out; `link`: the id of its link, null when that is gone. */
export function renderClick(
  click: StoredClick,
  link: string | null,
  domains: Pick<Domains, 'hostOf'>,
): ClickView {
  return {
    id: idOf(click),
    clicked_at: formatTimestamp(click.time),
    link,
    domain: domains.hostOf(click.domainNo),
    kind: click.kind,
    reason: click.reason,
    trigger: click.trigger,
    country: click.country,
    region: click.region,
    city: click.city,
    language: click.language,
    referrer: click.referrer,
    referrer_path: click.referrer_path,
    device: click.device,
    browser: click.browser,
    os: click.os,
    utm_source: click.utm_source,
    utm_medium: click.utm_medium,
    utm_campaign: click.utm_campaign,
    utm_term: click.utm_term,
    utm_content: click.utm_content,
  }
}

/** The id of a click: its place in time. */
export function idOf({ time, n }: ClickPosition): string {
  return `${time}-${n}`
}

// On many nodes the second number is the node's, too: below 2^53.
const ID = /^(\d{1,15})-(\d{1,16})$/

/** The place that an id says; undefined: it is none. */
export function positionOf(id: string): ClickPosition | undefined {
  const parts = ID.exec(id)
  return parts === null ? undefined : { time: Number(parts[1]), n: Number(parts[2]) }
}
