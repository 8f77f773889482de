import { refuseProtected } from './kutt.ts'
import type { Format } from './types.ts'
import { flagOf } from './values.ts'

/** Short.io: the export of its dashboard, and links of its API. */
export const shortIo: Format = {
  recognizes: (columns) => columns.has('originalurl') && columns.has('path'),
  columns: {
    destination_url: ['originalurl'],
    slug: ['path'],
    short_url: ['secureshorturl', 'shorturl', 'link'],
    domain: ['domain', 'hostname', 'domainhostname'],
    fallback_url: ['expiredurl'],
    clicks: ['clicks', 'totalclicks', 'humanclicks', 'clickscount'],
    password: [],
  },
  adjust(draft, cell) {
    if (flagOf(cell('archived')) === true) draft.link.archived = true
    refuseProtected(draft, cell('password'))
  },
}
