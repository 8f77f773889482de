import type { Caller, CallerWorkspace, Person } from '../http/types.ts'
import type { Actor } from './types.ts'

/** Who asks, in which workspace, and under what name it is written down. */
export interface Asker {
  readonly workspace: CallerWorkspace
  readonly actor: Actor
}

/** The actor of a request. */
export function actorOf(caller: Caller, requestId: string): Actor {
  if (caller.kind === 'session') {
    return { type: 'user', id: caller.userId, label: caller.email, requestId }
  }
  const { keyId, keyName = keyId } = caller
  return { type: 'api_key', id: keyId, label: keyName, requestId }
}

/** What a service needs to know of whoever sends a request. */
export function askerOf({ caller, requestId }: { caller: Caller; requestId: string }): Asker {
  return { workspace: caller.workspace, actor: actorOf(caller, requestId) }
}

/** The actor of a request that isn't made in a workspace. */
export function personActor({ userId, email }: Person, requestId: string): Actor {
  return { type: 'user', id: userId, label: email, requestId }
}
