import { prepare, type Sql, type Storage, type Transaction } from '../storage/index.ts'

interface PersonRow {
  session_id: string
  user_id: string
  email: string
  name: string | null
  language: string | null
  instance_owner: number
}

interface MemberRow {
  role: string
  no: number
  id: string
  language: string | null
  plan_id: string
}

const person = prepare<{ token: string; now: number }, PersonRow>((db, p) =>
  db
    .selectFrom('sessions')
    .innerJoin('users', 'users.id', 'sessions.user_id')
    .select([
      'sessions.id as session_id',
      'users.id as user_id',
      'users.email',
      'users.name',
      'users.language',
      'users.instance_owner',
    ])
    .where('sessions.token', '=', p.token)
    .where('sessions.expires_at', '>', p.now),
)

const member = prepare<{ user_id: string; id: string }, MemberRow>((db, p) =>
  db
    .selectFrom('workspaces')
    .innerJoin('members', 'members.workspace_no', 'workspaces.no')
    .select([
      'members.role',
      'workspaces.no',
      'workspaces.id',
      'workspaces.language',
      'workspaces.plan_id',
    ])
    .where('workspaces.id', '=', p.id)
    .where('members.user_id', '=', p.user_id),
)

/** Whose session it is, while it lasts. */
export async function personByToken(
  sql: Sql,
  token: string,
  now: number,
): Promise<PersonRow | undefined> {
  return (await sql.run(person, { token, now }))[0]
}

/** Somebody's part in a workspace. */
export async function membership(
  sql: Sql,
  userId: string,
  workspaceId: string,
): Promise<MemberRow | undefined> {
  return (await sql.run(member, { user_id: userId, id: workspaceId }))[0]
}

/** Somebody's sessions, the newest first. */
export async function sessionsOf(sql: Sql, userId: string, now: number) {
  return sql.db
    .selectFrom('sessions')
    .select(['id', 'user_agent', 'created_at', 'updated_at', 'expires_at'])
    .where('user_id', '=', userId)
    .where('expires_at', '>', now)
    .orderBy('created_at', 'desc')
    .execute()
}

/** Ends one session of somebody; false: they have none of that id. */
export async function endSession(tx: Transaction, userId: string, id: string): Promise<boolean> {
  const { numDeletedRows } = await tx.db
    .deleteFrom('sessions')
    .where('id', '=', id)
    .where('user_id', '=', userId)
    .executeTakeFirst()
  return numDeletedRows > 0n
}

/** Ends a session by its token. */
export async function dropSession(tx: Transaction, token: string): Promise<void> {
  await tx.db.deleteFrom('sessions').where('token', '=', token).execute()
}

/** When a session ends. */
export async function sessionExpiry(sql: Sql, id: string): Promise<number | undefined> {
  const row = await sql.db
    .selectFrom('sessions')
    .select('expires_at')
    .where('id', '=', id)
    .executeTakeFirst()
  return row?.expires_at
}

/**
 * Takes back what somebody was given besides sessions: addresses to choose a new password at,
 * second steps that were begun, devices that are spared them.
 */
export async function endVerifications(
  storage: Pick<Storage, 'write'>,
  userId: string,
): Promise<void> {
  await storage.write((tx) =>
    tx.db.deleteFrom('verifications').where('value', '=', userId).execute(),
  )
}

/** Deletes the sessions and the tokens whose time is over. */
export async function purgeExpired(storage: Pick<Storage, 'write'>, now: number): Promise<void> {
  await storage.write(
    async (tx) => {
      await tx.db.deleteFrom('sessions').where('expires_at', '<=', now).execute()
      await tx.db.deleteFrom('verifications').where('expires_at', '<=', now).execute()
    },
    { survives: 'process' },
  )
}
