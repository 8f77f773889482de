import { sql as raw } from 'kysely'
import { streamOf } from '../../lib/base/streams.ts'
import { formatTimestamp } from '../../lib/validation/timestamp.ts'
import { SEQS_PER_WORKSPACE, type Storage } from '../../platform/storage/index.ts'

/** Entries of the audit log that are read at once. */
const STEP = 500

type Db = Storage['reports']['db']

/**
 * What is stored about a person: a JSON object a line, with its `kind`. Of entries of workspaces only
 * what they did and when, because the rest is the workspace's.
 */
export function exportPersonalData(
  { storage }: { storage: Pick<Storage, 'reports'> },
  userId: string,
  signal: AbortSignal,
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder()
  async function* lines() {
    for await (const objects of parts(storage.reports.db, userId)) {
      const text = objects.map((object) => `${JSON.stringify(object)}\n`).join('')
      if (text !== '') yield encoder.encode(text)
    }
    return undefined
  }
  return streamOf(lines, signal)
}

async function* parts(db: Db, userId: string): AsyncGenerator<object[]> {
  yield await accountOf(db, userId)
  yield await credentialsOf(db, userId)
  yield await workspacesOf(db, userId)
  for (const column of ['actor_id', 'target_id'] as const) yield* activityOf(db, userId, column)
}

async function accountOf(db: Db, userId: string): Promise<object[]> {
  const rows = await db
    .selectFrom('users as u')
    .leftJoin('pictures as p', 'p.user_id', 'u.id')
    .select(['u.id', 'u.email', 'u.email_verified', 'u.name', 'u.language', 'u.created_at'])
    .select(['u.instance_owner', 'u.two_factor_enabled', 'p.png as picture_png'])
    .where('u.id', '=', userId)
    .execute()
  return rows.map(({ created_at, ...row }) => ({
    kind: 'account',
    ...row,
    created_at: formatTimestamp(created_at),
    email_verified: row.email_verified === 1,
    instance_owner: row.instance_owner === 1,
    two_factor_enabled: row.two_factor_enabled === 1,
  }))
}

/** Sessions and ways to sign in, without secrets. */
async function credentialsOf(db: Db, userId: string): Promise<object[]> {
  const [sessions, passkeys, accounts] = await Promise.all([
    db
      .selectFrom('sessions')
      .select(['user_agent', 'created_at', 'updated_at', 'expires_at'])
      .where('user_id', '=', userId)
      .execute(),
    db
      .selectFrom('passkeys')
      .select(['name', 'device_type', 'created_at'])
      .where('user_id', '=', userId)
      .execute(),
    db
      .selectFrom('accounts')
      .select(['provider_id', 'created_at', 'updated_at'])
      .where('user_id', '=', userId)
      .execute(),
  ])
  return [
    ...sessions.map((row) => ({ kind: 'session', ...row })),
    ...passkeys.map((row) => ({ kind: 'passkey', ...row })),
    ...accounts.map((row) => ({ kind: 'sign_in', ...row })),
  ].map(withTimes)
}

/** Memberships, and the keys, invitations and saved views that the person made. */
async function workspacesOf(db: Db, userId: string): Promise<object[]> {
  const [memberships, keys, invitations, views] = await Promise.all([
    db
      .selectFrom('members as m')
      .innerJoin('workspaces as w', 'w.no', 'm.workspace_no')
      .select(['w.id as workspace_id', 'w.name', 'm.role', 'm.created_at'])
      .where('m.user_id', '=', userId)
      .execute(),
    db
      .selectFrom('api_keys as k')
      .innerJoin('workspaces as w', 'w.no', 'k.workspace_no')
      .select(['k.id', 'k.name', 'k.prefix', 'k.scopes', 'w.id as workspace_id'])
      .select(['k.created_at', 'k.expires_at', 'k.revoked_at', 'k.last_used_at'])
      .where('k.created_by', '=', userId)
      .execute(),
    db
      .selectFrom('invitations as i')
      .innerJoin('workspaces as w', 'w.no', 'i.workspace_no')
      .select(['i.email', 'i.role', 'w.id as workspace_id', 'i.created_at', 'i.expires_at'])
      .where('i.invited_by', '=', userId)
      .execute(),
    db
      .selectFrom('views as v')
      .innerJoin('workspaces as w', 'w.no', 'v.workspace_no')
      .select(['v.id', 'v.name', 'w.id as workspace_id', 'v.created_at', 'v.updated_at'])
      .where('v.user_id', '=', userId)
      .execute(),
  ])
  return [
    ...memberships.map((row) => ({ kind: 'membership', ...row })),
    ...keys.map((row) => ({ kind: 'api_key', ...row })),
    ...invitations.map((row) => ({ kind: 'invitation_sent', ...row })),
    ...views.map((row) => ({ kind: 'view', ...row })),
  ].map(withTimes)
}

/** What changed, of entries about accounts: of those of workspaces it isn't shown, and may be large. */
function ofAccount<N extends 'before' | 'after'>(name: N) {
  return raw<string>`CASE WHEN a.seq < ${raw.lit(SEQS_PER_WORKSPACE)}
    THEN ${raw.ref(`a.${name}`)} ELSE '{}' END`.as(name)
}

/** What the person did, or what was done to their account and memberships. */
async function* activityOf(db: Db, userId: string, column: 'actor_id' | 'target_id') {
  const no = raw`a.seq / ${raw.lit(SEQS_PER_WORKSPACE)}`
  for (let last = 0; ; ) {
    const rows = await db
      .selectFrom('audit as a')
      .leftJoin('workspaces as w', (join) => join.on(raw<boolean>`w.no = ${no}`))
      .select(['a.seq', 'a.at', 'a.action', 'a.actor_id', 'a.target_type', 'a.target_id'])
      .select([ofAccount('before'), ofAccount('after'), 'w.id as workspace_id'])
      .where(`a.${column}`, '=', userId)
      .where('a.seq', '>', last)
      .orderBy('a.seq')
      .limit(STEP)
      .execute()
    yield rows
      // Those were listed by their actor already.
      .filter(({ actor_id }) => column === 'actor_id' || actor_id !== userId)
      .map(({ seq, at, action, actor_id, before, after, workspace_id, ...target }) => ({
        kind: 'activity',
        created_at: formatTimestamp(at),
        action,
        workspace_id,
        by: actor_id === userId ? 'you' : 'others',
        target: { type: target.target_type, id: target.target_id },
        ...(seq < SEQS_PER_WORKSPACE && { before: JSON.parse(before), after: JSON.parse(after) }),
      }))
    if (rows.length < STEP) return
    last = rows.at(-1)?.seq ?? last
  }
}

/** A row with RFC 3339 times. */
function withTimes(row: object): object {
  const members = Object.entries(row).map(([name, value]) => [
    name,
    name.endsWith('_at') && value !== null ? formatTimestamp(value as number) : value,
  ])
  return Object.fromEntries(members)
}
