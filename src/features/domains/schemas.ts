import { z } from '@hono/zod-openapi'
import { listOf } from '../../http/page.ts'
import { boundedList, boundedText, checked, someText } from '../../lib/validation/checked.ts'
import { BY_DEFAULT, SLUG_FIELDS_SHOWN, slugFields } from '../../model/links/slug-settings.ts'
import type { UrlCheck } from '../../model/links/values.ts'
import { checkAppleAssociation, checkAssetLinks } from './app-links.ts'
import { checkColor, checkHost, checkLogo, HOST_LENGTH_MAX } from './values.ts'

/** Bounds of a domain's fields, in Unicode code points. */
const BOUNDS = { brandName: 60, robots: 4_096, statements: 1_000 } as const

/** The reference's example. */
export const DOMAIN_EXAMPLE = {
  id: 'dom_01hzy3v9k2q4r6s8t0v2w4x6y8',
  host: 'go.acme.example',
  status: 'active' as const,
  verification: {
    type: 'TXT' as const,
    name: '_slugline.go.acme.example',
    value: 'slugline-verification=k7m2p9q4w8x3z6r5t2v9y4b7n6c3d8f5',
    checked_at: '2026-05-01T08:05:00.000Z',
    found: ['slugline-verification=k7m2p9q4w8x3z6r5t2v9y4b7n6c3d8f5'],
    error: null,
    served_until: null,
  },
  root_url: 'https://acme.example/',
  not_found_url: null,
  expired_url: null,
  case_sensitive: false,
  slug_length: 7,
  slug_style: 'readable' as const,
  slug_prefix: null,
  brand: { name: 'Acme', logo: true as const, color: '#0b6e4f' },
  robots: 'none',
  apple_app_site_association: null,
  assetlinks: null,
  links: 128,
  created_at: '2026-05-01T08:00:00.000Z',
  updated_at: '2026-05-02T14:12:10.250Z',
  version: 2,
}

const time = (description: string) =>
  z.string().nullable().openapi({ format: 'date-time', description })
const address = (description: string) => z.string().nullable().openapi({ description })

const Brand = z.object({
  name: z.string().nullable(),
  logo: z
    .union([z.literal(true), z.string()])
    .nullable()
    .openapi({ description: 'True: the logo of the workspace. Or an https address.' }),
  color: z.string().nullable(),
})

const json = z.looseObject({})

/** A domain in responses. */
export const DomainSchema = z
  .object({
    id: z.string().openapi({ description: '`dom_` and 26 characters.' }),
    host: z.string().openapi({ description: 'In lower case; IDN in ASCII.' }),
    status: z.enum(['pending', 'active', 'failing']).openapi({
      description:
        '`pending`: not verified, or no longer. `active`: verified, and checked again every six ' +
        'hours. `failing`: the record is missing; links continue to redirect until ' +
        '`verification.served_until`, and none can be added.',
    }),
    verification: z
      .object({
        type: z.literal('TXT'),
        name: z.string().openapi({ description: 'The name of the DNS record.' }),
        value: z.string().openapi({ description: 'What the record must say.' }),
        checked_at: time('When it was last looked up. Null: never.'),
        found: z
          .array(z.string())
          .openapi({ description: 'The TXT records that were found there, word for word.' }),
        error: z.string().nullable().openapi({
          description: 'The error of the DNS look-up, such as `ESERVFAIL`. Null: none.',
        }),
        served_until: time('While `failing`: when the host is released. Null otherwise.'),
      })
      .openapi({ description: 'The DNS record that proves that the host is yours.' }),
    root_url: address('Where `/` leads. Null: a short page.'),
    not_found_url: address('The destination of unknown slugs. Null: a 404 page.'),
    expired_url: address(
      'Where expired, exhausted and disabled links without a `fallback_url` redirect. ' +
        'Null: a 410 page.',
    ),
    case_sensitive: z
      .boolean()
      .openapi({ description: 'Whether `/Ab` and `/aB` are different links.' }),
    ...SLUG_FIELDS_SHOWN,
    brand: Brand.nullable().openapi({
      description: 'The branding of public pages. Null: Slugline’s.',
    }),
    robots: z.string().openapi({ description: '`all`, `none`, or the text of `/robots.txt`.' }),
    apple_app_site_association: json.nullable().openapi({
      description: 'Served at `/.well-known/apple-app-site-association`. Null: nothing is.',
    }),
    assetlinks: z
      .array(json)
      .nullable()
      .openapi({ description: 'Served at `/.well-known/assetlinks.json`. Null: nothing is.' }),
    links: z.int().min(0).openapi({ description: 'How many links have an address there.' }),
    created_at: z.string().openapi({ format: 'date-time' }),
    updated_at: z.string().openapi({
      format: 'date-time',
      description: 'When the settings were last changed, in UTC.',
    }),
    version: z.int().openapi({ description: 'The version of the settings; also in the ETag.' }),
  })
  .openapi('Domain', { example: DOMAIN_EXAMPLE })

/** A domain as the API returns it. */
export type Domain = z.output<typeof DomainSchema>

export const DomainListSchema = listOf(DomainSchema).openapi('DomainList')

/** A color in bodies. */
export const colorField = checked(z.string().openapi({ pattern: '^#[0-9a-fA-F]{6}$' }), checkColor)

function settings(checkUrl: UrlCheck) {
  const url = (description: string) =>
    checked(someText, (text) => checkUrl(text))
      .nullable()
      .openapi({ description })
  const brand = z.strictObject({
    name: boundedText({ max: BOUNDS.brandName, min: 1 }).nullable().optional(),
    logo: z
      .union([z.boolean(), checked(someText, checkLogo)])
      .nullable()
      .optional()
      .openapi({
        type: ['boolean', 'string', 'null'],
        minLength: 1,
        description: 'True: the logo of the workspace. Or an https address. Also the favicon.',
      }),
    color: colorField
      .nullable()
      .optional()
      .openapi({ description: 'The color of buttons.', example: '#0b6e4f' }),
  })
  return {
    root_url: url('Where `/` leads.'),
    not_found_url: url('The destination of unknown slugs.'),
    expired_url: url('The destination of expired, exhausted and disabled links.'),
    case_sensitive: z
      .boolean()
      .nullable()
      .openapi({
        description:
          'Whether `/Ab` and `/aB` are different links. It can be changed while no two slugs would ' +
          'become one. Default: false.',
      }),
    ...slugFields(BY_DEFAULT),
    brand: brand.nullable().openapi({
      description:
        'The branding of public pages. An update changes the members it names; null removes one, or all of it.',
    }),
    robots: boundedText({ max: BOUNDS.robots, min: 1, lines: true })
      .nullable()
      .openapi({ description: '`all`, `none`, or the text of `/robots.txt`. Default: `all`.' }),
    apple_app_site_association: checked(json, checkAppleAssociation)
      .nullable()
      .openapi({ description: 'At most 64 KiB.' }),
    assetlinks: checked(boundedList(json, { max: BOUNDS.statements }), checkAssetLinks)
      .nullable()
      .openapi({ description: 'At most 64 KiB.' }),
  }
}

/** The schemas of request bodies; URLs are checked like those of links. */
export function createDomainSchemas(checkUrl: UrlCheck) {
  const { shape } = z.object(settings(checkUrl)).partial()
  const host = checked(someText, checkHost).openapi({
    maxLength: HOST_LENGTH_MAX,
    description: 'Without scheme and port.',
    example: DOMAIN_EXAMPLE.host,
  })
  return {
    create: z.strictObject({ host, ...shape }).openapi('DomainCreate'),
    patch: z.strictObject(shape).openapi('DomainPatch'),
  }
}

type DomainSchemas = ReturnType<typeof createDomainSchemas>
export type DomainCreate = z.output<DomainSchemas['create']>
export type DomainPatch = z.output<DomainSchemas['patch']>
