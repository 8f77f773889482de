import type { Format } from './types.ts'

/** Bitly: what its dashboard and `POST /v4/groups/{guid}/exports` write, and bitlinks of API v4. */
export const bitly: Format = {
  recognizes: (columns) =>
    (columns.has('bitlink') && columns.has('longurl')) ||
    (columns.has('custombitlinks') && columns.has('longurl')),
  columns: {
    short_url: ['bitlink', 'shorturl', 'link'],
    clicks: ['totalclicks', 'clicks', 'totalengagements', 'engagements'],
  },
  adjust(draft, cell) {
    const [custom] = (cell('custombitlinks') ?? []) as string[]
    if (custom === undefined) return
    // The custom back half is the address that is published.
    const [host, ...path] = custom.replace(/^https?:\/\//, '').split('/')
    draft.host = host
    draft.link.slug = path.join('/')
  },
}
