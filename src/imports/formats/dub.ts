import type { Format } from './types.ts'
import { flagOf, isEmpty } from './values.ts'

/** Dub: the export of its dashboard, and links of its API. */
export const dub: Format = {
  recognizes: (columns) =>
    (columns.has('shortlink') && columns.has('destinationurl')) ||
    (columns.has('link') && columns.has('url') && columns.has('createdat')) ||
    (columns.has('key') && columns.has('domain') && columns.has('url')),
  columns: {
    destination_url: ['destinationurl', 'url'],
    short_url: ['shortlink', 'link'],
    slug: ['key'],
    notes: ['comments'],
    fallback_url: ['expiredurl'],
    tags: ['tags', 'tag'],
  },
  adjust(draft, cell) {
    if (flagOf(cell('archived')) === true) draft.link.archived = true
    if (!isEmpty(cell('disabledat'))) draft.link.enabled = false
  },
}
