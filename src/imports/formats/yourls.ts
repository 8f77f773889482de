import type { Format } from './types.ts'

/** YOURLS: the plugin “YOURLS Import Export”, its table of addresses as CSV, and the API's `stats`. */
export const yourls: Format = {
  recognizes: (columns) =>
    (columns.has('source') && columns.has('target') && columns.has('hits')) ||
    (columns.has('keyword') && columns.has('url')) ||
    (columns.has('shorturl') && columns.has('url') && columns.has('timestamp')),
  columns: {
    destination_url: ['target', 'url'],
    slug: ['source', 'keyword'],
    short_url: ['shorturl'],
    clicks: ['hits', 'clicks'],
  },
}
