import { recordChange, type Writer } from '../features/audit/index.ts'
import { findLink } from '../features/links/index.ts'
import type { Clock } from '../lib/base/clock.ts'
import type { Logger } from '../lib/base/logger.ts'
import { AppError } from '../lib/errors/index.ts'
import { formatTimestamp } from '../lib/validation/timestamp.ts'
import type { Storage, Transaction } from '../platform/storage/index.ts'

/** How long a request waits for its clicks to be deleted. */
const WITHIN_MS = 25_000

/** Dependencies of deletions. */
export interface DeletionOptions {
  storage: Pick<Storage, 'read' | 'write'>
  clock: Clock
  /** See `Backend`. */
  forgetClicks: (linkSeq: number, before: number) => Promise<boolean>
  logger?: Pick<Logger, 'warn'> | undefined
}

/**
 * Deletes clicks of links before a time. A deletion is stored first, with its audit entry, then
 * executed and retried: a crash only delays it.
 */
export function createClickDeletions({ storage, clock, forgetClicks, logger }: DeletionOptions) {
  let running: Promise<void> | undefined

  async function workOff(): Promise<void> {
    const rows = await storage.read.db.selectFrom('click_deletions').selectAll().execute()
    for (const { link_seq, before } of rows) {
      try {
        if (!(await forgetClicks(link_seq, before))) continue
        await storage.write(({ db }) =>
          db
            .deleteFrom('click_deletions')
            .where('link_seq', '=', link_seq)
            .where('before', '=', before)
            .execute(),
        )
      } catch (err) {
        logger?.warn({ err }, 'Clicks could not be deleted; trying again')
      }
    }
  }

  async function run(): Promise<void> {
    // A deletion stored in the meantime may have been too late for the previous run.
    await running
    running ??= workOff().finally(() => {
      running = undefined
    })
    await running
  }

  return {
    /** Stores a deletion. @throws AppError LINK_NOT_FOUND */
    async request(tx: Transaction, caller: Writer, id: string, wanted: number): Promise<void> {
      const { workspace, actor } = caller
      await tx.lockWorkspace(workspace.no)
      const link = await findLink(tx, id, caller)
      if (link === undefined) throw new AppError('LINK_NOT_FOUND')
      const at = clock.now()
      const before = Math.min(wanted, at)
      await tx.db
        .insertInto('click_deletions')
        .values({ link_seq: link.seq, before })
        .onConflict((conflict) =>
          conflict
            .column('link_seq')
            .doUpdateSet({ before })
            .where('click_deletions.before', '<', before),
        )
        .execute()
      await recordChange(tx, actor, {
        workspaceNo: workspace.no,
        at,
        action: 'clicks.deleted',
        // Not the link's id: the link's history shows only changes of the link.
        target: { type: 'clicks', id: `clicks-${link.id}`, label: link.slug },
        after: { link_id: link.id, before: formatTimestamp(before) },
      })
    },
    /** Executes stored deletions. */
    run,
    /** The same for a waiting request, which gives up after a while. */
    runSoon: () => Promise.race([run(), Bun.sleep(WITHIN_MS)]),
  }
}
