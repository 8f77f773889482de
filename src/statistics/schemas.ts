import { z } from '@hono/zod-openapi'
import { listOf } from '../http/page.ts'
import { CLICK_DETAILS } from '../lib/base/click-columns.ts'
import { KIND_NAMES } from './columns.ts'
import { PARAMETERS } from './filters.ts'
import { INTERVALS } from './intervals.ts'
import type { EXPORT_COLUMNS } from './types.ts'

const count = (description: string) => z.int().min(0).openapi({ description })
const time = (description: string) => z.string().openapi({ format: 'date-time', description })

const bots = count(
  'Clicks of bots and link previews that match, whether `clicks` includes them or not.',
)
const clicks = count('Clicks: of humans, unless `bots` says otherwise.')
const COUNTS = {
  clicks,
  unique: count(
    'Unique visitors, each counted once per UTC day; visitors who asked not to be tracked are not counted.',
  ),
  bots,
}

/** The reference's example of numbers over time. */
export const STATS_EXAMPLE = {
  from: '2026-05-01T00:00:00.000Z',
  to: '2026-05-03T00:00:00.000Z',
  interval: 'day',
  timezone: 'UTC',
  totals: { clicks: 1204, unique: 987, bots: 76 },
  imported_clicks: 393,
  series: [
    { start: '2026-05-01T00:00:00.000Z', clicks: 700, unique: 580, bots: 40 },
    { start: '2026-05-02T00:00:00.000Z', clicks: 504, unique: 407, bots: 36 },
  ],
}

/** Numbers over time. */
export const StatsSchema = z
  .object({
    from: time('The beginning, in UTC.'),
    to: time('The end, in UTC; itself not included.'),
    interval: z.enum(INTERVALS).openapi({ description: 'The length of a bucket.' }),
    timezone: z.string().openapi({ description: 'The time zone that the buckets follow.' }),
    totals: z.object(COUNTS).openapi({ description: 'The whole range.' }),
    imported_clicks: z
      .int()
      .min(0)
      .nullable()
      .openapi({
        description:
          'Clicks that these links had before they were imported, whatever the range; in no other ' +
          'number. Null: with filters other than `tag` and `folder_id`, or only bots, because no ' +
          'details of them are known.',
      }),
    series: z
      .array(
        z
          .object({
            start: time(
              'The beginning of the bucket, in UTC: a midnight or whole hour of the time zone. The first one may begin before `from`; it counts no clicks before `from`.',
            ),
            ...COUNTS,
          })
          .openapi('StatsBucket'),
      )
      .openapi({ description: 'All buckets of the range in order, including empty ones.' }),
  })
  .openapi('Stats', { example: STATS_EXAMPLE })

/** The reference's example of a top list. */
export const TOP_EXAMPLE = {
  data: [
    { value: 'DE', clicks: 640, unique: 521, bots: 12 },
    { value: null, clicks: 81, unique: 64, bots: 3 },
  ],
  other: { clicks: 483, bots: 61 },
}

/** The values with the most clicks. */
export const TopSchema = z
  .object({
    data: z
      .array(
        z.object({
          value: z.string().nullable().openapi({
            description:
              'The value; of links and folders their id, of tags their name, hours `0`–`23`, weekdays `1` (Monday) to `7`. Null: unknown, or none.',
          }),
          short_url: z
            .string()
            .optional()
            .openapi({ description: 'Of a link: its short address.' }),
          name: z.string().nullable().optional().openapi({
            description:
              'Of a folder: its name. Of a rule or variant, in the statistics of its link: its name. Null: it has none, or is gone.',
          }),
          title: z
            .string()
            .nullable()
            .optional()
            .openapi({ description: 'Of a link: its title, for those who may read links.' }),
          ...COUNTS,
        }),
      )
      .openapi({
        description:
          'The values with the most clicks first, ties by value. Values without clicks are left out.',
      }),
    other: z.object({ clicks, bots }).openapi({ description: 'The sum of all other values.' }),
  })
  .openapi('TopList', { example: TOP_EXAMPLE })

/** The reference's example of a click. */
export const CLICK_EXAMPLE = {
  id: '1777886999345-0',
  clicked_at: '2026-05-04T09:29:59.345Z',
  link_id: 'lnk_01hzy3v9k2q4r6s8t0v2w4x6y8',
  domain: 'go.example.com',
  kind: 'human',
  reason: null,
  trigger: 'click',
  ...(Object.fromEntries(CLICK_DETAILS.map((name) => [name, PARAMETERS[name][1]])) as Record<
    (typeof CLICK_DETAILS)[number],
    string
  >),
} satisfies Record<(typeof EXPORT_COLUMNS)[number], string | null>

const own = (description: string) => z.string().nullable().openapi({ description })

/** One click. It has no visitor, so that nothing in it identifies a person. */
const ClickSchema = z
  .object({
    id: z.string().openapi({ description: 'Unique: two numbers, by which clicks can be sorted.' }),
    clicked_at: time('When it happened, in UTC.'),
    link_id: own('The id of the link. Null: the link is gone.'),
    domain: z.string().openapi({ description: 'The short domain that was visited.' }),
    kind: z.enum(KIND_NAMES).openapi({ description: 'A human, a bot, or a link preview.' }),
    reason: own('Why the click is not human: a stable keyword, like `crawler`. Null: it is.'),
    trigger: z.enum(['click', 'qr']).openapi({ description: '`qr`: a scan of a QR code.' }),
    ...(Object.fromEntries(
      CLICK_DETAILS.map((name) => [name, own(`${PARAMETERS[name][0]}. Null: unknown, or none.`)]),
    ) as Record<(typeof CLICK_DETAILS)[number], ReturnType<typeof own>>),
  })
  .openapi('Click', { example: CLICK_EXAMPLE })

/** A click as the API returns it. */
export type ClickView = z.output<typeof ClickSchema>

/** One page of clicks. */
export const ClickListSchema = listOf(ClickSchema).openapi('ClickList')

/** Clicks per day of some links. */
export const SparklinesSchema = z
  .record(z.string(), z.array(z.int().min(0)))
  .openapi('Sparklines', {
    description: 'Human clicks of the last 30 UTC days by link id, oldest first.',
  })
