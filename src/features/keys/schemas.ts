import { z } from '@hono/zod-openapi'
import { listOf, pageParameters } from '../../http/page.ts'
import { boundedList, checked, someText } from '../../lib/validation/checked.ts'
import { formatTimestamp, parseTimestamp } from '../../lib/validation/timestamp.ts'
import { RestrictionsSchema, type ShownRestrictions } from '../../model/keys/restrictions.ts'
import { SCOPES } from '../../model/keys/scopes.ts'
import { trimmedText } from '../users/input.ts'
import { scopesOf } from './authenticate.ts'
import { KEY_NAME_MAX, OVERLAP_SECONDS_MAX } from './input.ts'
import { RestrictionsInput } from './restrictions.ts'
import type { KeyRow } from './store.ts'

/** The reference's example of a key. */
export const KEY_EXAMPLE = {
  id: 'key_01hzy3v9k2q4r6s8t0v2w4x6y8',
  name: 'Website',
  prefix: 'B2xK9fQz',
  scopes: ['links:read', 'links:write'],
  restrictions: null,
  status: 'active',
  created_at: '2026-05-04T09:30:00.000Z',
  created_by: { type: 'user', id: 'usr_01hzy3v9k2q4r6s8t0v2w4x6y8', name: 'Ada' },
  expires_at: null,
  revoked_at: null,
  last_used_at: null,
  rotated_from: null,
} as const

const time = (description: string) =>
  z.string().nullable().openapi({ format: 'date-time', description })

/** A key as the dashboard lists it. */
export const KeySchema = z
  .object({
    id: z.string(),
    name: z.string(),
    prefix: z.string().openapi({ description: 'The 8 public characters.' }),
    scopes: z.array(z.enum(SCOPES)),
    restrictions: z.union([RestrictionsSchema, z.null()]).openapi({ description: 'Null: none.' }),
    status: z.enum(['active', 'rotating', 'expired', 'revoked']).openapi({
      description: '`rotating`: replaced, and working until it expires.',
    }),
    created_at: z.string().openapi({ format: 'date-time' }),
    created_by: z
      .object({
        type: z.literal('user'),
        id: z.string(),
        name: z.string().nullable().openapi({
          description: 'Their name; for admins in the dashboard, their email address.',
        }),
      })
      .nullable()
      .openapi({ description: 'Null: the operator, or a person whose account is deleted.' }),
    expires_at: time('Null: never.'),
    revoked_at: time('Null: it is not.'),
    last_used_at: time('When it was last used, to within a minute. Null: never.'),
    rotated_from: z.string().nullable().openapi({ description: 'The key that this one replaced.' }),
  })
  .openapi('ApiKey')

export const KeyListSchema = listOf(KeySchema).openapi('ApiKeyList')

/** The only response with the key itself. */
export const NewKeySchema = KeySchema.extend({
  key: z.string().openapi({ description: 'The key. It can never be shown again.' }),
}).openapi('CreatedApiKey')

export const KeyCreateSchema = z
  .strictObject({
    name: someText.openapi({ maxLength: KEY_NAME_MAX }),
    scopes: boundedList(z.string().openapi({ enum: [...SCOPES] }), { max: SCOPES.length }).openapi({
      minItems: 1,
      description: `Of ${SCOPES.join(', ')}.`,
    }),
    restrictions: RestrictionsInput.nullable().optional().openapi({
      description: 'What the key is restricted to. Null or absent: nothing.',
    }),
    expires_at: checked(z.string(), parseTimestamp)
      .nullable()
      .optional()
      .openapi({ format: 'date-time', description: 'Null or absent: never.' }),
  })
  .openapi('ApiKeyCreate')

export const KeyPatchSchema = z
  .strictObject({
    name: trimmedText(KEY_NAME_MAX).optional(),
    restrictions: RestrictionsInput.nullable().optional().openapi({
      description: 'Changed one by one: null ends a restriction, or all of them.',
    }),
  })
  .openapi('ApiKeyPatch')

/** The filters of the list. */
export const KeyListQuery = z.object({
  include_revoked: z
    .enum(['true', 'false'])
    .default('false')
    .openapi({ param: { description: '`true`: with the keys that were revoked.' } }),
  ...pageParameters,
})

export const KeyRotateSchema = z
  .strictObject({
    overlap_seconds: z.int().min(0).max(OVERLAP_SECONDS_MAX).default(86_400).openapi({
      description: 'How long the old key goes on working; 90 days at most.',
    }),
  })
  .openapi('ApiKeyRotate')

/** A key in responses; the operator also sees its workspace. Times are RFC 3339 in UTC. */
export type ApiKey = z.infer<typeof KeySchema> & { workspace: { id: string; name: string } }

/** The API's view of a row at a time. `byName`: without the email address of who made it. */
export function apiKeyOf(
  row: KeyRow,
  now: number,
  restrictions: ShownRestrictions | null,
  byName: boolean,
): ApiKey {
  return {
    id: row.id,
    prefix: row.prefix,
    name: row.name,
    scopes: scopesOf(row.scopes),
    restrictions,
    status: statusAt(row, now),
    workspace: { id: row.workspace_id, name: row.workspace_name },
    created_by: creatorOf(row, byName),
    created_at: formatTimestamp(row.created_at),
    expires_at: formatTimestamp(row.expires_at),
    revoked_at: formatTimestamp(revokedAt(row)),
    last_used_at: formatTimestamp(row.last_used_at),
    rotated_from: row.rotated_from,
  }
}

function creatorOf(row: KeyRow, byName: boolean): ApiKey['created_by'] {
  const { created_by: id, creator_email, creator_name } = row
  if (id === null || creator_email === null) return null
  return { type: 'user', id, name: byName ? creator_name : creator_email }
}

/** Equal to the expiry if the key expired: see `takeSlot`. */
function revokedAt({ revoked_at, expires_at }: KeyRow): number | null {
  return revoked_at === expires_at ? null : revoked_at
}

/** The status of a key at a time. */
export function statusAt(row: KeyRow, now: number): ApiKey['status'] {
  if (revokedAt(row) !== null) return 'revoked'
  if (row.expires_at !== null && row.expires_at <= now) return 'expired'
  return row.successor_id === null ? 'active' : 'rotating'
}
