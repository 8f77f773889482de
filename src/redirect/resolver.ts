import type { SPECIAL_PREFIX } from '../model/links/slug.ts'

/** The row of a slug. */
export interface SlugRow {
  /** Null: the link was deleted, the slug reserved. */
  link_seq: number | null
  target_url: string | null
  redirect_status: number
  /** Not 0: the link has conditions; {@link SPECIAL_PREFIX}: it matches all paths below it too. */
  special: number
  /** Not null: the address is blocked. */
  block_id: string | null
  /** The workspace that a slug without a link is reserved for. */
  held_by?: number | null
  /** Null for a link without conditions, or if there is no link. */
  link: LinkRow | null
}

/** What determines a link's destination. */
export interface LinkTarget {
  /** As typed; of the visited address. */
  slug: string
  target_url: string
  redirect_status: number
  forward_query: number
  forward_path: number
  fallback_url: string | null
  /** `full`, `count` or `none`. */
  tracking: string
  /** JSON, see `rules/`; null: none. */
  rules: string | null
  variants: string | null
}

/** A link with conditions. Times are milliseconds since the Unix epoch. */
export interface LinkRow extends LinkTarget {
  seq: number
  enabled: number
  starts_at: number | null
  expires_at: number | null
  max_clicks: number | null
  uses: number
  password_hash: string | null
  /** JSON; see `features/links/rows.ts`. */
  social: string | null
}

/** Whether a link redirects at a time, and if not, why. */
export type Condition = 'open' | ClosedReason
/** Why a link doesn't redirect, other than a block. */
export type ClosedReason = 'disabled' | 'scheduled' | 'expired' | 'exhausted'

/**
 * Finds links for an event-loop turn: between `begin` and `end` all synchronous reads see the same
 * committed state, which is not older than `begin`. All throw StorageUnavailable if it can't be
 * read; `end` must be called even then.
 */
export interface Resolver {
  begin(): void
  /**
   * A promise: it isn't cached and is being queried; it rejects with StorageUnavailable. Its result
   * is valid for the requesting visit, in a later turn.
   */
  slug(slugKey: string, domainNo: number): SlugRow | null | Promise<SlugRow | null>
  end(): void
  /** Whether all links were cached when the database was last read, so that it isn't needed. */
  hasAll?(): boolean
  /** A slug returned by `slug` turned out to be outdated. */
  outdated?(slugKey: string, domainNo: number): void
}
