import { z } from '@hono/zod-openapi'
import { LOCALES } from '../i18n/index.ts'
import { ROLES } from '../members/index.ts'
import { PASSWORD_MAX, PASSWORD_MIN, USER_NAME_MAX } from '../users/index.ts'
import { WORKSPACE_NAME_MAX } from '../workspaces/index.ts'

const EMAIL_MAX = 254
/** A token of a change of the address carries the address. */
const TOKEN_MAX = 500

/** A text of people: trimmed, in NFC, without control characters, as long as people count. */
function text(max: number) {
  return z
    .string()
    .transform((value) => value.normalize('NFC').trim())
    .superRefine((value, context) => {
      const fault = faultOf(value, max)
      if (fault !== undefined) context.addIssue({ code: 'custom', params: fault })
    })
}

function faultOf(value: string, max: number) {
  if (value === '') return { detail: 'REQUIRED' }
  if ([...value].length > max) return { detail: 'TOO_LONG', params: { max } }
  if (/\p{Cc}/u.test(value)) return { detail: 'INVALID_CHARACTERS' }
  return undefined
}

const email = z
  .string()
  .transform((value) => value.trim())
  .superRefine((value, context) => {
    if (z.email().max(EMAIL_MAX).safeParse(value).success) return
    context.addIssue({ code: 'custom', params: { detail: 'INVALID_EMAIL' } })
  })
  .openapi({ type: 'string', format: 'email', maxLength: EMAIL_MAX })

const password = z
  .string()
  .superRefine((value, context) => {
    const { length } = [...value]
    if (length >= PASSWORD_MIN && length <= PASSWORD_MAX) return
    const params =
      length < PASSWORD_MIN
        ? { detail: 'TOO_SHORT', params: { min: PASSWORD_MIN } }
        : { detail: 'TOO_LONG', params: { max: PASSWORD_MAX } }
    context.addIssue({ code: 'custom', params })
  })
  .openapi({ type: 'string', format: 'password', minLength: PASSWORD_MIN, maxLength: PASSWORD_MAX })

const personName = text(USER_NAME_MAX).openapi({ type: 'string', maxLength: USER_NAME_MAX })
const workspaceName = text(WORKSPACE_NAME_MAX).openapi({
  type: 'string',
  maxLength: WORKSPACE_NAME_MAX,
})
const token = z.string().min(1).max(TOKEN_MAX)
const language = z.enum(LOCALES)

/** `POST /claim` */
export const claimBody = z.strictObject({
  token,
  email,
  password,
  name: personName,
  workspace: workspaceName,
})

/** `PATCH /account` */
export const accountBody = z.strictObject({
  name: personName.optional(),
  language: language.nullable().optional(),
})

/** `DELETE /account` */
export const removeBody = z.strictObject({
  confirm_email: z
    .string()
    .max(EMAIL_MAX * 2)
    .openapi({ description: 'One’s own address.' }),
})

/** `POST /session/confirm` */
export const confirmBody = z.strictObject({
  password: z.string().min(1).max(1_000).openapi({ format: 'password' }),
})

/** `POST /account/email` */
export const emailBody = z.strictObject({ new_email: email })

/** `POST /account/email/confirm`, `POST /invitations/lookup` */
export const tokenBody = z.strictObject({ token })

/** `POST /workspaces` */
export const workspaceBody = z.strictObject({ name: workspaceName })

/** `POST /invitations/accept`: without a session a name and a password make the account. */
export const acceptBody = z.strictObject({
  token,
  name: personName.optional(),
  password: password.optional(),
})

/** `GET /account/events` */
export const EventListSchema = z
  .strictObject({
    data: z.array(
      z.strictObject({
        id: z.string(),
        at: z.string().openapi({ format: 'date-time' }),
        action: z.string().openapi({ description: 'Like `account.signed_in`.' }),
        by: z.enum(['self', 'operator', 'unknown']),
      }),
    ),
  })
  .openapi('AccountEvents')

const AccountUser = z
  .strictObject({
    id: z.string(),
    email: z.string(),
    email_verified: z.boolean(),
    name: z.string().nullable(),
    language: z.string().nullable(),
    two_factor_enabled: z.boolean(),
    has_password: z.boolean().openapi({ description: 'False: single sign-on or passkeys only.' }),
    instance_owner: z.boolean(),
    may_create_workspaces: z.boolean(),
  })
  .openapi('AccountUser')

/** A workspace as its member sees it. */
export const OwnWorkspace = z
  .strictObject({
    id: z.string(),
    name: z.string(),
    role: z.enum(ROLES),
    plan: z.string(),
    language: z.string().nullable(),
    needs_two_factor: z
      .boolean()
      .openapi({ description: 'True: set up a second factor before using it.' }),
  })
  .openapi('OwnWorkspace')

const Instance = z
  .strictObject({
    claimed: z.boolean().openapi({ description: 'False until the first account is made.' }),
    sign_up: z.enum(['open', 'invitation', 'closed']),
    sign_in: z.strictObject({
      password: z.literal(true),
      passkey: z.boolean(),
      oidc: z.array(z.strictObject({ id: z.string(), name: z.string() })),
    }),
    mail: z.boolean().openapi({ description: 'Whether messages can be sent.' }),
    version: z.string(),
    base_url: z.string(),
    default_domain: z.string(),
    domains: z.array(z.string()),
    languages: z.array(z.string()),
  })
  .openapi('Instance')

/** `GET /session` */
export const SessionSchema = z
  .strictObject({
    user: AccountUser.nullable(),
    workspaces: z.array(OwnWorkspace),
    instance: Instance,
  })
  .openapi('Session')

/** What claiming, accepting and changing the account answer with. */
export const AccountSchema = z.strictObject({ user: AccountUser }).openapi('Account')

/** What claiming and accepting answer with. */
export const JoinedSchema = z
  .strictObject({ user: AccountUser, workspace: OwnWorkspace })
  .openapi('Joined')

/** `POST /invitations/lookup` */
export const InvitationPreviewSchema = z
  .strictObject({
    workspace: z.strictObject({ name: z.string() }),
    email: z.string(),
    role: z.enum(ROLES),
    account_exists: z.boolean().openapi({ description: 'True: sign in, then accept.' }),
  })
  .openapi('InvitationPreview')

/** A person as their own account page shows them. */
export type AccountUserView = z.infer<typeof AccountUser>
export type OwnWorkspaceView = z.infer<typeof OwnWorkspace>
export type AccountEvent = z.infer<typeof EventListSchema>['data'][number]
export type SessionView = z.infer<typeof SessionSchema>
export type InvitationPreview = z.infer<typeof InvitationPreviewSchema>
export type ClaimInput = z.infer<typeof claimBody>
export type AccountPatch = z.infer<typeof accountBody>
export type RemoveInput = z.infer<typeof removeBody>
export type AcceptInput = z.infer<typeof acceptBody>
