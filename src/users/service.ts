import type { Clock } from '../base/clock.ts'
import type { Ids } from '../base/ids.ts'
import { type Random, randomString } from '../base/random.ts'
import type { Storage } from '../storage/index.ts'
import type { WorkspaceService } from '../workspaces/index.ts'
import { checkNewUser, type NewUser } from './input.ts'
import { UserRefused } from './refused.ts'
import { insertUser } from './store.ts'

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

/** People. Sign-in is for the accounts that come with the dashboard. */
export interface UserService {
  /**
   * @throws UserRefused, WorkspaceRefused, AppError VALIDATION_FAILED, or PLAN_LIMIT_REACHED with
   * MEMBERS_LIMIT; nothing is made then, the workspace neither.
   */
  create(input: NewUser): Promise<CreatedUser>
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
  return {
    async create(input) {
      const { email, name } = checkNewUser(input)
      const generatedPassword =
        input.password === undefined
          ? randomString(random, PASSWORD_ALPHABET, GENERATED_LENGTH)
          : null
      // Slow on purpose, so before the transaction and on a thread of its own.
      const password_hash = await hashPassword(input.password ?? (generatedPassword as string))
      return storage.write(async (tx) => {
        const id = ids.next('usr')
        const created_at = clock.now()
        const email_key = email.toLowerCase()
        const row = { id, email, email_key, name, password_hash, created_at }
        if (!(await insertUser(tx, row))) {
          throw new UserRefused('EMAIL_TAKEN', `There is a user ${email} already`)
        }
        if (input.workspace === undefined) {
          return { id, email, name, workspace: null, generatedPassword }
        }
        const workspace = await workspaces.ensure(tx, input.workspace)
        await workspaces.join(tx, workspace, id, 'owner')
        const joined = { id: workspace.id, name: workspace.name }
        return { id, email, name, workspace: joined, generatedPassword }
      })
    },
  }
}

/** argon2id in PHC form, at the cost that OWASP's password storage cheat sheet puts first. */
function hashPassword(password: string): Promise<string> {
  return Bun.password.hash(password, { algorithm: 'argon2id', memoryCost: 47_104, timeCost: 1 })
}
