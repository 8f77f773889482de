import { z } from '@hono/zod-openapi'
import { listOf } from '../../http/page.ts'
import { emailField } from '../users/input.ts'
import { ROLES } from './roles.ts'

const role = z.enum(ROLES)

export const MemberSchema = z
  .object({
    user_id: z.string(),
    email: z.string(),
    name: z.string().nullable(),
    picture: z.string().nullable().openapi({ description: 'Where their picture is.' }),
    role,
    joined_at: z.string().openapi({ format: 'date-time' }),
  })
  .openapi('Member')

/** What happens to the keys of a person who loses the permission for keys. */
const keys = z.enum(['revoke', 'keep']).optional()

export const RoleSchema = z
  .strictObject({
    role,
    keys: keys.openapi({
      description:
        'What happens to their API keys if the new role doesn’t permit keys. Default: revoke. With ' +
        'a lower role, the invitations that they sent are always revoked.',
    }),
  })
  .openapi('MemberChange')

/** `DELETE /members/{user_id}` */
export const RemoveQuery = z.object({
  keys: keys.openapi({
    param: {
      description: 'What happens to their API keys. Default, and always if they leave: revoke.',
    },
  }),
})

export const InvitationSchema = z
  .object({
    id: z.string(),
    email: z.string(),
    role,
    expires_at: z.string().openapi({ format: 'date-time' }),
    invited_by: z
      .object({ email: z.string() })
      .nullable()
      .openapi({ description: 'Null: a person whose account is deleted.' }),
    url: z.string().optional().openapi({
      description:
        'The link to accept it, only in this response, and only if it couldn’t be sent by email.',
    }),
  })
  .openapi('Invitation')

export const InviteSchema = z.strictObject({ email: emailField, role }).openapi('Invite')

export const MemberListSchema = listOf(MemberSchema).openapi('MemberList')

export const InvitationListSchema = listOf(InvitationSchema).openapi('InvitationList')

export type KeysOfMember = z.infer<typeof keys>
/** A member in responses. */
export type Member = z.infer<typeof MemberSchema>
export type Invitation = z.infer<typeof InvitationSchema>
