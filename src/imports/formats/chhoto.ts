import type { Format } from './types.ts'
import { countOf } from './values.ts'

/** Chhoto URL: `GET /api/all`, and its table of addresses as CSV. */
export const chhoto: Format = {
  recognizes: (columns) =>
    (columns.has('shortlink') && columns.has('longlink')) ||
    (columns.has('shorturl') && columns.has('longurl') && columns.has('hits')),
  columns: {
    destination_url: ['longlink', 'longurl'],
    slug: ['shortlink', 'shorturl'],
    short_url: [],
    expires_at: ['expirytime'],
    clicks: ['hits'],
    notes: ['notes'],
  },
  adjust(draft, cell) {
    // 0: never.
    if (countOf(cell('expirytime')) === 0) delete draft.link.expires_at
  },
}
