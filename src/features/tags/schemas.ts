import { z } from '@hono/zod-openapi'
import { listOf } from '../../http/page.ts'
import { VERSIONED } from '../../http/respond.ts'
import { checked, someText } from '../../lib/validation/checked.ts'
import { BOUNDS, checkTag } from '../../model/links/values.ts'
import { COLORS } from './colors.ts'

/** The most tags of a workspace, merged ones included. */
export const TAGS_MAX = 10_000

export const TAG_EXAMPLE = {
  id: 'tag_01hzy3v9k2q4r6s8t0v2w4x6y8',
  name: 'newsletter',
  color: 'teal',
  links: 42,
  created_at: '2026-05-01T08:00:00.000Z',
  updated_at: '2026-05-02T14:12:10.250Z',
  version: 2,
} as const

/** The orders of tags: by name, or those of most links first. */
export const TAG_SORTS = ['name', 'links'] as const
export type TagSort = (typeof TAG_SORTS)[number]

const color = z
  .enum(COLORS)
  .openapi({ description: 'One of a fixed palette, by name.', example: TAG_EXAMPLE.color })
/** Null: the default color of the name. */
const ownColor = color
  .nullable()
  .optional()
  .openapi({ description: 'Default: derived from the name.' })

/** A tag in responses. */
export const TagSchema = z
  .object({
    id: z.string().openapi({ description: '`tag_` and 26 characters.' }),
    name: z.string().openapi({ description: 'Unique in the workspace without regard to case.' }),
    color,
    links: z.int().min(0).openapi({ description: 'How many links have it, archived ones too.' }),
    ...VERSIONED,
  })
  .openapi('Tag', { example: TAG_EXAMPLE })
export type Tag = z.output<typeof TagSchema>

export const TagListSchema = listOf(TagSchema).openapi('TagList')
export type TagList = z.output<typeof TagListSchema>

const name = checked(z.string(), checkTag).openapi({
  minLength: 1,
  maxLength: BOUNDS.tag,
  description: 'Unique in the workspace without regard to case.',
  example: TAG_EXAMPLE.name,
})

/** The body of a new tag. */
export const TagCreateSchema = z
  .strictObject({
    name,
    color: ownColor,
  })
  .openapi('TagCreate')

/** The body of a change. */
export const TagPatchSchema = z
  .strictObject({ name: name.optional(), color: ownColor })
  .openapi('TagPatch')

/** The body of a merge. */
export const TagMergeSchema = z
  .strictObject({
    into: someText.openapi({
      description: 'The id of the tag that its links get instead.',
      example: TAG_EXAMPLE.id,
    }),
  })
  .openapi('TagMerge')
