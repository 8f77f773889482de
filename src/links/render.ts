import type { BlockList } from '../blocks/list.ts'
import type { Domains } from '../domains/index.ts'
import { foldCase } from '../validation/text.ts'
import { formatTimestamp } from '../validation/timestamp.ts'
import { blockOf, statusOf } from './status.ts'
import type { Counters, LinkRow } from './store.ts'
import type { Link, RedirectStatus } from './types.ts'

/** Turns rows into what the API gives out. */
export type RenderLink = (row: LinkRow, counters: Counters | undefined, nowMs: number) => Link

/** Renders links of the domains of this instance. */
export function createRenderer(domains: Domains, blocks: BlockList): RenderLink {
  return (row, counters, nowMs) => {
    const block = blockOf(row) ?? blocks.covering(row)
    return {
      id: row.id,
      destination_url: row.destination_url,
      slug: row.slug,
      aliases: formatAliases(row.aliases, domains),
      domain: domains.hostOf(row.domain_no),
      short_url: domains.shortUrl(row.domain_no, row.slug),
      title: row.title,
      notes: row.notes,
      tags: parseList(row.tags),
      external_id: row.external_id,
      enabled: row.enabled !== 0,
      status: statusOf(row, block !== null, nowMs),
      block: block && { reason: block.reason, at: timeOrNull(block.at) },
      redirect_status: row.redirect_status as RedirectStatus,
      forward_query: row.forward_query !== 0,
      starts_at: timeOrNull(row.starts_at),
      expires_at: timeOrNull(row.expires_at),
      max_clicks: row.max_clicks,
      fallback_url: row.fallback_url,
      has_password: row.password_hash !== null,
      clicks: {
        total: counters?.total ?? 0,
        human: counters?.human ?? 0,
        bot: counters?.bot ?? 0,
        unique: counters?.unique_visitors ?? 0,
      },
      last_clicked_at: timeOrNull(counters?.last_clicked_at ?? null),
      created_at: formatTimestamp(row.created_at),
      updated_at: formatTimestamp(row.updated_at),
      version: row.version,
    }
  }
}

/** A timestamp as it is given out. */
export function timeOrNull(ms: number | null): string | null {
  return ms === null ? null : formatTimestamp(ms)
}

/** A list of strings as `tags` and `aliases` are stored. */
export function parseList(json: string): string[] {
  return json === '[]' ? [] : (JSON.parse(json) as string[])
}

/** The keys of stored tags, by which links are found. */
export function tagKeys(json: string): Set<string> {
  return new Set(parseList(json).map(foldCase))
}

/** Stored aliases as they are given out. */
export function formatAliases(json: string, domains: Pick<Domains, 'hostOf'>): string[] {
  return parseList(json).map((alias) => showAlias(alias, domains))
}

function showAlias(alias: string, domains: Pick<Domains, 'hostOf'>): string {
  const slash = alias.indexOf('/')
  if (slash === -1) return alias
  return `${domains.hostOf(Number(alias.slice(0, slash)))}/${alias.slice(slash + 1)}`
}
