import { invalid } from '../../lib/errors/index.ts'
import { foldCase, foldForSearch } from '../../lib/validation/text.ts'
import { formatTimestamp } from '../../lib/validation/timestamp.ts'
import { ValidationIssue } from '../../lib/validation/validation-issue.ts'
import type { BlockList, LinkBlock } from '../../model/blocks/list.ts'
import type { Domains } from '../../model/domains/index.ts'
import { formatAlias, SPECIAL_PREFIX } from '../../model/links/slug.ts'
import { checkTags, type Destination, isTemplate } from '../../model/links/values.ts'
import type { Rule, Variant } from '../../redirect/rules/index.ts'
import type { Fields } from '../audit/index.ts'
import { creatorOf } from './creator.ts'
import type { LinkRules, PreparedPatch } from './fields.ts'
import type { Addresses, Counters, LinkRow, Status } from './row.ts'
import type { Link, RedirectStatus, Tracking } from './schemas.ts'
import { UTM_FIELDS, type Utm, utmOf, withUtm } from './utm.ts'

type Hosts = Pick<Domains, 'hostOf' | 'knows'>

/** A row with the fields of a patch except its addresses; absent fields stay. */
export function withFields(before: LinkRow, patch: PreparedPatch): LinkRow {
  const row = { ...before }
  const set = <C extends keyof LinkRow>(column: C, value: LinkRow[C] | undefined) => {
    if (value !== undefined) row[column] = value
  }
  const { destination_url: destination, tags, fallback_url: fallback } = patch
  set('destination_url', destination?.given)
  set('target_url', destination?.target)
  set('title', patch.title)
  set('notes', patch.notes)
  set('tags', tags && JSON.stringify(tags.map(({ tag }) => tag)))
  set('folder_id', patch.folder_id)
  set('archived', flagOf(patch.archived))
  set('external_id', patch.external_id)
  set('enabled', flagOf(patch.enabled))
  set('redirect_status', patch.redirect_status)
  set('forward_query', flagOf(patch.forward_query))
  set('forward_path', flagOf(patch.forward_path))
  set('match_prefix', patch.match === undefined ? undefined : Number(patch.match === 'prefix'))
  set('starts_at', patch.starts_at)
  set('expires_at', patch.expires_at)
  set('max_clicks', patch.max_clicks)
  set('fallback_url', fallback === null ? null : fallback?.given)
  set('rules', storedList(patch.rules))
  set('variants', storedList(patch.variants))
  set('password_hash', patch.password_hash)
  set('imported_clicks', patch.imported_clicks)
  set('social', withSocial(before.social, patch.social))
  set('tracking', patch.tracking)
  return row
}

function flagOf(value: boolean | null | undefined): number | undefined {
  return value === undefined ? undefined : Number(value)
}

/** A list whose column is null when it is empty. */
function storedList(list: readonly unknown[] | null | undefined): string | null | undefined {
  return list?.length === 0 ? null : list && JSON.stringify(list)
}

/** The link's preview in messages; null: the destination's own. */
export interface Social {
  title: string | null
  description: string | null
  image_url: string | null
}

/** A change of the preview: absent members stay, null clears. */
type SocialPatch = Partial<Record<'title' | 'description', string | null | undefined>> & {
  image_url?: Destination | null | undefined
}

/** The stored preview after a change. */
function withSocial(
  stored: string | null,
  patch: SocialPatch | null | undefined,
): string | null | undefined {
  if (patch === undefined || patch === null) return patch
  const before = socialOf(stored) ?? { title: null, description: null, image_url: null }
  const { title = before.title, description = before.description, image_url: image } = patch
  const image_url = image === undefined ? before.image_url : (image?.given ?? null)
  if (title === null && description === null && image_url === null) return null
  return JSON.stringify({ title, description, image_url } satisfies Social)
}

/** The preview as it is stored. */
export function socialOf(stored: string | null): Social | null {
  return stored === null ? null : (JSON.parse(stored) as Social)
}

/**
 * A patch with its `utm` parameters applied to its destination.
 * @throws AppError VALIDATION_FAILED if the URL becomes too long
 */
export function withUtmFields<F extends PreparedPatch>(
  { rules }: { rules: LinkRules },
  patch: F,
  stored: string,
): F {
  const { utm, destination_url: destination } = patch
  if (utm === undefined) return patch
  const before = destination?.given ?? stored
  const after = withUtm(before, utm ?? NO_UTM)
  if (after === before) return patch
  const checked = rules.checkUrl(after)
  if (!(checked instanceof ValidationIssue)) return { ...patch, destination_url: checked }
  throw invalid(checked.of('utm'))
}

/** All five removed. */
const NO_UTM = Object.fromEntries(UTM_FIELDS.map((field) => [field, null])) as Utm

/**
 * A patch whose tags depend on the current ones, with those that the link gets.
 * @throws AppError VALIDATION_FAILED (TOO_MANY)
 */
export function withTagChanges(patch: PreparedPatch, { tags: stored }: LinkRow): PreparedPatch {
  const { add_tags: added = [], remove_tags: removed = [], ...rest } = patch
  if (added.length + removed.length === 0) return rest
  const gone = new Set(removed.map(({ key }) => key))
  const had = parseList(stored).map((tag) => ({ tag, key: foldCase(tag) }))
  const tags = checkTags([...had.filter(({ key }) => !gone.has(key)), ...added])
  if (tags instanceof ValidationIssue) throw invalid(tags.of('tags'))
  return { ...rest, tags }
}

/** A row with other addresses. */
export function withAddresses(row: LinkRow, { main, aliases }: Addresses): LinkRow {
  const stored = aliases.map(({ slug, domainNo }) =>
    domainNo === main.domainNo ? slug : `${domainNo}:${slug}`,
  )
  const { domainNo: domain_no, slug, key: slug_key } = main
  return { ...row, domain_no, slug, slug_key, aliases: JSON.stringify(stored) }
}

/**
 * The changeable fields of a link, as the API returns them: recorded in the history, and used to
 * restore a version. For the password only whether there is one.
 */
export function stateOf(row: LinkRow, domains: Hosts) {
  return {
    destination_url: row.destination_url,
    slug: row.slug,
    aliases: formatAliases(row, domains),
    domain: domains.hostOf(row.domain_no),
    title: row.title,
    notes: row.notes,
    tags: parseList(row.tags),
    folder_id: row.folder_id,
    archived: row.archived !== 0,
    external_id: row.external_id,
    enabled: row.enabled !== 0,
    redirect_status: row.redirect_status as RedirectStatus,
    forward_query: row.forward_query !== 0,
    match: row.match_prefix !== 0 ? ('prefix' as const) : ('exact' as const),
    forward_path: row.forward_path !== 0,
    starts_at: formatTimestamp(row.starts_at),
    expires_at: formatTimestamp(row.expires_at),
    max_clicks: row.max_clicks,
    fallback_url: row.fallback_url,
    rules: parseList<Rule>(row.rules),
    variants: parseList<Variant>(row.variants),
    has_password: row.password_hash !== null,
    social: socialOf(row.social),
    tracking: row.tracking as Tracking,
  }
}

/** Fields whose columns have other names. */
const COLUMNS: Partial<Record<string, keyof LinkRow>> = {
  domain: 'domain_no',
  match: 'match_prefix',
  has_password: 'password_hash',
}

/** The audit record of a change: the fields whose columns differ. */
export function changesOf(
  before: LinkRow,
  after: LinkRow,
  domains: Hosts,
): { before: Fields; after: Fields } {
  return {
    before: differing(before, after, stateOf(before, domains)),
    after: differing(after, before, stateOf(after, domains)),
  }
}

/** Of a row's state, or of the whole link, the fields whose columns differ from another row's. */
export function differing(row: LinkRow, other: LinkRow, state: Fields): Fields {
  const fields: Record<string, unknown> = {}
  for (const field in state) {
    const column = COLUMNS[field] ?? (field as keyof LinkRow)
    if (row[column] !== other[column]) fields[field] = state[field]
  }
  return fields
}

/** A link as the target of an audit entry. */
export function targetOfEntry({ id, slug }: { id: string; slug: string }) {
  return { type: 'link' as const, id, label: slug }
}

/** Converts rows to the API's links. */
export type RenderLink = (row: LinkRow, counters: Counters | undefined, nowMs: number) => Link

/** Renders links of the domains of this instance. */
export function createRenderer(
  domains: Pick<Domains, 'hostOf' | 'knows' | 'shortUrl'>,
  blocks: Pick<BlockList, 'covering'>,
): RenderLink {
  return (row, counters, nowMs) => {
    const block = blockOf(row) ?? blocks.covering(row)
    return {
      id: row.id,
      ...stateOf(row, domains),
      utm: utmOf(row.destination_url),
      short_url: domains.shortUrl(row.domain_no, row.slug),
      status: statusOf(row, block !== null, nowMs),
      block: block && { reason: block.reason, blocked_at: formatTimestamp(block.at) },
      clicks: {
        total: counters?.total ?? 0,
        human: counters?.human ?? 0,
        bot: counters?.bot ?? 0,
        unique: counters?.unique_visitors ?? 0,
        imported: row.imported_clicks,
      },
      last_clicked_at: formatTimestamp(counters?.last_clicked_at ?? null),
      created_by: creatorOf(row),
      created_at: formatTimestamp(row.created_at),
      updated_at: formatTimestamp(row.updated_at),
      version: row.version,
    }
  }
}

/** A stored list; null is an empty one. */
export function parseList<T = string>(json: string | null): T[] {
  return json === null || json === '[]' ? [] : (JSON.parse(json) as T[])
}

function formatAliases(row: LinkRow, domains: Hosts): string[] {
  return parseList(row.aliases).map((text) => {
    const [slug = '', no = row.domain_no] = text.split(':').reverse()
    return formatAlias({ slug, domainNo: Number(no) }, row, domains)
  })
}

/** The searched text, besides tags. Parts contain no line break, so no term matches across two. */
export function searchText(
  link: Pick<LinkRow, 'slug' | 'destination_url' | 'title' | 'external_id'>,
): string {
  const { slug, destination_url: url, title, external_id: externalId } = link
  const parts = [slug, url, title, externalId]
  return foldForSearch(parts.filter((part) => part !== null).join('\n'))
}

/** The block of a link's own addresses. */
export function blockOf({ block }: { block: string | null }): LinkBlock | null {
  return block === null ? null : (JSON.parse(block) as LinkBlock)
}

/** A link's data in the rows of its slugs. If special, the redirect reads the link's row too. */
export function targetOf(row: LinkRow) {
  const { workspace_no, seq, target_url, redirect_status } = row
  const block = blockOf(row)
  const isPrefix = row.match_prefix !== 0 || block?.prefix === true
  const isSpecial =
    row.enabled === 0 ||
    row.forward_query !== 0 ||
    row.starts_at !== null ||
    row.expires_at !== null ||
    row.max_clicks !== null ||
    row.rules !== null ||
    row.variants !== null ||
    row.password_hash !== null ||
    row.social !== null ||
    row.tracking !== 'full' ||
    isTemplate(target_url)
  return {
    workspace_no,
    link_seq: seq,
    target_url,
    redirect_status,
    special: isPrefix ? SPECIAL_PREFIX : Number(isSpecial),
    block_id: block?.id ?? null,
  }
}

/** The status of a link at a time; the same as `statusSql` in the database. */
export function statusOf(link: LinkRow, isBlocked: boolean, nowMs: number): Status {
  if (isBlocked) return 'blocked'
  if (link.enabled === 0) return 'disabled'
  if (link.expires_at !== null && link.expires_at <= nowMs) return 'expired'
  if (link.max_clicks !== null && link.uses >= link.max_clicks) return 'exhausted'
  if (link.starts_at !== null && link.starts_at > nowMs) return 'scheduled'
  return 'active'
}
