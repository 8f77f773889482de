import { z } from '@hono/zod-openapi'
import { LISTED } from '../columns.ts'
import { TopSchema } from '../schemas.ts'
import { SHOW_NAMES } from './show.ts'

export const ABOUT_EXAMPLE = {
  name: 'Summer campaign',
  kind: 'tag' as const,
  show: ['countries' as const, 'referrers' as const],
  dimensions: ['country' as const, 'referrer' as const],
  since: '2026-05-01T08:00:00.000Z',
  link: null,
}

const destination = z.string().nullable().optional().openapi({
  description: 'Where the link leads; only where `show` has `destinations`.',
})

/** The description of a share for viewers. */
export const AboutSchema = z
  .object({
    name: z.string().nullable(),
    kind: z.enum(['link', 'tag', 'folder', 'workspace']),
    show: z.array(z.enum(SHOW_NAMES)),
    dimensions: z.array(z.enum(LISTED)).openapi({
      description:
        'Dimensions whose top values can be requested; all but `tag` and `folder` are also filters.',
    }),
    since: z
      .string()
      .openapi({ format: 'date-time', description: 'The earliest time that clicks can have.' }),
    link: z
      .object({
        short_url: z.string(),
        title: z.string().nullable(),
        brand: z
          .object({
            name: z.string().nullable(),
            logo: z.string().nullable().openapi({ description: 'A `data:` URL.' }),
            color: z.string().nullable(),
          })
          .nullable()
          .openapi({ description: 'The branding of its domain’s pages. Null: Slugline’s.' }),
        destination_url: destination,
      })
      .nullable()
      .openapi({
        description: 'The link, if the share is of one link and `show` has `links`; else null.',
      }),
  })
  .openapi('SharedAbout', { example: ABOUT_EXAMPLE })

export type About = z.output<typeof AboutSchema>

/** Top values; links and folders have no ids. */
export const SharedTopSchema = TopSchema.extend({
  data: z.array(TopSchema.shape.data.element.extend({ destination_url: destination })),
}).openapi('SharedTopList')

export type SharedTop = z.output<typeof SharedTopSchema>

export const AccessSchema = z
  .object({
    access: z.string().openapi({ description: 'For `Authorization: Bearer`.' }),
    expires_at: z.string().openapi({ format: 'date-time' }),
  })
  .openapi('SharedAccess')
