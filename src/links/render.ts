import type { Fields } from '../audit/index.ts'
import type { Domains } from '../domains/index.ts'
import { foldCase } from '../validation/text.ts'
import { formatTimestamp } from '../validation/timestamp.ts'
import { statusOf } from './status.ts'
import type { Counters, Link, LinkRow, RedirectStatus } from './types.ts'

/** Turns rows into what the API gives out. */
export type RenderLink = (row: LinkRow, counters: Counters | undefined, nowMs: number) => Link

/** Renders links of the domains of this instance. */
export function createRenderer(domains: Domains): RenderLink {
  return (row, counters, nowMs) => ({
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
    status: statusOf(row, nowMs),
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
  })
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

/**
 * What can be changed of a link, as the API gives it out: what the history tells of, and what an
 * earlier version is rebuilt from. Of the password only whether there is one.
 */
export function stateOf(row: LinkRow, domains: Pick<Domains, 'hostOf'>) {
  return {
    destination_url: row.destination_url,
    slug: row.slug,
    aliases: formatAliases(row.aliases, domains),
    domain: domains.hostOf(row.domain_no),
    title: row.title,
    notes: row.notes,
    tags: parseList(row.tags),
    external_id: row.external_id,
    enabled: row.enabled !== 0,
    redirect_status: row.redirect_status,
    forward_query: row.forward_query !== 0,
    starts_at: timeOrNull(row.starts_at),
    expires_at: timeOrNull(row.expires_at),
    max_clicks: row.max_clicks,
    fallback_url: row.fallback_url,
    has_password: row.password_hash !== null,
  }
}

export type LinkState = ReturnType<typeof stateOf>

const COLUMNS: Readonly<Record<keyof LinkState, keyof LinkRow>> = {
  destination_url: 'destination_url',
  slug: 'slug',
  aliases: 'aliases',
  domain: 'domain_no',
  title: 'title',
  notes: 'notes',
  tags: 'tags',
  external_id: 'external_id',
  enabled: 'enabled',
  redirect_status: 'redirect_status',
  forward_query: 'forward_query',
  starts_at: 'starts_at',
  expires_at: 'expires_at',
  max_clicks: 'max_clicks',
  fallback_url: 'fallback_url',
  has_password: 'password_hash',
}
const FIELDS = Object.keys(COLUMNS) as (keyof LinkState)[]

/** What a change of a link is recorded as: the fields whose columns differ. */
export function changesOf(
  before: LinkRow,
  after: LinkRow,
  domains: Pick<Domains, 'hostOf'>,
): { before: Fields; after: Fields } {
  const changed = FIELDS.filter((field) => before[COLUMNS[field]] !== after[COLUMNS[field]])
  return {
    before: pick(stateOf(before, domains), changed),
    after: pick(stateOf(after, domains), changed),
  }
}

function pick(state: LinkState, fields: readonly (keyof LinkState)[]): Fields {
  return Object.fromEntries(fields.map((field) => [field, state[field]]))
}

/** What a new link is recorded as: its address, its destination, and what was chosen for it. */
export function createdAs(row: LinkRow, domains: Pick<Domains, 'hostOf'>): Fields {
  const fields: Record<string, unknown> = { slug: row.slug, destination_url: row.destination_url }
  if (row.domain_no !== 0) fields.domain = domains.hostOf(row.domain_no)
  if (row.aliases !== '[]') fields.aliases = formatAliases(row.aliases, domains)
  if (row.title !== null) fields.title = row.title
  if (row.notes !== null) fields.notes = row.notes
  if (row.tags !== '[]') fields.tags = parseList(row.tags)
  if (row.external_id !== null) fields.external_id = row.external_id
  if (row.enabled === 0) fields.enabled = false
  if (row.redirect_status !== 302) fields.redirect_status = row.redirect_status
  if (row.forward_query !== 0) fields.forward_query = true
  if (row.starts_at !== null) fields.starts_at = timeOrNull(row.starts_at)
  if (row.expires_at !== null) fields.expires_at = timeOrNull(row.expires_at)
  if (row.max_clicks !== null) fields.max_clicks = row.max_clicks
  if (row.fallback_url !== null) fields.fallback_url = row.fallback_url
  if (row.password_hash !== null) fields.has_password = true
  return fields
}

/** A link as the audit log names it. */
export function targetOfEntry({ id, slug }: { id: string; slug: string }) {
  return { type: 'link' as const, id, label: slug }
}
