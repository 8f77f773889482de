import { prepare, type Storage } from '../storage/index.ts'
import type { LinkRow, SlugRow } from './resolver.ts'

/** A slug, with the row of its link where that has conditions; both of one moment. */
export interface FoundSlug extends SlugRow {
  link: LinkRow | null
}

const CONDITIONS = [
  'seq',
  'enabled',
  'forward_query',
  'starts_at',
  'expires_at',
  'max_clicks',
  'uses',
  'fallback_url',
  'password_hash',
] as const

type Row = SlugRow & {
  link_target: string | null
  link_status: number | null
} & { [K in (typeof CONDITIONS)[number]]: LinkRow[K] | null }

const bySlug = prepare<{ slugKey: string; domainNo: number }, Row>((db, p) =>
  db
    .selectFrom('slugs as s')
    .leftJoin('links as l', (join) =>
      join.onRef('l.seq', '=', 's.link_seq').on('s.special', '=', 1),
    )
    .select(['s.link_seq', 's.target_url', 's.redirect_status', 's.special', 's.block_id'])
    .select(CONDITIONS.map((name) => `l.${name}` as const))
    .select(['l.target_url as link_target', 'l.redirect_status as link_status'])
    .where('s.slug_key', '=', p.slugKey)
    .where('s.domain_no', '=', p.domainNo),
)

/**
 * Reads a slug from a database that may be on another machine: everything in one round trip.
 * Null: nobody ever had it.
 * @throws StorageUnavailable
 */
export function createFetchSlug(storage: Pick<Storage, 'read'>) {
  return async (slugKey: string, domainNo: number): Promise<FoundSlug | null> => {
    const [row] = await storage.read.run(bySlug, { slugKey, domainNo })
    if (row === undefined) return null
    const { link_seq, target_url, redirect_status, special, block_id } = row
    return { link_seq, target_url, redirect_status, special, block_id, link: linkOf(row) }
  }
}

function linkOf(row: Row): LinkRow | null {
  if (row.seq === null) return null
  const conditions = Object.fromEntries(CONDITIONS.map((name) => [name, row[name]]))
  return {
    ...(conditions as Omit<LinkRow, 'target_url' | 'redirect_status'>),
    target_url: row.link_target as string,
    redirect_status: row.link_status as number,
  }
}
