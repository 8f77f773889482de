import { sql } from 'kysely'
import { invalid } from '../../lib/errors/index.ts'
import { slugKey } from '../../model/links/slug.ts'
import { bySql, raiseRevision, type Transaction } from '../../platform/storage/index.ts'
import { deleteSlug, slugChanged } from './addresses.ts'

/** The most slugs re-keyed in one transaction, because other writes wait for it. */
const REKEYED_MAX = 5_000
/** Slugs looked up per query. */
const STEP = 500
/** The most pairs named in an error. */
const NAMED_MAX = 3

type Row = Awaited<ReturnType<typeof affected>>[number]

/** Keys of lower-case slugs stay the same; other characters may have another case. */
const IS_MIXED = bySql({
  sqlite: sql<boolean>`slug_key GLOB '*[^-a-z0-9_./~]*'`,
  postgres: sql<boolean>`slug_key ~ '[^-a-z0-9_./~]'`,
})

/**
 * Changes the keys of a domain's slugs when its case-sensitivity changes. Slugs held for deleted
 * links give way to those of links.
 * @throws AppError VALIDATION_FAILED (SLUGS_COLLIDE, TOO_MANY)
 */
export async function rekeySlugs(
  tx: Transaction,
  domainNo: number,
  isCaseSensitive: boolean,
): Promise<void> {
  const rows = await affected(tx, domainNo, isCaseSensitive)
  if (rows.length > REKEYED_MAX) {
    throw invalid({ field: 'case_sensitive', code: 'TOO_MANY', params: { max: REKEYED_MAX } })
  }
  const byKey = new Map<string, Row[]>()
  for (const row of rows) {
    const key = slugKey(row.slug, isCaseSensitive)
    const same = byKey.get(key)
    if (same === undefined) byKey.set(key, [row])
    else same.push(row)
  }
  // Except those that have the new keys already.
  const changing = new Set(rows.map(({ slug_key }) => slug_key))
  const keys = [...byKey.keys()].filter((key) => !changing.has(key))
  for (let i = 0; i < keys.length; i += STEP) {
    const there = await slugs(tx, domainNo)
      .where('slug_key', 'in', keys.slice(i, i + STEP))
      .execute()
    for (const row of there) byKey.get(row.slug_key)?.push(row)
  }
  assertDistinct(byKey)
  // Blocked prefixes are known by their keys.
  await raiseRevision(tx, 'blocks')
  for (const [key, same] of byKey) {
    const kept = same.find(isTaken) ?? (same[0] as Row)
    for (const row of same) if (row !== kept) await deleteSlug(tx, { key: row.slug_key, domainNo })
    if (kept.slug_key !== key) await rename(tx, domainNo, kept, key)
  }
}

function slugs({ db }: Transaction, domainNo: number) {
  return db
    .selectFrom('slugs')
    .select(['slug', 'slug_key', 'link_seq', 'block_id'])
    .where('domain_no', '=', domainNo)
}

function affected(tx: Transaction, domainNo: number, isCaseSensitive: boolean) {
  const test = isCaseSensitive ? sql<boolean>`slug_key <> slug` : IS_MIXED
  return slugs(tx, domainNo)
    .where(test)
    .limit(REKEYED_MAX + 1)
    .execute()
}

/** It has a link, or is blocked. */
function isTaken({ link_seq, block_id }: Row): boolean {
  return link_seq !== null || block_id !== null
}

function assertDistinct(byKey: ReadonlyMap<string, readonly Row[]>): void {
  const pairs = [...byKey.values()]
    .map((same) => same.filter(isTaken).map(({ slug }) => slug))
    .filter((taken) => taken.length > 1)
    .slice(0, NAMED_MAX)
  if (pairs.length === 0) return
  const named = pairs.map((pair) => pair.join(' = ')).join(', ')
  throw invalid({ field: 'case_sensitive', code: 'SLUGS_COLLIDE', params: { slugs: named } })
}

async function rename(
  tx: Transaction,
  domainNo: number,
  { slug_key: before, link_seq }: Row,
  after: string,
): Promise<void> {
  const renamed = { slug_key: after }
  await tx.db
    .updateTable('slugs')
    .set(renamed)
    .where('slug_key', '=', before)
    .where('domain_no', '=', domainNo)
    .execute()
  if (link_seq !== null) {
    await tx.db
      .updateTable('links')
      .set(renamed)
      .where('seq', '=', link_seq)
      .where('domain_no', '=', domainNo)
      .where('slug_key', '=', before)
      .execute()
  }
  for (const key of [before, after]) slugChanged(tx, { key, domainNo })
}
