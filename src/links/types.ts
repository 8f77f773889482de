import type { LinksTable } from '../storage/index.ts'
import type { SlugName } from './slug.ts'
import type { Status } from './status.ts'
import type { Destination } from './url.ts'

/** A row of `links` as it is read back, without what only the search looks through. */
export type LinkRow = Omit<LinksTable, 'blocked' | 'uses' | 'search_text'> & {
  blocked: number
  uses: number
}
/** What the click worker counted of a link; null before it came to it. */
export interface Counters {
  total: number | null
  human: number | null
  bot: number | null
  unique_visitors: number | null
  last_clicked_at: number | null
}

/** Statuses that a redirect may have. */
export const REDIRECT_STATUSES = [301, 302, 307, 308] as const
export type RedirectStatus = (typeof REDIRECT_STATUSES)[number]

/** A link as the API gives it out. Timestamps are RFC 3339 in UTC with milliseconds. */
export interface Link {
  id: string
  destination_url: string
  slug: string
  /** Slugs of the link's own domain, and `host/slug` where it stayed behind on another one. */
  aliases: string[]
  domain: string
  short_url: string
  title: string | null
  notes: string | null
  tags: string[]
  external_id: string | null
  enabled: boolean
  status: Status
  redirect_status: RedirectStatus
  forward_query: boolean
  starts_at: string | null
  expires_at: string | null
  max_clicks: number | null
  fallback_url: string | null
  has_password: boolean
  clicks: { total: number; human: number; bot: number; unique: number }
  last_clicked_at: string | null
  created_at: string
  updated_at: string
  version: number
}

/** A tag as typed, and the key that makes it unique within a link. */
export interface Tag {
  tag: string
  key: string
}

/** A further slug; without a domain it is on the link's own. */
export interface AliasInput extends SlugName {
  domainNo?: number
}

/** What can be written of a link, checked: times in milliseconds, null where it is cleared. */
export interface LinkFields {
  destination_url?: Destination | undefined
  slug?: SlugName | undefined
  aliases?: readonly AliasInput[] | undefined
  /** The domain's number. */
  domain?: number | undefined
  title?: string | null | undefined
  notes?: string | null | undefined
  tags?: Tag[] | undefined
  external_id?: string | null | undefined
  enabled?: boolean | undefined
  redirect_status?: RedirectStatus | undefined
  forward_query?: boolean | undefined
  starts_at?: number | null | undefined
  expires_at?: number | null | undefined
  max_clicks?: number | null | undefined
  fallback_url?: Destination | null | undefined
  password?: string | null | undefined
}

/** The checked body of a creation. */
export type CreateFields = LinkFields & { destination_url: Destination }
/** The checked body of a change; what is absent stays. */
export type PatchFields = LinkFields

/** With the password hashed, so that a transaction needs no time for it. */
export type Prepared<F extends LinkFields> = Omit<F, 'password'> & {
  password_hash?: string | null | undefined
}
export type PreparedCreate = Prepared<CreateFields>
export type PreparedPatch = Prepared<PatchFields>
