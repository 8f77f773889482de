import {
  type ACCOUNT_ACTIONS,
  type Actor,
  type Fields,
  INSTANCE,
  recordChange,
} from '../audit/index.ts'
import type { Clock } from '../base/clock.ts'
import type { Storage, Transaction } from '../storage/index.ts'

/** What happens to an account or to the instance, as the audit log names it. */
export type AccountAction = (typeof ACCOUNT_ACTIONS)[number]

/** Records what happened to a person's account, in the transaction that does it. */
export function recordAccount(
  tx: Transaction,
  actor: Actor,
  at: number,
  action: AccountAction,
  { id, email }: { id: string; email: string },
  changes?: { before?: Fields; after?: Fields },
): Promise<void> {
  const target = { type: 'account' as const, id, label: email }
  return recordChange(tx, actor, { workspaceNo: INSTANCE, at, action, target, ...changes })
}

/** {@link recordAccount} in its own transaction. `by`: the person's id; null: it isn't known. */
export function recordAlone(
  { storage, clock }: { storage: Pick<Storage, 'write'>; clock: Clock },
  action: AccountAction,
  user: { id: string; email: string },
  by: string | null,
): Promise<void> {
  const actor = { type: 'user', id: by, name: user.email, requestId: null } as const
  return storage.write((tx) => recordAccount(tx, actor, clock.now(), action, user))
}
