import type { Fields } from '../audit/index.ts'
import type { Link } from './schemas.ts'

/**
 * A link in events: without the figures of its clicks, which change without an event, and without
 * the name of the person who made it, which can be erased.
 */
export function eventObjectOf(link: Link): Fields {
  const { clicks: _, last_clicked_at: __, created_by: maker, ...object } = link
  const isPerson = maker?.type === 'user'
  return { ...object, created_by: isPerson ? { type: maker.type, id: maker.id } : maker }
}
