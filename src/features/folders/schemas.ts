import { z } from '@hono/zod-openapi'
import { listOf } from '../../http/page.ts'
import { VERSIONED } from '../../http/respond.ts'
import { boundedList, boundedText, orDefault, someText } from '../../lib/validation/checked.ts'

const NAME_MAX = 100
const MEMBERS_MAX = 500
/** The most folders of a workspace, merged ones included. */
export const FOLDERS_MAX = 10_000

export const FOLDER_EXAMPLE = {
  id: 'fld_01hzy3v9k2q4r6s8t0v2w4x6y8',
  name: 'Summer campaign',
  access: 'members' as const,
  members: ['usr_01hzy3v9k2q4r6s8t0v2w4x6y8'],
  links: 12,
  created_at: '2026-05-01T08:00:00.000Z',
  updated_at: '2026-05-02T14:12:10.250Z',
  version: 2,
}

const access = z.enum(['workspace', 'members']).openapi({
  description:
    '`workspace`, the default: all members of the workspace see its links. `members`: only the `members`, and ' +
    'owners and admins of the workspace; for others its links don’t exist. API keys see what the ' +
    'person sees to whom they belong; those without a person see all.',
})

/** A folder in responses. */
export const FolderSchema = z
  .object({
    id: z.string().openapi({ description: '`fld_` and 26 characters.' }),
    name: z.string(),
    access,
    members: z
      .array(z.string())
      .openapi({ description: 'With `access: members`: the ids of users who see its links.' }),
    links: z.int().min(0).openapi({ description: 'How many links are in it, archived ones too.' }),
    ...VERSIONED,
  })
  .openapi('Folder', { example: FOLDER_EXAMPLE })
export type Folder = z.output<typeof FolderSchema>

export const FolderListSchema = listOf(FolderSchema).openapi('FolderList')
export type FolderList = z.output<typeof FolderListSchema>

const ownAccess = orDefault(access, 'workspace').optional()

const name = boundedText({ max: NAME_MAX, min: 1 }, (text) => text.trim()).openapi({
  description: 'Two folders may have the same name.',
  example: FOLDER_EXAMPLE.name,
})

const members = orDefault(boundedList(someText, { max: MEMBERS_MAX }), [])
  .optional()
  .openapi({
    description:
      'The ids of members of the workspace, with `access: members`. People who aren’t owners or ' +
      'admins can’t remove themselves: they are added again.',
    example: FOLDER_EXAMPLE.members,
  })

/** The body of a new folder. */
export const FolderCreateSchema = z
  .strictObject({
    name,
    access: ownAccess,
    members,
  })
  .openapi('FolderCreate')

/** The body of a change. */
export const FolderPatchSchema = z
  .strictObject({
    name: name.optional(),
    access: ownAccess,
    members,
  })
  .openapi('FolderPatch')
