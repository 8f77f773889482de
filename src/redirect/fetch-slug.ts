import { sql } from 'kysely'
import { prepare, type Storage } from '../platform/storage/index.ts'
import type { LinkRow, SlugRow } from './resolver.ts'

/** A slug in a listing. */
export interface ListedSlug extends SlugRow {
  slugKey: string
  domainNo: number
}

/** Slugs of links, page by page, read on demand; the return value: whether they are complete. */
export type SlugPages = AsyncGenerator<ListedSlug[], boolean>

const CONDITIONS = [
  'seq',
  'enabled',
  'forward_query',
  'forward_path',
  'starts_at',
  'expires_at',
  'max_clicks',
  'uses',
  'fallback_url',
  'rules',
  'variants',
  'password_hash',
  'social',
  'tracking',
] as const

/** A row of {@link selectSlugs}. */
export type SelectedSlug = Omit<SlugRow, 'link' | 'held_by'> & {
  held_by: number | null
  slug: string | null
} & {
  [K in (typeof CONDITIONS)[number]]: LinkRow[K] | null
}

type Db = Storage['read']['db']

/** Selects slugs with all that a redirect needs of them. */
export const selectSlugs = (db: Db) =>
  db
    .selectFrom('slugs as s')
    .leftJoin('links as l', (join) =>
      join.onRef('l.seq', '=', 's.link_seq').on('s.special', '<>', 0),
    )
    .select(['s.link_seq', 's.target_url', 's.redirect_status', 's.special', 's.block_id'])
    .select([
      sql<number | null>`CASE WHEN s.link_seq IS NULL THEN s.workspace_no END`.as('held_by'),
      sql<string | null>`CASE WHEN s.special <> 0 THEN s.slug END`.as('slug'),
    ])
    .select(CONDITIONS.map((name) => `l.${name}` as const))

const bySlug = prepare<{ slugKey: string; domainNo: number }, SelectedSlug>((db, p) =>
  selectSlugs(db).where('s.slug_key', '=', p.slugKey).where('s.domain_no', '=', p.domainNo),
)

/**
 * Reads a slug from a database that may be on another machine: everything in one round trip. Null:
 * no workspace ever had it.
 * @throws StorageUnavailable
 */
export function createFetchSlug(storage: Pick<Storage, 'read'>) {
  return async (slugKey: string, domainNo: number): Promise<SlugRow | null> => {
    const [row] = await storage.read.run(bySlug, { slugKey, domainNo })
    return row === undefined ? null : foundOf(row)
  }
}

/** Large enough to make the round trip insignificant, small enough not to delay visits. */
const PAGE_ROWS = 250

/**
 * Lists all slugs of links if there are at most `most`, else those of the most visited links,
 * without their aliases. @throws StorageUnavailable
 */
export async function* listSlugs({ read }: Pick<Storage, 'read'>, most: number): SlugPages {
  // Not from a replica, which may not have changes yet that were read from their list.
  const { db } = read
  const [overflow] = await db
    .selectFrom('slugs')
    .select('slug_key')
    .where('link_seq', 'is not', null)
    .offset(most)
    .limit(1)
    .execute()
  return overflow === undefined ? yield* allSlugs(db) : yield* mostVisited(db, most)
}

async function* allSlugs(db: Db): SlugPages {
  let last = { slug_key: '', domain_no: 0 }
  for (;;) {
    const rows = await selectSlugs(db)
      .select(['s.slug_key', 's.domain_no'])
      .where('s.link_seq', 'is not', null)
      .where(sql<boolean>`(s.slug_key, s.domain_no) > (${last.slug_key}, ${last.domain_no})`)
      .orderBy('s.slug_key')
      .orderBy('s.domain_no')
      .limit(PAGE_ROWS)
      .execute()
    yield rows.map(listedOf)
    const end = rows[PAGE_ROWS - 1]
    if (end === undefined) return true
    last = end
  }
}

async function* mostVisited(db: Db, most: number): SlugPages {
  const links = await db
    .selectFrom('link_counters')
    .select('link_seq')
    .orderBy('total', 'desc')
    .limit(most)
    .execute()
  for (let from = 0; from < links.length; from += PAGE_ROWS) {
    const seqs = links.slice(from, from + PAGE_ROWS).map(({ link_seq }) => link_seq)
    const rows = await selectSlugs(db)
      .innerJoin('links as visited', (join) =>
        join
          .onRef('visited.slug_key', '=', 's.slug_key')
          .onRef('visited.domain_no', '=', 's.domain_no'),
      )
      .select(['s.slug_key', 's.domain_no'])
      .where('visited.seq', 'in', seqs)
      .where('s.link_seq', 'is not', null)
      .execute()
    yield rows.map(listedOf)
  }
  return false
}

function listedOf(row: SelectedSlug & { slug_key: string; domain_no: number }): ListedSlug {
  return { ...foundOf(row), slugKey: row.slug_key, domainNo: row.domain_no }
}

/** A slug's row has the target of its link. */
export function foundOf(row: SelectedSlug): SlugRow {
  const { link_seq, target_url, redirect_status, special, block_id, held_by, slug } = row
  const conditions = Object.fromEntries(CONDITIONS.map((name) => [name, row[name]]))
  const link = row.seq === null ? null : { ...conditions, slug, target_url, redirect_status }
  const found = { link_seq, target_url, redirect_status, special, block_id, held_by }
  return { ...found, link: link as LinkRow | null }
}
