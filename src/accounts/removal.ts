import { type Actor, COMMAND_LINE, personActor, recordChange } from '../audit/index.ts'
import type { Clock } from '../base/clock.ts'
import { AppError } from '../errors/index.ts'
import type { Person } from '../http/index.ts'
import type { Storage, Transaction } from '../storage/index.ts'
import { lockUsers, verifyPassword } from '../users/index.ts'
import type { Attempts } from './attempts.ts'
import type { Gate } from './gate.ts'
import { LIMITS } from './limits.ts'
import {
  deletePerson,
  hasOtherPeople,
  leaveAll,
  lockWorkspacesOf,
  passwordHashOf,
  personToRemove,
  sessionOpened,
  setInstanceOwner,
  soleOwnerOf,
} from './removal-store.ts'
import type { RemoveInput } from './schemas.ts'
import { FRESH_SECONDS } from './site.ts'
import { userIdByEmail } from './store.ts'

/** What it works with. */
export interface RemovalDeps {
  storage: Pick<Storage, 'read' | 'write'>
  clock: Clock
  attempts: Attempts
  gate: Gate
}

/**
 * Deletes somebody's own account, with sessions, passkeys and second factor. Their address typed
 * once more says that it is meant; the password, or where there is none a sign-in within the last
 * day, that it is them.
 * @throws AppError VALIDATION_FAILED, SIGN_IN_AGAIN, RATE_LIMITED, SOLE_OWNER, INSTANCE_OWNER
 */
export async function removeOwnAccount(
  deps: RemovalDeps,
  person: Person,
  { confirm_email: typed, password }: RemoveInput,
  requestId: string,
): Promise<void> {
  const { storage, clock } = deps
  if (typed.trim().toLowerCase() !== person.email.toLowerCase()) {
    throw invalid('confirm_email', 'EMAIL_MISMATCH')
  }
  await assertThemselves(deps, person, password)
  const actor = personActor(person, requestId)
  await storage.write((tx) => remove(tx, person.userId, actor, clock.now()))
}

async function assertThemselves(
  { storage, clock, attempts, gate }: RemovalDeps,
  { userId, sessionId }: Person,
  password: string | undefined,
): Promise<void> {
  const hash = await passwordHashOf(storage.read, userId)
  if (hash === undefined) {
    const opened = await sessionOpened(storage.read, sessionId)
    if (opened !== undefined && clock.now() - opened < FRESH_SECONDS * 1_000) return
    throw new AppError('SIGN_IN_AGAIN')
  }
  if (password === undefined) throw invalid('password', 'REQUIRED')
  await attempts.take(LIMITS.passwordPerson, userId)
  if (!(await gate.pass(() => verifyPassword(password, hash), userId))) {
    throw invalid('password', 'WRONG_PASSWORD')
  }
  await attempts.refund(LIMITS.passwordPerson, userId)
}

/**
 * The operator's way to delete an account. Null: there is no such person; else the address.
 * @throws AppError SOLE_OWNER, INSTANCE_OWNER
 */
export async function removePerson(
  { storage, clock }: Pick<RemovalDeps, 'storage' | 'clock'>,
  email: string,
): Promise<string | null> {
  const id = await userIdByEmail(storage.read, email.trim())
  if (id === undefined) return null
  return storage.write((tx) => remove(tx, id, COMMAND_LINE, clock.now()))
}

/** Makes somebody the owner of the instance, in the place of whoever is. False: no such person. */
export async function handOverInstance(
  { storage, clock }: Pick<RemovalDeps, 'storage' | 'clock'>,
  email: string,
): Promise<boolean> {
  return storage.write(async (tx) => {
    await lockUsers(tx)
    const id = await userIdByEmail(tx, email.trim())
    return id !== undefined && setInstanceOwner(tx, id, clock.now())
  })
}

/** Null: they are gone already. */
async function remove(
  tx: Transaction,
  userId: string,
  actor: Actor,
  at: number,
): Promise<string | null> {
  // Meanwhile nobody becomes a user, nor the owner of the instance or of these workspaces.
  await lockUsers(tx)
  const person = await personToRemove(tx, userId)
  if (person === undefined) return null
  await lockWorkspacesOf(tx, userId)
  const workspace = await soleOwnerOf(tx, userId)
  if (workspace !== undefined) throw new AppError('SOLE_OWNER', { params: { workspace } })
  // Else nobody could see to the others' plans; the last one leaves an instance to be claimed.
  if (person.instance_owner === 1 && (await hasOtherPeople(tx, userId))) {
    throw new AppError('INSTANCE_OWNER')
  }
  for (const { workspace_no: workspaceNo, role } of await leaveAll(tx, userId)) {
    await recordChange(tx, actor, {
      workspaceNo,
      at,
      action: actor.id === userId ? 'member.left' : 'member.removed',
      target: { type: 'member', id: userId, label: person.email },
      before: { role },
      after: {},
    })
  }
  await deletePerson(tx, userId)
  return person.email
}

function invalid(field: string, code: 'EMAIL_MISMATCH' | 'REQUIRED' | 'WRONG_PASSWORD'): AppError {
  return new AppError('VALIDATION_FAILED', { details: [{ field, code }] })
}
