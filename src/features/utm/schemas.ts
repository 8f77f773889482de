import { z } from '@hono/zod-openapi'
import { listOf } from '../../http/page.ts'
import { boundedText } from '../../lib/validation/checked.ts'
import { compose } from '../../lib/validation/text.ts'
import { UTM_FIELDS, type UtmField } from '../links/utm.ts'

/** The most templates of a workspace. */
export const TEMPLATES_MAX = 100
const NAME_MAX = 100
const VALUE_MAX = 255

export const UTM_TEMPLATE_EXAMPLE = {
  id: 'utm_01hzy3v9k2q4r6s8t0v2w4x6y8',
  name: 'Newsletter',
  source: 'newsletter',
  medium: 'email',
  campaign: null,
  term: null,
  content: null,
  created_at: '2026-05-01T08:00:00.000Z',
  updated_at: '2026-05-01T08:00:00.000Z',
  version: 1,
}

function values<S extends z.ZodType>(schema: S): Record<UtmField, S> {
  return Object.fromEntries(UTM_FIELDS.map((field) => [field, schema])) as Record<UtmField, S>
}

/** A template in responses. */
export const UtmTemplateSchema = z
  .object({
    id: z.string().openapi({ description: '`utm_` and 26 characters.' }),
    name: z.string().openapi({ description: 'Unique in the workspace without regard to case.' }),
    ...values(
      z.string().nullable().openapi({ description: 'Null: the template leaves it as it is.' }),
    ),
    created_at: z.string().openapi({ format: 'date-time', description: 'In UTC.' }),
    updated_at: z.string().openapi({ format: 'date-time', description: 'In UTC.' }),
    version: z.int().openapi({ description: 'Increases with every change; also in the ETag.' }),
  })
  .openapi('UtmTemplate', { example: UTM_TEMPLATE_EXAMPLE })

export type UtmTemplate = z.output<typeof UtmTemplateSchema>

export const UtmTemplateListSchema = listOf(UtmTemplateSchema).openapi('UtmTemplateList')

const name = boundedText({ max: NAME_MAX, min: 1 }, (text) => compose(text).trim())
const value = boundedText({ max: VALUE_MAX }).nullable().optional()

export const UtmTemplateCreateSchema = z
  .strictObject({ name, ...values(value) })
  .openapi('UtmTemplateCreate')

export const UtmTemplatePatchSchema = z
  .strictObject({ name: name.optional(), ...values(value) })
  .openapi('UtmTemplatePatch')

export type UtmTemplatePatch = z.output<typeof UtmTemplatePatchSchema>
