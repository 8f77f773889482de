import type { Selectable } from 'kysely'
import type { SlugName } from '../../model/links/slug.ts'
import type { LinksTable } from '../../platform/storage/index.ts'

/** A row of `links` without its search text. The folder is the one that has the link now. */
export type LinkRow = Omit<Selectable<LinksTable>, 'search_text'> & {
  /** JSON array of strings: the names of `tag_nos`, in the order of their keys. */
  tags: string
  /** The current name of `created_by`; null: it has none. */
  creator_name: string | null
}

/** The counters of a link; null: the click worker has none yet. */
export type Counters = Record<
  'total' | 'human' | 'bot' | 'unique_visitors' | 'last_clicked_at',
  number | null
>

/** A slug on a domain. */
export interface Address extends SlugName {
  domainNo: number
}

/**
 * All addresses of a link. Aliases are stored as typed: only the slug on the link's own domain,
 * `no:slug` if the link was moved away from another domain.
 */
export interface Addresses {
  main: Address
  aliases: Address[]
}

/** A link's possible statuses, by precedence: the first that applies is shown. */
export const STATUSES = [
  'blocked',
  'disabled',
  'expired',
  'exhausted',
  'scheduled',
  'active',
] as const
export type Status = (typeof STATUSES)[number]
