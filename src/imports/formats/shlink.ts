import type { Format } from './types.ts'
import { countOf } from './values.ts'

/** Shlink: the export of its web client, and short URLs of REST API v3. */
export const shlink: Format = {
  recognizes: (columns) => columns.has('shortcode') && columns.has('longurl'),
  columns: {
    slug: ['shortcode'],
    clicks: ['visits', 'visitssummarytotal', 'visitscount'],
    starts_at: ['metavalidsince', 'validsince'],
    expires_at: ['metavaliduntil', 'validuntil'],
    max_clicks: ['metamaxvisits', 'maxvisits'],
  },
  adjust(draft) {
    const { max_clicks: max } = draft.link
    const allowed = countOf(max)
    if (allowed === undefined) return
    // Visits so far count towards Shlink's limit, and start anew here.
    const left = allowed - (draft.clicks ?? 0)
    draft.link.max_clicks = Math.max(1, left)
    if (left < 1) draft.link.enabled = false
  },
}
