import { z } from '@hono/zod-openapi'
import { get, refusal } from './call.ts'
import { folderId, LINK, linkId } from './find.ts'
import { choice, type OutputOf, text, tool, whole } from './tool.ts'

/** What clicks are grouped by; rule and variant: of one link. */
const DIMENSIONS =
  'country region city language referrer device browser os utm_source utm_medium utm_campaign ' +
  'trigger hour weekday domain rule variant link tag folder'

const COUNTS = {
  clicks: z.number().describe('Clicks by people, unless bots says otherwise'),
  unique: z.number().describe('Unique visitors, counted per UTC day'),
  bots: z.number().describe('Clicks of bots and link previews'),
}

const VALUE = z.looseObject({
  value: z.string().nullable(),
  short_url: z.string().optional(),
  name: z.string().nullish(),
  ...COUNTS,
})

const STATISTICS = {
  from: z.string(),
  to: z.string(),
  totals: z.looseObject(COUNTS),
  imported_clicks: z
    .number()
    .nullable()
    .describe('Clicks that came with imports; in no other figure'),
  series: z.array(z.looseObject({ start: z.string(), ...COUNTS })),
  top: z.array(VALUE).optional(),
}
type Statistics = OutputOf<typeof STATISTICS>

const number = new Intl.NumberFormat('en')

export const getStatistics = tool({
  name: 'get_statistics',
  title: 'Click statistics',
  description:
    'Clicks of one link, of the links with a tag or in a folder, or of all links: totals, figures ' +
    'over time and, with group_by, the values with the most clicks (countries, referrers, links …), ' +
    'with one sentence that sums them up. Default period: the last 30 days.',
  scopes: ['stats:read'],
  effect: 'reads',
  input: {
    link: LINK.optional(),
    tag: text('Links with this tag; not together with link.', 200),
    folder: text('Links in this folder (name or id); not together with link.', 200),
    from: text('The beginning: RFC 3339, or a date.', 64),
    to: text('The end: RFC 3339, itself not included, or a date, which is included.', 64),
    timezone: text('The time zone of dates and days, such as Europe/Berlin. Default: UTC.', 64),
    interval: choice('hour day week month', 'The length of a bucket. Default: by period.'),
    group_by: choice(
      DIMENSIONS,
      'Also return the values with the most clicks. Not link, tag or folder together with link.',
    ),
    country: text('Only clicks from this country, such as DE.', 64),
    trigger: choice('click qr', 'Only clicks on the link, or only scans of its QR code.'),
    bots: choice('exclude include only', 'Default: exclude, people only.'),
    limit: whole('How many values of group_by. Default: 10.', 100),
  },
  output: STATISTICS,
  async run(call, { link, folder, group_by, limit = 10, interval, ...rest }) {
    if (link !== undefined && (rest.tag !== undefined || folder !== undefined)) {
      throw refusal('CONFLICTING_PARAMETERS', 'Give either link, or tag and folder.')
    }
    const base = link === undefined ? '/stats' : `/links/${await linkId(call, link)}/stats`
    const query = { ...rest, folder_id: folder && (await folderId(call, folder)) }
    const data = await get<Statistics>(call, base, { ...query, interval })
    if (group_by !== undefined) {
      const path = `${base}/${group_by}`
      data.top = (await get<{ data: Statistics['top'] }>(call, path, { ...query, limit })).data
    }
    return { text: sentenceOf(data, group_by), data }
  },
})

/** The figures in a sentence. */
function sentenceOf({ from, to, totals, series, top }: Statistics, by?: string): string {
  const { clicks, unique, bots } = totals
  const most = series.toSorted((a, b) => b.clicks - a.clicks)[0]
  const first = top?.[0]
  return [
    `${number.format(clicks)} clicks and ${number.format(unique)} unique visitors`,
    ` from ${from.slice(0, 10)} to ${to.slice(0, 10)}`,
    bots > 0 && `, ${number.format(bots)} clicks by bots`,
    most &&
      most.clicks > 0 &&
      `; the most in the period from ${most.start} (${number.format(most.clicks)})`,
    first &&
      `; the first ${by} is ${first.short_url ?? first.name ?? first.value ?? 'unknown'} (${number.format(first.clicks)})`,
    '.',
  ]
    .filter(Boolean)
    .join('')
}
