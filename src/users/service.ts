import { COMMAND_LINE } from '../audit/index.ts'
import type { Clock } from '../base/clock.ts'
import type { Ids } from '../base/ids.ts'
import { type Random, randomString } from '../base/random.ts'
import type { Storage, Transaction } from '../storage/index.ts'
import type { WorkspaceService } from '../workspaces/index.ts'
import { checkNewUser, type NewUser } from './input.ts'
import { hashPassword } from './password.ts'
import { UserRefused } from './refused.ts'
import { hasUsers, insertUser, lockUsers } from './store.ts'

/** Letters and digits that aren't mistaken for each other. */
const PASSWORD_ALPHABET = '23456789abcdefghjkmnpqrstuvwxyzABCDEFGHJKMNPQRSTUVWXYZ'
const GENERATED_LENGTH = 20

/** A person who was just made. */
export interface CreatedUser {
  id: string
  email: string
  name: string | null
  workspace: { id: string; name: string } | null
  /** The password that was made for them, shown once; null when they brought their own. */
  generatedPassword: string | null
}

/** A person as a transaction puts them down; everything was checked before. */
export interface CheckedUser {
  email: string
  name: string | null
  passwordHash: string
  emailVerified: boolean
  language: string | null
}

/** People who can sign in. */
export interface UserService {
  /**
   * @throws UserRefused, WorkspaceRefused, AppError VALIDATION_FAILED, or PLAN_LIMIT_REACHED with
   * MEMBERS_LIMIT; nothing is made then, the workspace neither.
   */
  create(input: NewUser): Promise<CreatedUser>
  /** Puts a person down; their id, or null: the address is taken. The first owns the instance. */
  insert(tx: Transaction, user: CheckedUser): Promise<string | null>
  /** Until the end of the transaction nobody else becomes a user. */
  lock(tx: Transaction): Promise<void>
  /** Whether there is anybody yet. */
  any(sql: Pick<Transaction, 'db'>): Promise<boolean>
}

/** What the service works with. */
export interface UserServiceDeps {
  storage: Pick<Storage, 'write'>
  clock: Clock
  ids: Ids
  random: Random
  workspaces: Pick<WorkspaceService, 'ensure' | 'join'>
}

/** See {@link UserService}. */
export function createUserService(deps: UserServiceDeps): UserService {
  const { storage, clock, ids, random, workspaces } = deps

  async function insert(tx: Transaction, user: CheckedUser): Promise<string | null> {
    const id = ids.next('usr')
    const row = { ...user, id, accountId: ids.next('acc'), now: clock.now() }
    return (await insertUser(tx, row)) ? id : null
  }

  return {
    insert,
    lock: lockUsers,
    any: hasUsers,

    async create(input) {
      const { email, name } = checkNewUser(input)
      const generatedPassword =
        input.password === undefined
          ? randomString(random, PASSWORD_ALPHABET, GENERATED_LENGTH)
          : null
      // Slow on purpose, so before the transaction and on a thread of its own.
      const passwordHash = await hashPassword(input.password ?? (generatedPassword as string))
      return storage.write(async (tx) => {
        // The operator vouches for the address.
        const user = { email, name, passwordHash, emailVerified: true, language: null }
        const id = await insert(tx, user)
        if (id === null) {
          throw new UserRefused('EMAIL_TAKEN', `There is a user ${email} already`)
        }
        if (input.workspace === undefined) {
          return { id, email, name, workspace: null, generatedPassword }
        }
        const workspace = await workspaces.ensure(tx, input.workspace, {}, COMMAND_LINE)
        await workspaces.join(tx, workspace, { id, email }, 'owner', COMMAND_LINE)
        const joined = { id: workspace.id, name: workspace.name }
        return { id, email, name, workspace: joined, generatedPassword }
      })
    },
  }
}
