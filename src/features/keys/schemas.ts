import { z } from '@hono/zod-openapi'
import { listOf } from '../../http/page.ts'
import { boundedList, checked } from '../../lib/validation/checked.ts'
import { formatTimestamp, parseTimestamp } from '../../lib/validation/timestamp.ts'
import { SCOPES } from '../../model/keys/scopes.ts'
import { scopesOf } from './authenticate.ts'
import { KEY_NAME_MAX } from './input.ts'
import type { KeyRow } from './store.ts'

const time = (description: string) =>
  z.string().nullable().openapi({ format: 'date-time', description })

/** A key as the dashboard lists it. */
const KeySchema = z
  .object({
    id: z.string(),
    name: z.string(),
    prefix: z.string().openapi({ description: 'The 8 public characters.' }),
    scopes: z.array(z.enum(SCOPES)),
    status: z.enum(['active', 'rotating', 'expired', 'revoked']).openapi({
      description: '`rotating`: replaced, and working until it expires.',
    }),
    created_at: z.string().openapi({ format: 'date-time' }),
    created_by: z
      .object({ email: z.string() })
      .nullable()
      .openapi({ description: 'Null: the operator, or a person whose account is deleted.' }),
    expires_at: time('Null: never.'),
    revoked_at: time('Null: it is not.'),
    last_used_at: time('At most a minute behind. Null: never.'),
    rotated_from: z.string().nullable().openapi({ description: 'The key that this one replaced.' }),
  })
  .openapi('ApiKey')

export const KeyListSchema = listOf(KeySchema).openapi('ApiKeyList')

/** The only response with the key itself. */
export const NewKeySchema = KeySchema.extend({
  key: z.string().openapi({ description: 'The key. It can never be shown again.' }),
}).openapi('NewApiKey')

export const KeyCreateSchema = z
  .strictObject({
    name: z.string().openapi({ maxLength: KEY_NAME_MAX }),
    scopes: boundedList(z.string(), { max: SCOPES.length }).openapi({
      description: `Of ${SCOPES.join(', ')}.`,
    }),
    expires_at: checked(z.string(), parseTimestamp)
      .nullable()
      .optional()
      .openapi({ format: 'date-time', description: 'Null or absent: never.' }),
  })
  .openapi('ApiKeyCreate')

/** The overlap in hours; 90 days at most. */
export const KeyRotateSchema = z
  .strictObject({
    overlap_hours: z
      .number()
      .min(0)
      .max(90 * 24)
      .optional()
      .openapi({ description: 'How long the old key goes on working. Default: 24.' }),
  })
  .openapi('ApiKeyRotate')

/** A key in responses; the operator also sees its workspace. Times are RFC 3339 in UTC. */
export type ApiKey = z.infer<typeof KeySchema> & { workspace: { id: string; name: string } }

/** The API's view of a row at a time. */
export function apiKeyOf(row: KeyRow, now: number): ApiKey {
  // Equal if the key expired: see `takeSlot`.
  const revokedAt = row.revoked_at === row.expires_at ? null : row.revoked_at
  const expired = row.expires_at !== null && row.expires_at <= now
  return {
    id: row.id,
    prefix: row.prefix,
    name: row.name,
    scopes: scopesOf(row.scopes),
    status: statusOf(revokedAt !== null, expired, row.successor_id !== null),
    workspace: { id: row.workspace_id, name: row.workspace_name },
    created_by: row.creator_email === null ? null : { email: row.creator_email },
    created_at: formatTimestamp(row.created_at),
    expires_at: formatTimestamp(row.expires_at),
    revoked_at: formatTimestamp(revokedAt),
    last_used_at: formatTimestamp(row.last_used_at),
    rotated_from: row.rotated_from,
  }
}

function statusOf(isRevoked: boolean, isExpired: boolean, isReplaced: boolean): ApiKey['status'] {
  if (isRevoked) return 'revoked'
  if (isExpired) return 'expired'
  return isReplaced ? 'rotating' : 'active'
}
