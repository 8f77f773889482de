import type { Fields } from '../audit/index.ts'
import type { Link } from './schemas.ts'

/** A link in events: without the figures of its clicks, which change without an event. */
export function eventObjectOf({ clicks: _, last_clicked_at: __, ...object }: Link): Fields {
  return object
}
