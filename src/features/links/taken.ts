import type { Random } from '../../lib/base/random.ts'
import { AppError, invalid } from '../../lib/errors/index.ts'
import { alternatives, isReserved, SPECIAL_PREFIX } from '../../model/links/slug.ts'
import type { Sql, Transaction } from '../../platform/storage/index.ts'
import type { Address } from './addresses.ts'

/** The workspace and link that have or had a slug, and its block; undefined: it was never used. */
export function slugOwner({ db }: Sql, { key, domainNo }: Address) {
  return db
    .selectFrom('slugs')
    .select(['workspace_no', 'link_seq', 'block_id'])
    .where('slug_key', '=', key)
    .where('domain_no', '=', domainNo)
    .executeTakeFirst()
}

/**
 * How many segments of a slug are a prefix that is, or was until its deletion, another workspace's;
 * else 0. That prefix takes precedence unless a link has the slug itself.
 */
export async function prefixAbove(
  { db }: Sql,
  { key, domainNo }: Pick<Address, 'key' | 'domainNo'>,
  workspaceNo: number,
): Promise<number> {
  const segments = key.split('/')
  if (segments.length === 1) return 0
  const above = segments.slice(1).map((_, i) => segments.slice(0, i + 1).join('/'))
  const prefixes = await db
    .selectFrom('slugs')
    .select(['slug_key', 'workspace_no'])
    .where('slug_key', 'in', above)
    .where('domain_no', '=', domainNo)
    .where('special', '=', SPECIAL_PREFIX)
    .execute()
  const longest = prefixes.sort((a, b) => b.slug_key.length - a.slug_key.length)[0]
  if (longest === undefined || longest.workspace_no === workspaceNo) return 0
  return longest.slug_key.split('/').length
}

const SUGGESTIONS = 3

/** The error for a slug that is in use, with suggestions, or that is blocked. */
export async function slugTaken(
  random: Random,
  tx: Transaction,
  taken: Address,
  field: 'slug' | 'aliases',
  workspaceNo: number,
): Promise<AppError> {
  if ((await slugOwner(tx, taken))?.block_id) {
    return invalid({ field, code: 'SLUG_BLOCKED' })
  }
  return new AppError('SLUG_TAKEN', {
    suggestions: await freeSlugs(random, tx, taken, workspaceNo),
    details: field === 'aliases' ? [{ field, code: 'SLUG_TAKEN' }] : undefined,
  })
}

/** Unused slugs similar to one in use, not below another workspace's prefix. */
export async function freeSlugs(
  random: Random,
  sqlx: Sql,
  { slug, key, domainNo }: Address,
  workspaceNo: number,
): Promise<string[]> {
  const prefix = await prefixAbove(sqlx, { key, domainNo }, workspaceNo)
  for (const suggestions: string[] = []; ; ) {
    const candidates = alternatives(slug, random, prefix || undefined)
    const known = await sqlx.db
      .selectFrom('slugs')
      .select('slug_key')
      .where('domain_no', '=', domainNo)
      .where(
        'slug_key',
        'in',
        // The key on case-sensitive domains, and the one on others.
        candidates.flatMap(({ slug, key }) => [slug, key]),
      )
      .execute()
    const keys = new Set(known.map((row) => row.slug_key))
    for (const one of candidates) {
      if (keys.has(one.slug) || keys.has(one.key) || isReserved(one.slug, domainNo)) continue
      if ((await prefixAbove(sqlx, { key: one.key, domainNo }, workspaceNo)) > 0) continue
      suggestions.push(one.slug)
    }
    if (suggestions.length >= SUGGESTIONS) return suggestions.slice(0, SUGGESTIONS)
  }
}
