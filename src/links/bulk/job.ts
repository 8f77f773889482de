import { AppError } from '../../errors/index.ts'
import type { JobRun, JobService } from '../../jobs/index.ts'
import type { Plans } from '../../plans/service.ts'
import type { Storage, Transaction } from '../../storage/index.ts'
import type { LinkPrincipal } from '../context.ts'
import type { FilterQuery } from '../list-query.ts'
import type { LinkService } from '../service.ts'
import type { ByFilterInput, ByFilterState, LinkChange } from './by-filter.ts'
import type { Found } from './filtered.ts'

/** The type of jobs that change all matches of a filter. */
const TYPE = 'links.by_filter'
/** How far the number of links may differ from the expected one. */
const TOLERANCE = 0.01

/** Dependencies of the jobs. */
interface ByFilterDeps {
  storage: Pick<Storage, 'read'>
  links: LinkService
  jobs: Pick<JobService, 'enqueue' | 'register'>
  plans: Pick<Plans, 'of'>
}

/** A requested change. */
interface Asked {
  filter: FilterQuery
  change: LinkChange
}

export type FilterJobs = ReturnType<typeof createFilterJobs>

/** Jobs that change all links that match a filter. */
export function createFilterJobs({ storage, links, jobs, plans }: ByFilterDeps) {
  jobs.register(TYPE, (run: JobRun<ByFilterInput, ByFilterState>) => {
    const { workspaceNo: no, actor } = run.job
    return links.changeFound(run, async () => {
      const workspaces = storage.read.db.selectFrom('workspaces').where('no', '=', no)
      const workspace = await workspaces.select('plan_id').executeTakeFirst()
      if (workspace === undefined) throw new AppError('NOT_FOUND')
      return { workspace: { no, plan: plans.of(workspace.plan_id) }, actor }
    })
  })

  return {
    /** @throws AppError COUNT_CHANGED if the number of matches differs from the expected one */
    async count(caller: LinkPrincipal, filter: FilterQuery, expected: number): Promise<Found> {
      const found = await links.countFound(caller, filter)
      if (Math.abs(found.total - expected) <= expected * TOLERANCE) return found
      throw new AppError('COUNT_CHANGED', { params: { count: found.total } })
    },

    /** Enqueues the change of the counted links. */
    enqueue(tx: Transaction, caller: LinkPrincipal, found: Found, { filter, change }: Asked) {
      const { hiddenFolders } = caller
      const input: ByFilterInput = { ...found, filter, change, hiddenFolders }
      return jobs.enqueue(tx, caller, { type: TYPE, input, total: found.total })
    },
  }
}
