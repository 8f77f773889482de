import { z } from '@hono/zod-openapi'
import { listOf } from '../../http/page.ts'
import { LOCALES } from '../../lib/i18n/index.ts'
import { EMAIL_MAX } from '../../lib/validation/email.ts'
import { ROLES } from '../members/roles.ts'
import { emailField, nameField, passwordField, trimmedText } from '../users/input.ts'
import { WORKSPACE_NAME_MAX } from '../workspaces/name.ts'

/** A token for changing the email address contains that address. */
const TOKEN_MAX = 500

export const email = emailField.openapi({ format: 'email' })
export const workspaceName = trimmedText(WORKSPACE_NAME_MAX)
const token = z.string().min(1).max(TOKEN_MAX)
const language = z.enum(LOCALES)

/** `POST /claim` */
export const claimBody = z.strictObject({
  token,
  email,
  password: passwordField,
  name: nameField,
  workspace: workspaceName,
})

/** `PATCH /account` */
export const accountBody = z.strictObject({
  name: nameField.optional(),
  language: language.nullable().optional(),
})

/** `DELETE /account` */
export const removeBody = z.strictObject({
  confirm_email: z
    .string()
    .max(EMAIL_MAX * 2)
    .openapi({ description: 'The email address of the account, as a confirmation.' }),
})

/** `POST /session/confirm` */
export const confirmBody = z.strictObject({
  password: z.string().min(1).max(1_000).openapi({ format: 'password' }),
})

/** `POST /account/email/confirm`, `POST /invitations/lookup` */
export const tokenBody = z.strictObject({ token })

/** `POST /invitations/accept`: without a session, name and password create the account. */
export const acceptBody = z.strictObject({
  token,
  name: nameField.optional(),
  password: passwordField.optional(),
})

/** `GET /account/events` */
export const EventListSchema = listOf(
  z
    .object({
      id: z.string(),
      created_at: z.string().openapi({ format: 'date-time' }),
      action: z.string().openapi({ description: 'Like `account.signed_in`.' }),
      by: z.enum(['self', 'operator', 'unknown']),
    })
    .openapi('AccountEvent'),
).openapi('AccountEventList')

const AccountUser = z
  .strictObject({
    id: z.string(),
    email: z.string(),
    email_verified: z.boolean(),
    name: z.string().nullable(),
    picture: z.string().nullable().openapi({ description: 'Where the picture is.' }),
    language: z.string().nullable(),
    two_factor_enabled: z.boolean(),
    has_password: z.boolean().openapi({ description: 'False: single sign-on or passkeys only.' }),
    instance_owner: z.boolean(),
    may_create_workspaces: z.boolean(),
  })
  .openapi('AccountUser')

/** A workspace for its member. */
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
    has_logo: z.boolean().openapi({ description: 'Whether `GET /logo` has one.' }),
    created_at: z.string().openapi({ format: 'date-time' }),
  })
  .openapi('OwnWorkspace')

const Instance = z
  .strictObject({
    claimed: z.boolean().openapi({ description: 'False until the first account is created.' }),
    sign_up: z.enum(['open', 'invitation', 'closed']),
    sign_in: z.strictObject({
      password: z.literal(true),
      passkey: z.boolean(),
      oidc: z.array(z.strictObject({ id: z.string(), name: z.string() })),
    }),
    mail: z.boolean().openapi({ description: 'Whether messages can be sent.' }),
    sells_plans: z.boolean().openapi({ description: 'Whether the prices of plans are charged.' }),
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

/** The response of changes of the account. */
export const AccountSchema = z.strictObject({ user: AccountUser }).openapi('Account')

/** The response of claiming and accepting. */
export const JoinedSchema = z
  .strictObject({ user: AccountUser, workspace: OwnWorkspace })
  .openapi('Joined')

/** `POST /invitations/lookup` */
export const InvitationPreviewSchema = z
  .strictObject({
    workspace: z.strictObject({ name: z.string() }),
    email: z.string(),
    role: z.enum(ROLES),
    invited_by: z
      .strictObject({ name: z.string() })
      .nullable()
      .openapi({ description: 'Null: the account of the person who invited is deleted.' }),
    account_exists: z.boolean().openapi({ description: 'True: sign in, then accept.' }),
  })
  .openapi('InvitationPreview')

export type ClaimInput = z.infer<typeof claimBody>
export type AccountPatch = z.infer<typeof accountBody>
export type AcceptInput = z.infer<typeof acceptBody>
