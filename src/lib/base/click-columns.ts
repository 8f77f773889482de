// The names of text columns of stored clicks, for PostgreSQL's migrations and the statistics. The
// dashboard imports this file, so it imports nothing.

/** The enriched values of a click, in the order of tables and exports. */
export const CLICK_DETAILS = [
  'country',
  'region',
  'city',
  'language',
  'referrer',
  'referrer_path',
  'device',
  'browser',
  'os',
  'utm_source',
  'utm_medium',
  'utm_campaign',
  'utm_term',
  'utm_content',
  'rule',
  'variant',
] as const

/** Columns of `clicks` that hold text, in the table's order. */
export const TEXT_COLUMNS = ['reason', ...CLICK_DETAILS] as const
