import { type Person, type Role, validate } from '../../http/index.ts'
import { addressKey } from '../../lib/base/client-address.ts'
import { withContext } from '../../lib/base/verbs.ts'
import { AppError, invalid } from '../../lib/errors/index.ts'
import { LOCALES } from '../../lib/i18n/index.ts'
import type { Transaction } from '../../platform/storage/index.ts'
import { type Actor, personActor } from '../audit/index.ts'
import type { Plans } from '../plans/service.ts'
import { assertNotCommon, hashPassword, verifyPassword } from '../users/input.ts'
import { lockUsers } from '../users/service.ts'
import { LIMITS } from './attempts.ts'
import { userIdByEmail } from './by-email.ts'
import {
  type AccountServiceDeps,
  account,
  instance,
  type Joined,
  joinedResponse,
  mayCreate,
  ownWorkspaces,
  type Visit,
} from './context.ts'
import { confirmEmailChange, requestEmailChange } from './email-change.ts'
import { exportPersonalData } from './personal-data.ts'
import { picture, removePicture, setPicture } from './pictures.ts'
import { removeOwnAccount } from './removal.ts'
import { type AcceptInput, type AccountPatch, acceptBody, type ClaimInput } from './schemas.ts'

/** A person who accepts an invitation without an account. */
const Newcomer = acceptBody.omit({ token: true }).required()

/** The accounts, for the dashboard's endpoints. */
export function createAccountService(deps: AccountServiceDeps) {
  return withContext(deps, {
    session,
    claim,
    update,
    requestEmailChange,
    confirmEmailChange,
    confirm,
    data,
    remove: removeOwnAccount,
    picture,
    setPicture,
    removePicture,
    createWorkspace,
    invitation,
    accept,
  })
}

async function session(deps: AccountServiceDeps, person: Person | null, { request }: Visit) {
  const [user, workspaces, facts, cookies] = await Promise.all([
    person && account(deps, person.userId),
    person === null ? [] : ownWorkspaces(deps, person.userId),
    instance(deps),
    // Opening a page extends a session in use.
    person === null ? [] : deps.signIn.prolong(person, request),
  ])
  return { body: { user, workspaces, instance: facts }, cookies }
}

/** @throws AppError NOT_FOUND once the instance is claimed, or for another token. */
async function claim(
  deps: AccountServiceDeps,
  { token, email, password, name, workspace }: ClaimInput,
  visit: Visit,
): Promise<Joined> {
  const { storage, users, workspaces, claims, attempts, hashes } = deps
  await attempts.take(LIMITS.claimAddress, addressKey(visit.address))
  if (!(await claims.admits(storage.read, token))) throw new AppError('NOT_FOUND')
  await assertNotCommon('password', password, email)
  const hash = () => hashPassword(password)
  const passwordHash = await hashes.run('signIn', addressKey(visit.address), hash)
  const { id, made } = await storage.write(async (tx) => {
    // Of two concurrent claims with the token the second fails.
    await lockUsers(tx)
    if (!(await claims.admits(tx, token))) throw new AppError('NOT_FOUND')
    const language = languageOf(visit)
    const user = { email, name, passwordHash, emailVerified: true, language }
    const id = await users.insert(tx, user)
    if (id === null) throw new AppError('NOT_FOUND')
    const actor: Actor = { type: 'user', id, name: email, requestId: visit.requestId }
    const planId = ownersPlan(deps.plans)
    // A command that made a key may have created the workspace already, without members.
    const made = await workspaces.ensure(tx, workspace, { planId }, actor)
    await workspaces.join(tx, made, { id, email }, 'owner', actor)
    await claims.close(tx)
    return { id, made }
  })
  return joinedResponse(deps, id, made.id, visit, { password, by: 'claim' })
}

async function update(deps: AccountServiceDeps, { userId }: Person, patch: AccountPatch) {
  const { storage, clock } = deps
  const values = { ...patch, updated_at: clock.now() }
  await storage.write((tx) =>
    tx.db.updateTable('users').set(values).where('id', '=', userId).execute(),
  )
  return account(deps, userId)
}

/** See {@link exportPersonalData}. @throws AppError RATE_LIMITED */
async function data(deps: AccountServiceDeps, userId: string, signal: AbortSignal) {
  await deps.attempts.take(LIMITS.dataPerson, userId)
  return exportPersonalData(deps, userId, signal)
}

/**
 * Makes the session count as just opened, given the password.
 * @throws AppError VALIDATION_FAILED, RATE_LIMITED, REAUTHENTICATION_REQUIRED: there is no password
 */
async function confirm(
  deps: AccountServiceDeps,
  { userId, sessionId }: Person,
  password: string,
): Promise<void> {
  const { storage, attempts, hashes } = deps
  const credential = await storage.read.db
    .selectFrom('accounts')
    .select('password_hash')
    .where('user_id', '=', userId)
    .where('provider_id', '=', 'credential')
    .executeTakeFirst()
  const hash = credential?.password_hash
  if (!hash) throw new AppError('REAUTHENTICATION_REQUIRED')
  await attempts.take(LIMITS.passwordPerson, userId)
  if (!(await hashes.run('signIn', userId, () => verifyPassword(password, hash)))) {
    throw invalid({ field: 'password', code: 'WRONG_PASSWORD' })
  }
  await attempts.refund(LIMITS.passwordPerson, userId)
  await deps.ownSessions.confirm(sessionId)
}

/** @throws AppError FORBIDDEN */
async function createWorkspace(
  deps: AccountServiceDeps,
  person: Person,
  name: string,
  { requestId }: Visit,
) {
  const { storage, workspaces, attempts } = deps
  if (!mayCreate(deps, person.instanceOwner)) throw new AppError('FORBIDDEN')
  await attempts.take(LIMITS.workspacePerson, person.userId)
  const actor = personActor(person, requestId)
  const made = await storage.write(async (tx) => {
    const workspace = await workspaces.create(tx, { name }, actor)
    const user = { id: person.userId, email: person.email }
    await workspaces.join(tx, workspace, user, 'owner', actor)
    return workspace
  })
  const { id, plan, language, created_at } = made
  const role: Role = 'owner'
  return {
    id,
    name: made.name,
    role,
    plan,
    language,
    needs_two_factor: false,
    has_logo: false,
    created_at,
  }
}

/** @throws AppError INVITATION_NOT_FOUND */
async function invitation(deps: AccountServiceDeps, token: string, { address }: Visit) {
  const { storage, invitations, attempts } = deps
  await attempts.take(LIMITS.tokenAddress, addressKey(address))
  const { workspace, email, role, inviter } = await invitations.find(token)
  return {
    workspace: { name: workspace.name },
    email,
    role,
    invited_by: inviter === null ? null : { name: inviter.name ?? inviter.email },
    account_exists: (await userIdByEmail(storage.read, email)) !== undefined,
  }
}

/** @throws AppError INVITATION_NOT_FOUND, ACCOUNT_EXISTS, SIGN_UP_CLOSED, PLAN_LIMIT_REACHED */
async function accept(
  deps: AccountServiceDeps,
  person: Person | null,
  { token, ...input }: AcceptInput,
  visit: Visit,
): Promise<Joined> {
  const { storage, users, invitations, attempts, hashes } = deps
  await attempts.take(LIMITS.tokenAddress, addressKey(visit.address))
  if (person !== null) {
    const user = { id: person.userId, email: person.email }
    const actor = personActor(person, visit.requestId)
    const joined = await storage.write((tx) => invitations.accept(tx, token, user, actor))
    return joinedResponse(deps, person.userId, joined.workspace.id, visit)
  }
  const found = await invitations.find(token)
  if ((await userIdByEmail(storage.read, found.email)) !== undefined) {
    throw new AppError('ACCOUNT_EXISTS')
  }
  if (deps.signUp === 'closed') throw new AppError('SIGN_UP_CLOSED')
  const { name, password } = validate(Newcomer, input)
  await assertNotCommon('password', password, found.email)
  const hash = () => hashPassword(password)
  const passwordHash = await hashes.run('signIn', addressKey(visit.address), hash)
  const work = async (tx: Transaction) => {
    const { email, emailProven } = found
    const user = { email, name, passwordHash, emailVerified: emailProven }
    const id = await users.insert(tx, { ...user, language: languageOf(visit) })
    if (id === null) throw new AppError('ACCOUNT_EXISTS')
    const actor: Actor = { type: 'user', id, name: email, requestId: visit.requestId }
    return { id, joined: await invitations.accept(tx, token, { id, email }, actor) }
  }
  const { id, joined } = await storage.write(work)
  return joinedResponse(deps, id, joined.workspace.id, visit, { password, by: 'invitation' })
}

/** The browser's language; null for pseudo-locales, which tests request. */
function languageOf({ locale, request }: Visit): string | null {
  if (request.headers.get('accept-language') === null) return null
  return LOCALES.find((known) => known === locale) ?? null
}

/** The plan of the operator's workspace: one without limits, if there is any. */
function ownersPlan(plans: Plans): string {
  const unlimited = plans.all.find(({ limits }) =>
    Object.values(limits).every((limit) => limit === null),
  )
  return (unlimited ?? plans.default).id
}
