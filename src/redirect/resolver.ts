import type { SPECIAL_PREFIX } from '../links/slug.ts'

/** What a slug leads to. */
export interface SlugRow {
  /** Null: the link is gone, the slug held back. */
  link_seq: number | null
  target_url: string | null
  redirect_status: number
  /** Not 0: the link has conditions; {@link SPECIAL_PREFIX}: it answers all below the slug too. */
  special: number
  /** Not null: the address is blocked. */
  block_id: string | null
  /** The workspace that a slug without a link is held back for. */
  held_by?: number | null
  /** Null for a link without conditions, and when there is no link. */
  link: LinkRow | null
}

/** What says where a link leads. */
export interface Destined {
  /** As typed; of the address that is visited. */
  slug: string
  target_url: string
  redirect_status: number
  forward_query: number
  forward_path: number
  fallback_url: string | null
  /** `full`, `count` or `none`. */
  tracking: string
  /** JSON, see `rules/`; null: there are none. */
  rules: string | null
  variants: string | null
}

/** A link with conditions. Times are milliseconds since the Unix epoch. */
export interface LinkRow extends Destined {
  seq: number
  enabled: number
  starts_at: number | null
  expires_at: number | null
  max_clicks: number | null
  uses: number
  password_hash: string | null
  /** JSON; see `links/rows.ts`. */
  social: string | null
}

/** Whether a link leads anywhere at a moment, and if not, why. */
export type Condition = 'open' | Closed
/** Why a link leads nowhere, besides a block. */
export type Closed = 'disabled' | 'scheduled' | 'expired' | 'exhausted'

/**
 * Finds links for one turn of the event loop: between `begin` and `end` all reads that are answered
 * at once see the same committed state, which is not older than `begin`. All throw
 * StorageUnavailable when it can't be read; after that, too, `end` must be called.
 */
export interface Resolver {
  begin(): void
  /**
   * A promise: it isn't known here and is being asked for; it rejects with StorageUnavailable. Its
   * result is valid for the visit that asked, in a later turn.
   */
  slug(slugKey: string, domainNo: number): SlugRow | null | Promise<SlugRow | null>
  end(): void
  /** Whether every link was remembered when the database was last read, so that it needn't answer. */
  hasAll?(): boolean
  /** A slug that `slug` returned is known to be outdated. */
  outdated?(slugKey: string, domainNo: number): void
}
