import type { Random } from '../../lib/base/random.ts'
import { AppError, invalid } from '../../lib/errors/index.ts'
import { prefixesOf } from '../../model/blocks/list.ts'
import { alternatives, isReserved, SPECIAL_PREFIX } from '../../model/links/slug.ts'
import type { Sql, Transaction } from '../../platform/storage/index.ts'
import type { Address } from './row.ts'

/** The workspace and link that have or had a slug, and its block; undefined: it was never used. */
export function slugOwner({ db }: Sql, { key, domainNo }: Address) {
  return db
    .selectFrom('slugs')
    .select(['workspace_no', 'link_seq', 'block_id'])
    .where('slug_key', '=', key)
    .where('domain_no', '=', domainNo)
    .executeTakeFirst()
}

/** What the prefixes above a slug mean for a workspace that wants the slug. */
interface Above {
  /**
   * How many segments are a prefix that is, or was until its deletion, another workspace's; else 0.
   * That prefix takes precedence unless a link has the slug itself.
   */
  foreign: number
  /** A prefix of the workspace that is blocked with everything below it. */
  blockId: string | null
}

const NOTHING_ABOVE: Above = { foreign: 0, blockId: null }

/** The prefixes above a slug. */
export async function prefixesAbove(
  { db }: Sql,
  { key, domainNo }: Pick<Address, 'key' | 'domainNo'>,
  workspaceNo: number,
): Promise<Above> {
  const above = prefixesOf(key)
  if (above.length === 0) return NOTHING_ABOVE
  const prefixes = await db
    .selectFrom('slugs')
    .select(['slug_key', 'workspace_no', 'block_id'])
    .where('slug_key', 'in', above)
    .where('domain_no', '=', domainNo)
    .where('special', '=', SPECIAL_PREFIX)
    .execute()
  const longest = prefixes.sort((a, b) => b.slug_key.length - a.slug_key.length)[0]
  if (longest === undefined) return NOTHING_ABOVE
  const isOwn = longest.workspace_no === workspaceNo
  const own = prefixes.filter(({ workspace_no }) => workspace_no === workspaceNo)
  return {
    foreign: isOwn ? 0 : longest.slug_key.split('/').length,
    blockId: own.find(({ block_id }) => block_id !== null)?.block_id ?? null,
  }
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
  const isBlocked =
    (await slugOwner(tx, taken))?.block_id ||
    (await prefixesAbove(tx, taken, workspaceNo)).blockId !== null
  if (isBlocked) {
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
  const prefix = (await prefixesAbove(sqlx, { key, domainNo }, workspaceNo)).foreign
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
      if ((await prefixesAbove(sqlx, { key: one.key, domainNo }, workspaceNo)).foreign > 0) continue
      suggestions.push(one.slug)
    }
    if (suggestions.length >= SUGGESTIONS) return suggestions.slice(0, SUGGESTIONS)
  }
}
