import type { Scope } from '../http/types.ts'
import { scopesOf } from './scopes.ts'
import type { KeyRow } from './store.ts'

/** A key as it is shown; the key itself can't be shown again. Times are RFC 3339 in UTC. */
export interface ApiKey {
  id: string
  /** The 8 public characters. */
  prefix: string
  name: string
  scopes: Scope[]
  /** `rotating`: it was replaced, and works until the overlap is over. */
  status: 'active' | 'rotating' | 'expired' | 'revoked'
  workspace: { id: string; name: string }
  /** Null: the operator, or somebody whose account is gone. */
  created_by: { email: string } | null
  created_at: string
  expires_at: string | null
  revoked_at: string | null
  /** At most a minute behind. */
  last_used_at: string | null
  /** The id of the key that this one replaced. */
  rotated_from: string | null
}

/** What a row says at a time. */
export function apiKeyOf(row: KeyRow, now: number): ApiKey {
  // Equal when the expiry was what ended it: see slots.ts.
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
    created_at: new Date(row.created_at).toISOString(),
    expires_at: isoOrNull(row.expires_at),
    revoked_at: isoOrNull(revokedAt),
    last_used_at: isoOrNull(row.last_used_at),
    rotated_from: row.rotated_from,
  }
}

function statusOf(isRevoked: boolean, isExpired: boolean, isReplaced: boolean): ApiKey['status'] {
  if (isRevoked) return 'revoked'
  if (isExpired) return 'expired'
  return isReplaced ? 'rotating' : 'active'
}

/** RFC 3339 in UTC with milliseconds. */
export function isoOrNull(at: number | null): string | null {
  return at === null ? null : new Date(at).toISOString()
}
