import { refuseProtected } from './kutt.ts'
import type { Format } from './types.ts'

/** Sink: the pages of its export. */
export const sink: Format = {
  recognizes: (columns) =>
    columns.has('url') &&
    columns.has('slug') &&
    columns.has('createdat') &&
    columns.has('updatedat') &&
    !columns.has('destinationurl'),
  columns: {
    destination_url: ['url'],
    slug: ['slug'],
    notes: ['comment'],
    expires_at: ['expiration'],
    forward_query: ['redirectwithquery'],
    password: [],
  },
  adjust: (draft, cell) => refuseProtected(draft, cell('password')),
}
