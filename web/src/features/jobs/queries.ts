import { infiniteQueryOptions, type QueryClient, queryOptions } from '@tanstack/react-query'
import { api, ok, type Schemas } from '../../api/client.ts'
import { pagedQuery } from '../../api/paged-query.ts'
import { workspaceKey } from '../../api/workspace-key.ts'

/** A background job of the server. */
export type Job = Schemas['Job']

/** How often a running job is polled. */
const ASK_MS = 1_500
/** How many of the newest jobs every page checks. */
const NEWEST = 10
const PAGE_SIZE = 50

export const isOver = ({ finished_at }: Pick<Job, 'finished_at'>) => finished_at !== null

const askWhileOpen = (jobs: readonly Job[] = []) => (jobs.every(isOver) ? false : ASK_MS)

/** The key of all queries of a workspace's jobs. */
export const jobsKey = (workspace: string) => workspaceKey(workspace, 'jobs')

/** The newest jobs of the workspace. */
export function newestQuery(workspace: string) {
  return queryOptions({
    queryKey: [...jobsKey(workspace), 'newest'],
    queryFn: ({ signal }) =>
      ok(api.GET('/api/v1/jobs', { params: { query: { limit: NEWEST } }, signal })),
    refetchInterval: ({ state }) => askWhileOpen(state.data?.data),
    retry: false,
  })
}

/** All jobs, the newest first, a page at a time. */
export function jobsQuery(workspace: string) {
  const list = pagedQuery([...jobsKey(workspace), 'list'], (cursor, signal) => {
    const query = { limit: PAGE_SIZE, ...cursor }
    return ok(api.GET('/api/v1/jobs', { params: { query }, signal }))
  })
  return infiniteQueryOptions({
    ...list,
    refetchInterval: ({ state }) => askWhileOpen(state.data?.pages.flatMap(({ data }) => data)),
  })
}

/** One job. */
export function jobQuery(workspace: string, id: string) {
  return queryOptions({
    queryKey: [...jobsKey(workspace), 'one', id],
    queryFn: ({ signal }) => ok(api.GET('/api/v1/jobs/{id}', { params: { path: { id } }, signal })),
    refetchInterval: ({ state }) => (state.data && askWhileOpen([state.data])) ?? false,
  })
}

/** Shows a job that was just started; it may end before the next request. */
export function showJob(client: QueryClient, workspace: string, job: Job): void {
  client.setQueryData(newestQuery(workspace).queryKey, (old) => ({
    pagination: { limit: NEWEST, has_more: false, next_cursor: null },
    ...old,
    data: [job, ...(old?.data ?? [])],
  }))
  client.setQueryData(jobQuery(workspace, job.id).queryKey, job)
  void client.invalidateQueries({ queryKey: jobsKey(workspace) })
}

export function cancelJob(id: string): Promise<Job> {
  return ok(api.POST('/api/v1/jobs/{id}/cancel', { params: { path: { id } } }))
}

export function undoImport(id: string): Promise<Job> {
  return ok(api.POST('/api/v1/imports/{id}/undo', { params: { path: { id } } }))
}

/** Undoes a change by filter. */
export function undoByFilter(id: string): Promise<Job> {
  return ok(api.POST('/api/v1/links/bulk/by-filter/{id}/undo', { params: { path: { id } } }))
}
