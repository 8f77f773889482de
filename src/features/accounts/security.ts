import type { Clock } from '../../lib/base/clock.ts'
import type { Storage, Transaction } from '../../platform/storage/index.ts'
import {
  type ACCOUNT_ACTIONS,
  type Actor,
  type Fields,
  INSTANCE,
  recordChange,
} from '../audit/index.ts'

/** Audited actions on an account or the instance. */
export type AccountAction = (typeof ACCOUNT_ACTIONS)[number]

/** Records an action on a person's account, in its own transaction. */
export async function recordAccount(
  tx: Transaction,
  actor: Actor,
  at: number,
  action: AccountAction,
  { id, email }: { id: string; email: string },
  changes?: { before?: Fields; after?: Fields },
): Promise<void> {
  const target = { type: 'account' as const, id, label: email }
  await recordChange(tx, actor, { workspaceNo: INSTANCE, at, action, target, ...changes })
}

/** {@link recordAccount} in a separate transaction. `by`: the person's id; null: unknown. */
export function recordAlone(
  { storage, clock }: { storage: Pick<Storage, 'write'>; clock: Clock },
  action: AccountAction,
  user: { id: string; email: string },
  by: string | null,
): Promise<void> {
  const actor = { type: 'user', id: by, name: user.email, requestId: null } as const
  return storage.write((tx) => recordAccount(tx, actor, clock.now(), action, user))
}
