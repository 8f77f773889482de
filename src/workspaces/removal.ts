import { type Actor, dropEntries, recordChange } from '../audit/index.ts'
import type { Clock } from '../base/clock.ts'
import type { Storage, Transaction } from '../storage/index.ts'
import type { Workspace } from './service.ts'
import {
  deleteWorkspaceRows,
  dropIdempotency,
  finishPurge,
  keepDeletedWorkspace,
  workspacesToPurge,
} from './store.ts'

/** So many rows at a time, so that no other write waits long. */
const STEP = 200

/** Takes workspaces away for good. */
export interface WorkspaceRemoval {
  /**
   * Ends a workspace: its keys and members have no access from now on. Its first links stop
   * redirecting at once, the others within moments, by {@link purge}.
   */
  remove(tx: Transaction, workspace: Workspace, actor: Actor): Promise<void>
  /** Takes out, in small steps, what removed workspaces have left behind. */
  purge(): Promise<void>
}

/** What it works with. */
export interface WorkspaceRemovalDeps {
  storage: Pick<Storage, 'read' | 'write'>
  clock: Clock
  /** Takes out some links of a workspace, their slugs held for good. True: none is left. */
  purgeLinks: (tx: Transaction, workspaceNo: number) => Promise<boolean>
}

/** See {@link WorkspaceRemoval}. */
export function createWorkspaceRemoval(deps: WorkspaceRemovalDeps): WorkspaceRemoval {
  const { storage, clock, purgeLinks } = deps
  let running: Promise<void> | undefined

  /** True: nothing is left. */
  async function step(tx: Transaction, no: number): Promise<boolean> {
    await tx.lock('purge')
    if (!(await purgeLinks(tx, no))) return false
    if ((await dropEntries(tx, no, STEP)) === STEP) return false
    if ((await dropIdempotency(tx, no, STEP)) === STEP) return false
    await finishPurge(tx, no, clock.now())
    return true
  }

  async function purgeAll(): Promise<void> {
    for (const no of await workspacesToPurge(storage.read)) {
      let done = false
      while (!done) done = await storage.write((tx) => step(tx, no), { survives: 'process' })
    }
  }

  return {
    async remove(tx, workspace, actor) {
      const { no, id, name } = workspace
      const at = clock.now()
      await recordChange(tx, actor, {
        workspaceNo: no,
        at,
        action: 'workspace.deleted',
        target: { type: 'workspace', id, label: name },
        before: { name, plan: workspace.plan, ...workspace.usage },
        after: {},
      })
      await purgeLinks(tx, no)
      await deleteWorkspaceRows(tx, no)
      await keepDeletedWorkspace(tx, { no, id, deleted_at: at, purged_at: null })
    },
    async purge() {
      running ??= purgeAll().finally(() => {
        running = undefined
      })
      await running
    },
  }
}
