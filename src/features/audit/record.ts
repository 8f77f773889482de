import { sql as raw, type Selectable } from 'kysely'
import type { Caller, CallerWorkspace, Permission, Person } from '../../http/callers.ts'
import { queryOf } from '../../http/request.ts'
import type { Call } from '../../http/types.ts'
import { type View, viewOf } from '../../lib/base/view.ts'
import { AppError } from '../../lib/errors/index.ts'
import {
  type AuditTable,
  prepare,
  prepareRows,
  SEQS_PER_WORKSPACE,
  type Storage,
  type Transaction,
} from '../../platform/storage/index.ts'
import type { InstanceAction } from './actions.ts'
import { type Actor, type Change, type Fields, INSTANCE } from './types.ts'

/** The numbers of an entry. */
export interface EntryNumbers {
  /** In its workspace's log. */
  number: number
  /** In its workspace's feed of events; null: it is no event. */
  sequence: number | null
}

/**
 * The row of the workspace stays locked until the commit. So no number is missing or used twice, and
 * a reader of an entry can read all those before it.
 */
const takeNumbers = prepare<
  { workspaceNo: number; events: number },
  { number: number; sequence: number }
>((db, p) =>
  db
    .updateTable('workspaces')
    .set((eb) => ({
      audit_made: eb('audit_made', '+', 1),
      events_made: eb('events_made', '+', p.events),
    }))
    .where('no', '=', p.workspaceNo)
    .returning(['audit_made as number', 'events_made as sequence']),
)

/** The number of the next entry about an account: those have the workspace number 0. */
async function takeInstanceEntryNumber(tx: Transaction): Promise<number> {
  const { value } = await tx.db
    .insertInto('instance')
    .values({ name: 'audit_made', value: '1' })
    .onConflict((conflict) =>
      conflict.column('name').doUpdateSet({
        value: raw<string>`CAST(CAST(instance.value AS BIGINT) + 1 AS TEXT)`,
      }),
    )
    .returning('value')
    .executeTakeFirstOrThrow()
  return Number(value)
}

type NewEntry = Omit<Selectable<AuditTable>, 'changes'>

/** Every change inserts one: compiled once, which saves a quarter of the cost of a creation. */
const insert = prepareRows<NewEntry, never>((db, rows) =>
  db.insertInto('audit').values(
    rows.map((p) => {
      const { seq, at, action, version, before, after, request_id, sequence, object } = p
      const { actor_type, actor_id, actor_label, target_type, target_id, target_label } = p
      const actor = { actor_type, actor_id, actor_label }
      const target = { target_type, target_id, target_label }
      const event = { sequence, object, group_seq: p.group_seq }
      return { seq, at, action, version, before, after, request_id, ...actor, ...target, ...event }
    }),
  ),
)

const countChanges = prepare<{ seq: number; count: number }, never>((db, p) =>
  db
    .updateTable('audit')
    .set((eb) => ({ changes: eb(eb.fn.coalesce('changes', eb.lit(0)), '+', p.count) }))
    .where('seq', '=', p.seq),
)

/**
 * Records a change in its own transaction, so that both are committed or neither. Returns the number
 * of its entry.
 * @throws AppError NOT_FOUND: the workspace has been deleted in the meantime.
 */
export async function recordChange(tx: Transaction, actor: Actor, change: Change): Promise<number> {
  const { workspaceNo, object } = change
  if (workspaceNo === INSTANCE) {
    const number = await takeInstanceEntryNumber(tx)
    await recordNumbered(tx, actor, [{ ...change, number, sequence: null }])
    return number
  }
  const events = Number(object !== undefined)
  const [taken] = await tx.run(takeNumbers, { workspaceNo, events })
  if (taken === undefined) throw new AppError('NOT_FOUND')
  const { number, sequence } = taken
  await recordNumbered(tx, actor, [
    { ...change, number, sequence: object === undefined ? null : sequence },
  ])
  return number
}

/**
 * The same for changes whose numbers are reserved already, by raising `audit_made` and `events_made`
 * of their workspace.
 */
export async function recordNumbered(
  tx: Transaction,
  { type: actor_type, id: actor_id, name: actor_label, requestId: request_id, group }: Actor,
  changes: readonly (Change & EntryNumbers)[],
): Promise<void> {
  const rows = changes.map(({ workspaceNo, number, at, action, target, ...change }) => ({
    seq: workspaceNo * SEQS_PER_WORKSPACE + number,
    at,
    action,
    actor_type,
    actor_id,
    actor_label,
    request_id,
    target_type: target.type,
    target_id: target.id,
    target_label: target.label,
    version: change.version ?? null,
    before: JSON.stringify(change.before ?? {}),
    after: JSON.stringify(change.after ?? {}),
    sequence: change.sequence,
    object: change.object === undefined ? null : JSON.stringify(change.object),
    group_seq: group === undefined ? null : workspaceNo * SEQS_PER_WORKSPACE + group,
  }))
  await tx.run(insert(rows.length), rows)
  for (const { before, after, object } of rows) {
    tx.recorded.bytes += Buffer.byteLength(before + after + (object ?? ''))
  }
  const [first] = changes
  const leader = rows[0]?.group_seq
  if (leader) await tx.run(countChanges, { seq: leader, count: rows.length })
  if (first !== undefined && changes.some(({ sequence }) => sequence !== null)) {
    tx.eventRecorded?.(first.workspaceNo)
  }
}

/** The fields that differ between two states, with their old and new values. */
export function changedFields<F extends Fields>(
  before: F,
  after: F,
): { before: Fields; after: Fields } {
  const was: Record<string, unknown> = {}
  const is: Record<string, unknown> = {}
  for (const name of Object.keys(after)) {
    if (JSON.stringify(before[name]) === JSON.stringify(after[name])) continue
    was[name] = before[name]
    is[name] = after[name]
  }
  return { before: was, after: is }
}

/** The caller of a service: the workspace, and the actor that changes are recorded for. */
export interface Writer extends View {
  readonly workspace: CallerWorkspace
  readonly actor: Actor
  /**
   * The person in the dashboard, or whose view a key has; absent: a key that sees everything, or the
   * operator.
   */
  readonly userId?: string | undefined
  readonly scopes?: ReadonlySet<Permission> | undefined
  /** Nothing is written in the end: passwords need no hash. */
  readonly isDryRun?: boolean | undefined
}

/** Records a change of a workspace's object, which the action names first: `tag.created`. */
export async function recordObject(
  tx: Transaction,
  { workspace, actor }: { readonly workspace: { readonly no: number }; readonly actor: Actor },
  action: Change['action'],
  { id, name: label }: { id: string; name: string },
  at: number,
  fields: Pick<Change, 'before' | 'after' | 'object'>,
): Promise<void> {
  const type = action.split('.', 1)[0] as Change['target']['type']
  const target = { type, id, label }
  await recordChange(tx, actor, { workspaceNo: workspace.no, at, action, target, ...fields })
}

/** The actor of a request. */
export function actorOf(caller: Caller, requestId: string): Actor {
  if (caller.kind === 'session') {
    return { type: 'user', id: caller.userId, name: caller.email, requestId }
  }
  const { keyId, keyName = keyId } = caller
  return { type: 'api_key', id: keyId, name: keyName, requestId }
}

/** The part of a request's caller that services need. */
export function writerOf({
  caller,
  requestId,
  dryRun = false,
}: {
  caller: Caller
  requestId: string
  dryRun?: boolean
}): Writer {
  const { workspace, hiddenFolders, scopes } = caller
  const userId = caller.kind === 'session' ? caller.userId : hiddenFolders && caller.person?.id
  const actor = actorOf(caller, requestId)
  const view = viewOf(caller)
  return { workspace, actor, ...view, userId, scopes, ...(dryRun && { isDryRun: true }) }
}

/** The actor of a request outside of any workspace. */
export function personActor({ userId, email }: Person, requestId: string): Actor {
  return { type: 'user', id: userId, name: email, requestId }
}

/** The owner of the instance in a workspace's log, which shows their name but not their address. */
export function operatorActor(person: Person, requestId: string): Actor {
  return { ...personActor(person, requestId), name: person.name ?? 'operator' }
}

/** Records an action on the whole instance. `label`: for example which backup. */
export function recordInstance(
  storage: Pick<Storage, 'write'>,
  actor: Actor,
  action: InstanceAction,
  { label, at, after }: { label: string; at: number; after: Fields },
): Promise<void> {
  const target = { type: 'instance', id: label, label } as const
  return storage.write(async (tx) => {
    await recordChange(tx, actor, { workspaceNo: INSTANCE, at, action, target, after })
  })
}

/** Records an export: by whom, of what, in which format. */
export async function recordExport(
  call: Pick<Call<Caller>, 'caller' | 'mutate' | 'request' | 'requestId'>,
  {
    of,
    file,
    at,
    ...about
  }: { of: 'clicks' | 'links'; file: string; at: number; format: string; link_id?: string },
): Promise<void> {
  const { caller, request, requestId, mutate } = call
  // Parameters are validated already; a dashboard download names its workspace in one.
  const { workspace: _, ...filter } = queryOf(request.url)
  await mutate(async (tx) => {
    await recordChange(tx, actorOf(caller, requestId), {
      workspaceNo: caller.workspace.no,
      at,
      action: `${of}.exported`,
      target: { type: of, id: file, label: file },
      after: { ...filter, ...about },
    })
  })
}
