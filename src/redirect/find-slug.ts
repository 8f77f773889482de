import { SPECIAL_PREFIX } from '../model/links/slug.ts'
import { SEQS_PER_WORKSPACE, StorageUnavailable } from '../platform/storage/index.ts'
import type { Resolver, SlugRow } from './resolver.ts'
import type { Visit } from './visit.ts'

type Found = SlugRow | null
/** The part of a visit that identifies its slug. */
type SlugQuery = Pick<Visit, 'requested' | 'domainNo' | 'slugKey'>

/**
 * Finds the link of a path: by its whole slug, else the longest prefix. Sets the visit's slug key.
 * The path of a slug with one segment needs only one look-up.
 */
export function findSlug(
  resolver: Pick<Resolver, 'slug' | 'hasAll'>,
  visit: SlugQuery,
): Found | Promise<Found> {
  const { requested, domainNo } = visit
  visit.slugKey = requested.whole
  if (requested.above.length === 0) return resolver.slug(requested.whole, domainNo)
  let failure: unknown
  const missing = (error: unknown): null => {
    // If all links are cached, a missing one can't hide one that matches everything below it.
    if (!(error instanceof StorageUnavailable) || !resolver.hasAll?.()) throw error
    failure = error
    return null
  }
  const read = (key: string): Found | Promise<Found> => {
    if (key === '') return null
    try {
      const row = resolver.slug(key, domainNo)
      return row instanceof Promise ? row.catch(missing) : row
    } catch (error) {
      return Promise.reject(error).catch(missing)
    }
  }
  const chosen = (found: Found[]) => {
    const row = choose(visit, found)
    if (row === null && failure !== undefined) throw failure
    return row
  }
  const exact = read(requested.whole)
  if (exact !== null && !(exact instanceof Promise) && exact.link_seq !== null) return exact
  const rows = [exact, ...requested.above.map(read)]
  const isPending = rows.some((row) => row instanceof Promise)
  return isPending ? Promise.all(rows).then(chosen) : chosen(rows as Found[])
}

/** Nobody has or had the slug. One that is held for a deleted link is no miss. */
export function isMiss(slug: Found): boolean {
  return slug === null || (slug.link_seq === null && slug.block_id === null && slug.held_by == null)
}

/**
 * A deleted slug stays reserved for its workspace, with everything below a deleted prefix: of the
 * prefixes above it, only those of that workspace match.
 */
function choose(visit: SlugQuery, rows: readonly Found[]): Found {
  const keys = [visit.requested.whole, ...visit.requested.above]
  let heldBy: number | null = null
  for (const [i, row] of rows.entries()) {
    if (row === null || (i > 0 && row.special !== SPECIAL_PREFIX)) continue
    if (row.link_seq !== null || row.block_id !== null) {
      const isOwn =
        heldBy === null || Math.floor((row.link_seq ?? 0) / SEQS_PER_WORKSPACE) === heldBy
      if (!isOwn) return null
      visit.slugKey = keys[i] as string
      return row
    }
    heldBy ??= row.held_by ?? null
  }
  return null
}
