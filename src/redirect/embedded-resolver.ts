import type { Database } from 'bun:sqlite'
import { StorageUnavailable } from '../storage/index.ts'
import type { LinkRow, Resolver, SlugRow } from './resolver.ts'

/**
 * Reads the embedded database with statements prepared by hand. One transaction for all redirects
 * of a turn: opening and closing a snapshot costs three times what a read inside it does.
 */
export function createEmbeddedResolver(reader: Database): Resolver {
  const begin = reader.prepare('BEGIN')
  const commit = reader.prepare('COMMIT')
  const bySlug = reader.prepare<SlugRow, [string, number]>(
    `SELECT link_seq, target_url, redirect_status, special, block_id FROM main.slugs
     WHERE slug_key = ? AND domain_no = ?`,
  )
  const bySeq = reader.prepare<LinkRow, [number]>(
    `SELECT seq, target_url, redirect_status, enabled, forward_query, starts_at,
       expires_at, max_clicks, uses, fallback_url, password_hash
     FROM main.links WHERE seq = ?`,
  )

  return {
    begin() {
      try {
        begin.run()
      } catch (cause) {
        throw unavailable(cause)
      }
    },
    slug(slugKey, domainNo) {
      try {
        return bySlug.get(slugKey, domainNo)
      } catch (cause) {
        throw unavailable(cause)
      }
    },
    link({ link_seq }) {
      if (link_seq === null) return null
      try {
        return bySeq.get(link_seq)
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
