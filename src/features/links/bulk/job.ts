import { seesFolder } from '../../../lib/base/view.ts'
import { AppError } from '../../../lib/errors/index.ts'
import type { Transaction } from '../../../platform/storage/index.ts'
import type { Actor } from '../../audit/index.ts'
import { restrictedFoldersOf } from '../../folders/index.ts'
import type { JobRun, JobService } from '../../jobs/index.ts'
import type { LinkWriter } from '../context.ts'
import type { FilterQuery } from '../list-query.ts'
import type { LinkService } from '../service.ts'
import type { ByFilterInput, ByFilterState, LinkChange } from './by-filter.ts'
import type { Found } from './filtered.ts'
import type { UndoInput, UndoState } from './undo.ts'

/** The type of jobs that change all matches of a filter. */
const TYPE = 'links.by_filter'
/** The type of jobs that undo one of those. */
const UNDO = 'links.by_filter.undo'
/** How far the number of links may differ from the expected one. */
const TOLERANCE = 0.01

/** Dependencies of the jobs. */
interface ByFilterDeps {
  links: LinkService
  jobs: Pick<JobService, 'assertRoom' | 'enqueue' | 'get' | 'register'>
}

/** A requested change. */
interface Asked {
  filter: FilterQuery
  change: LinkChange
}

export type FilterJobs = ReturnType<typeof createFilterJobs>

/** Jobs that change all links that match a filter. */
export function createFilterJobs({ links, jobs }: ByFilterDeps) {
  jobs.register(TYPE, (run: JobRun<ByFilterInput, ByFilterState>) => links.changeFound(run))
  jobs.register(UNDO, (run: JobRun<UndoInput, UndoState>) => links.undoFound(run))

  return {
    /**
     * Before anything that takes long, such as hashing a password.
     * @throws AppError COUNT_CHANGED if the number of matches differs from the expected one;
     *   TOO_MANY_JOBS
     */
    async count(caller: LinkWriter, filter: FilterQuery, expected: number): Promise<Found> {
      await jobs.assertRoom(caller)
      const found = await links.countFound(caller, filter)
      if (Math.abs(found.total - expected) <= expected * TOLERANCE) return found
      throw new AppError('COUNT_CHANGED', { params: { count: found.total } })
    },

    /** Enqueues the change of the counted links. */
    async enqueue(tx: Transaction, caller: LinkWriter, found: Found, { filter, change }: Asked) {
      const input: ByFilterInput = { ...found, filter, change }
      // The number of matches includes links that are yet to be changed.
      const folders = [
        ...(filter.folder_id === undefined
          ? await restrictedFoldersOf(tx, caller)
          : // A folder that is hidden from the caller matches nothing, as one that doesn't exist.
            seesFolder(caller, filter.folder_id)
            ? [filter.folder_id]
            : []),
        change.patch?.folder_id,
      ]
      return jobs.enqueue(tx, caller, { type: TYPE, input, total: found.total, folders })
    },

    /**
     * Enqueues the undo of such a job. It runs after that one, like all jobs of a workspace.
     * @throws AppError JOB_NOT_FOUND, TOO_MANY_JOBS
     */
    async undo(tx: Transaction, caller: LinkWriter, id: string) {
      const job = await jobs.get(caller, id)
      const { group } = JSON.parse(job.actor) as Actor
      if (job.type !== TYPE || group === undefined) throw new AppError('JOB_NOT_FOUND')
      const total = job.done - job.failed
      const input: UndoInput = { job: id, group, total }
      return jobs.enqueue(tx, caller, { type: UNDO, input, total, about: id })
    },
  }
}
