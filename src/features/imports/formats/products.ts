import type { Draft, Format, FormatName } from './types.ts'
import { addressOf, countOf, flagOf, isEmpty, listOf } from './values.ts'

/** The formats of other products, in order of detection: specific ones first. */
export const PRODUCTS: Readonly<Record<Exclude<FormatName, 'slugline' | 'csv'>, Format>> = {
  // The export of its dashboard and of `POST /v4/groups/{guid}/exports`, and bitlinks of API v4.
  bitly: {
    has: [
      ['bitlink', 'longurl'],
      ['custombitlinks', 'longurl'],
    ],
    columns: {
      short_url: ['bitlink', 'shorturl', 'link'],
      clicks: ['totalclicks', 'clicks', 'totalengagements', 'engagements'],
    },
    adjust(draft, cell) {
      if (flagOf(cell('archived')) === true) draft.link.archived = true
      const customs = listOf(cell('custombitlinks') ?? []).map(addressOf)
      const [custom] = customs
      if (custom === undefined) return
      // The custom back-half is the published address; the original one works too.
      const aliases = [draft.link.slug, ...customs.slice(1).map(({ slug }) => slug)]
      const others = new Set(aliases.filter((slug) => typeof slug === 'string' && slug !== ''))
      others.delete(custom.slug)
      if (custom.host !== undefined) draft.host = custom.host
      draft.link.slug = custom.slug
      if (others.size > 0) draft.link.aliases = [...others]
    },
  },
  // The export of its web client, and short URLs of REST API v3.
  shlink: {
    has: [['shortcode', 'longurl']],
    columns: {
      slug: ['shortcode'],
      clicks: ['visits', 'visitssummarytotal', 'visitscount'],
      starts_at: ['metavalidsince', 'validsince'],
      expires_at: ['metavaliduntil', 'validuntil'],
      max_clicks: ['metamaxvisits', 'maxvisits'],
    },
    adjust(draft) {
      const allowed = countOf(draft.link.max_clicks)
      if (allowed === undefined) return
      // Past visits count towards Shlink's limit, but not towards ours.
      const left = allowed - (draft.clicks ?? 0)
      draft.link.max_clicks = Math.max(1, left)
      if (left < 1) draft.link.enabled = false
    },
  },
  // Exports of its dashboard, and links of API v1.
  rebrandly: {
    has: [['slashtag', 'destination']],
    columns: {
      destination_url: ['destination'],
      slug: ['slashtag'],
      short_url: ['shorturl'],
      domain: ['domainfullname', 'domainname', 'domain'],
      forward_query: ['forwardparameters'],
    },
  },
  // The export of its dashboard, and links of its API.
  short_io: {
    has: [['originalurl', 'path']],
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
  },
  // Links of API v2, and its table of links as CSV.
  kutt: {
    has: [['address', 'target']],
    lacks: 'destination',
    columns: {
      destination_url: ['target'],
      slug: ['address'],
      short_url: ['link'],
      domain: ['domain'],
      title: [],
      notes: ['description'],
      expires_at: ['expirein'],
      clicks: ['visitcount'],
      // Whether there is one, or its hash.
      password: [],
    },
    adjust(draft, cell) {
      if (flagOf(cell('banned')) === true) draft.link.enabled = false
      const { expires_at: expires } = draft.link
      if (typeof expires === 'string' && Date.parse(expires) <= 0) delete draft.link.expires_at
      refuseProtected(draft, cell('password'))
    },
  },
  // Chhoto URL: `GET /api/all`, and its table of addresses as CSV.
  chhoto: {
    has: [
      ['shortlink', 'longlink'],
      ['shorturl', 'longurl', 'hits'],
    ],
    columns: {
      destination_url: ['longlink', 'longurl'],
      slug: ['shortlink', 'shorturl'],
      short_url: [],
      expires_at: ['expirytime'],
      clicks: ['hits'],
      notes: ['notes'],
    },
  },
  // The export of its dashboard, and links of its API.
  dub: {
    has: [
      ['shortlink', 'destinationurl'],
      ['link', 'url', 'createdat'],
      ['key', 'domain', 'url'],
    ],
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
  },
  // The pages of its export.
  sink: {
    has: [['url', 'slug', 'createdat', 'updatedat']],
    lacks: 'destinationurl',
    columns: {
      destination_url: ['url'],
      slug: ['slug'],
      notes: ['comment'],
      expires_at: ['expiration'],
      forward_query: ['redirectwithquery'],
      password: [],
    },
    adjust: (draft, cell) => refuseProtected(draft, cell('password')),
  },
  // The plugin “YOURLS Import Export”, its table of addresses as CSV, and the API's `stats`.
  yourls: {
    has: [
      ['source', 'target', 'hits'],
      ['keyword', 'url'],
      ['shorturl', 'url', 'timestamp'],
    ],
    columns: {
      destination_url: ['target', 'url'],
      slug: ['source', 'keyword'],
      short_url: ['shorturl'],
      clicks: ['hits', 'clicks'],
      created_at: ['timestamp'],
    },
  },
}

/** Marks links whose password isn't exported: without it they would be open to everyone. */
export function refuseProtected(draft: Draft, password: unknown): void {
  if (!isEmpty(password) && flagOf(password) !== false) draft.lacksPassword = true
}
