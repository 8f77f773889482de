import type { Clock } from '../../lib/base/clock.ts'
import type { Storage, Transaction } from '../../platform/storage/index.ts'
import { type Actor, dropEntries, recordChange } from '../audit/index.ts'
import type { Workspace } from './service.ts'

/** Rows per transaction, so that no other write waits long. */
const STEP = 200

export type WorkspaceRemoval = ReturnType<typeof createWorkspaceRemoval>

/** Deletes workspaces for good. */
export function createWorkspaceRemoval(deps: {
  storage: Pick<Storage, 'read' | 'write'>
  clock: Clock
  /** Deletes some links of a workspace; their slugs stay taken. True: none is left. */
  purgeLinks: (tx: Transaction, workspaceNo: number) => Promise<boolean>
  /** Releases the hosts of its domains. */
  dropDomains: (tx: Transaction, workspaceNo: number) => Promise<void>
}) {
  const { storage, clock, purgeLinks, dropDomains } = deps
  let running: Promise<void> | undefined

  /** True: nothing is left. */
  async function step(tx: Transaction, no: number): Promise<boolean> {
    await tx.lock('purge')
    if (!(await purgeLinks(tx, no))) return false
    await dropGroups(tx, no)
    if ((await dropEntries(tx, no, STEP)) === STEP) return false
    if ((await dropIdempotency(tx, no, STEP)) === STEP) return false
    const purged = { purged_at: clock.now() }
    await tx.db.updateTable('deleted_workspaces').set(purged).where('no', '=', no).execute()
    return true
  }

  async function purgeAll(): Promise<void> {
    const rows = await storage.read.db
      .selectFrom('deleted_workspaces')
      .select('no')
      .where('purged_at', 'is', null)
      .execute()
    for (const { no } of rows) {
      let done = false
      while (!done) done = await storage.write((tx) => step(tx, no), { survives: 'process' })
    }
  }

  return {
    /**
     * Deletes a workspace: its keys and members lose access immediately, and its first links stop
     * redirecting. `purge` does the rest within moments.
     */
    async remove(tx: Transaction, workspace: Workspace, actor: Actor): Promise<void> {
      const { no, id, name } = workspace
      const at = clock.now()
      await recordChange(tx, actor, {
        workspaceNo: no,
        at,
        action: 'workspace.deleted',
        target: { type: 'workspace', id, label: name },
        before: { name, plan: workspace.plan, ...workspace.usage },
      })
      await purgeLinks(tx, no)
      await dropDomains(tx, no)
      const jobs = tx.db.selectFrom('jobs').select('id').where('workspace_no', '=', no)
      await tx.db.deleteFrom('job_folders').where('job_id', 'in', jobs).execute()
      for (const table of [
        'api_keys',
        'invitations',
        'members',
        'jobs',
        'logos',
        'utm_templates',
        'views',
        'shares',
      ] as const) {
        await tx.db.deleteFrom(table).where('workspace_no', '=', no).execute()
      }
      // Their deliveries are deleted in steps.
      const ended = { deleted_at: at, enabled: 0 } as const
      await tx.db.updateTable('webhooks').set(ended).where('workspace_no', '=', no).execute()
      await tx.db.deleteFrom('workspaces').where('no', '=', no).execute()
      const deleted = { no, id, deleted_at: at, purged_at: null }
      await tx.db.insertInto('deleted_workspaces').values(deleted).execute()
    },
    /** Deletes, in small steps, what is left of deleted workspaces. */
    async purge(): Promise<void> {
      running ??= purgeAll().finally(() => {
        running = undefined
      })
      await running
    },
  }
}

/** Deletes at most `limit` idempotency records of a workspace. Returns how many. */
async function dropIdempotency(tx: Transaction, no: number, limit: number): Promise<number> {
  const some = tx.db.selectFrom('idempotency').select('key').where('workspace_no', '=', no)
  const { numDeletedRows } = await tx.db
    .deleteFrom('idempotency')
    .where('workspace_no', '=', no)
    .where('key', 'in', some.limit(limit))
    .executeTakeFirst()
  return Number(numDeletedRows)
}

/** Deletes tags and folders, of which a workspace has few. */
async function dropGroups({ db }: Transaction, no: number): Promise<void> {
  await db.deleteFrom('tags').where('workspace_no', '=', no).execute()
  await db
    .deleteFrom('folder_members')
    .where('folder_id', 'in', (eb) =>
      eb.selectFrom('folders').select('id').where('workspace_no', '=', no),
    )
    .execute()
  await db.deleteFrom('folders').where('workspace_no', '=', no).execute()
}
