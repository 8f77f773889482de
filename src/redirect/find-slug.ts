import { SPECIAL_PREFIX } from '../links/slug.ts'
import { SEQS_PER_WORKSPACE, StorageUnavailable } from '../storage/index.ts'
import type { Resolver, SlugRow } from './resolver.ts'
import type { Visit } from './visit.ts'

type Found = SlugRow | null
/** What a visit knows of the slug that it asks for. */
type Asking = Pick<Visit, 'asked' | 'domainNo' | 'slugKey'>

/**
 * Finds what answers a path: the link whose slug is all of it, else the longest prefix. The visit
 * gets the key of that slug. The path of a slug with one segment is one look-up, as it was.
 */
export function findSlug(
  resolver: Pick<Resolver, 'slug' | 'hasAll'>,
  visit: Asking,
): Found | Promise<Found> {
  const { asked, domainNo } = visit
  visit.slugKey = asked.whole
  if (asked.above.length === 0) return resolver.slug(asked.whole, domainNo)
  let failure: unknown
  const missing = (error: unknown): null => {
    // All links are remembered: one that isn't there hides none that answers all below it.
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
  const exact = read(asked.whole)
  if (exact !== null && !(exact instanceof Promise) && exact.link_seq !== null) return exact
  const rows = [exact, ...asked.above.map(read)]
  const isAsked = rows.some((row) => row instanceof Promise)
  return isAsked ? Promise.all(rows).then(chosen) : chosen(rows as Found[])
}

/**
 * What was deleted is held back for its workspace, and so is all below a prefix: of the links
 * above it, only that workspace's answer.
 */
function choose(visit: Asking, rows: readonly Found[]): Found {
  const keys = [visit.asked.whole, ...visit.asked.above]
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
