import type { Database } from 'bun:sqlite'
import { StorageUnavailable } from '../storage/index.ts'
import type { LinkRow, Resolver, SlugRow } from './resolver.ts'
import { idOf } from './slug-cache.ts'

/** Slugs that are remembered between two changes of the database; one takes some 500 bytes. */
const REMEMBERED_MAX = 10_000

/**
 * Reads the embedded database with statements prepared by hand. One transaction for all redirects
 * of a turn: opening and closing a snapshot costs three times what a read inside it does.
 *
 * Slugs are remembered until any other connection commits. SQLite's `data_version` says so in the
 * turn's own snapshot, so the next redirect after an edit obeys it.
 */
export function createEmbeddedResolver(reader: Database): Resolver {
  const begin = reader.prepare('BEGIN')
  const version = reader.prepare<{ data_version: number }, []>('PRAGMA data_version')
  const commit = reader.prepare('COMMIT')
  const bySlug = reader.prepare<Omit<SlugRow, 'link'>, [string, number]>(
    `SELECT link_seq, target_url, redirect_status, special, block_id FROM main.slugs
     WHERE slug_key = ? AND domain_no = ?`,
  )
  const bySeq = reader.prepare<LinkRow, [number]>(
    `SELECT seq, target_url, redirect_status, enabled, forward_query, starts_at,
       expires_at, max_clicks, uses, fallback_url, password_hash
     FROM main.links WHERE seq = ?`,
  )

  function read(slugKey: string, domainNo: number): SlugRow | null {
    const slug = bySlug.get(slugKey, domainNo)
    if (slug === null) return null
    const hasConditions = slug.special !== 0 && slug.link_seq !== null
    return { ...slug, link: hasConditions ? bySeq.get(slug.link_seq as number) : null }
  }

  const remembered = new Map<string, SlugRow | null>()
  let rememberedVersion = -1

  return {
    begin() {
      try {
        begin.run()
        const { data_version } = version.get() as { data_version: number }
        if (data_version === rememberedVersion && remembered.size < REMEMBERED_MAX) return
        rememberedVersion = data_version
        remembered.clear()
      } catch (cause) {
        throw unavailable(cause)
      }
    },
    slug(slugKey, domainNo) {
      const id = idOf(slugKey, domainNo)
      const known = remembered.get(id)
      if (known !== undefined) return known
      try {
        const row = read(slugKey, domainNo)
        remembered.set(id, row)
        return row
      } catch (cause) {
        throw unavailable(cause)
      }
    },
    end() {
      try {
        commit.run()
      } catch {
        // Nothing was written, so nothing is lost; but the next turn must find it closed.
        if (reader.inTransaction) reader.run('ROLLBACK')
      }
    },
  }
}

function unavailable(cause: unknown): StorageUnavailable {
  return new StorageUnavailable('The links can not be read', { cause })
}
