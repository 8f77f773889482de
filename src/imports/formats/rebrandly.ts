import type { Format } from './types.ts'

/** Rebrandly: exports of its dashboard, and links of API v1. */
export const rebrandly: Format = {
  recognizes: (columns) => columns.has('slashtag') && columns.has('destination'),
  columns: {
    destination_url: ['destination'],
    slug: ['slashtag'],
    short_url: ['shorturl'],
    domain: ['domainfullname', 'domainname', 'domain'],
    forward_query: ['forwardparameters'],
  },
}
