import {
  type QueryClient,
  queryOptions,
  useMutation,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query'
import { X } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { api, ok, type Schemas } from '../api/client.ts'
import { type MessageKey, useI18n } from '../i18n/index.tsx'
import { Button, IconButton } from '../ui/button.tsx'
import { Progress } from '../ui/meter.tsx'
import { usePlace } from './workspace.tsx'

type ServerJob = Schemas['Job']

/** How often a job that runs is asked how far it is. */
const ASK_MS = 1_500
/** So many of the newest jobs are looked at. */
const NEWEST = 10

const isOpen = ({ finished_at }: ServerJob) => finished_at === null

/** The newest jobs of the workspace, which the server does: they go on without this page. */
export function jobsQuery(workspace: string) {
  return queryOptions({
    queryKey: ['jobs', workspace],
    queryFn: ({ signal }) =>
      ok(api.GET('/api/v1/jobs', { params: { query: { limit: NEWEST } }, signal })),
    refetchInterval: ({ state }) => (state.data?.data.some(isOpen) ? ASK_MS : false),
    retry: false,
  })
}

/** Shows a job that was just asked for; it may be over before the server is asked again. */
export function showJob(client: QueryClient, workspace: string, job: ServerJob): void {
  const { queryKey } = jobsQuery(workspace)
  client.setQueryData(queryKey, (old) => ({
    pagination: { limit: NEWEST, has_more: false, next_cursor: null },
    ...old,
    data: [job, ...(old?.data ?? [])],
  }))
  void client.invalidateQueries({ queryKey })
}

const KINDS: Readonly<Record<string, MessageKey>> = {
  links: 'jobs.kind.links',
  imports: 'jobs.kind.imports',
}
const ENDS = {
  succeeded: 'jobs.end.succeeded',
  failed: 'jobs.end.failed',
  cancelled: 'jobs.end.cancelled',
} as const satisfies Record<string, MessageKey>

/** Jobs of the server that run, and those that ended while the person was here. */
export function ServerJobs() {
  const { workspace } = usePlace()
  const client = useQueryClient()
  const jobs = useQuery(jobsQuery(workspace.id)).data?.data
  const [watched, setWatched] = useState<ReadonlySet<string>>(new Set())
  const open = useRef<ReadonlySet<string>>(new Set())
  useEffect(() => {
    if (jobs === undefined) return
    const running = jobs.filter(isOpen).map(({ id }) => id)
    const ended = [...open.current].some((id) => !running.includes(id))
    open.current = new Set(running)
    setWatched((before) => new Set([...before, ...running]))
    // What they have changed shows.
    if (ended) void client.invalidateQueries({ queryKey: ['links', workspace.id] })
  }, [jobs, client, workspace.id])
  const dismiss = (id: string) =>
    setWatched((before) => new Set([...before].filter((one) => one !== id)))
  return jobs
    ?.filter((job) => watched.has(job.id))
    .map((job) => <JobCard key={job.id} job={job} onDismiss={() => dismiss(job.id)} />)
}

function JobCard({ job, onDismiss }: { job: ServerJob; onDismiss: () => void }) {
  const { t } = useI18n()
  const { workspace, may } = usePlace()
  const client = useQueryClient()
  const cancel = useMutation({
    mutationFn: () =>
      ok(api.POST('/api/v1/jobs/{id}/cancel', { params: { path: { id: job.id } } })),
    onSettled: () => client.invalidateQueries({ queryKey: jobsQuery(workspace.id).queryKey }),
  })
  const { status, progress, error } = job
  const kind = t(KINDS[job.type.split('.')[0] ?? ''] ?? 'jobs.kind.other')
  const end = status === 'queued' || status === 'running' ? null : t(ENDS[status])
  return (
    <section
      aria-label={kind}
      className="flex flex-col gap-2 rounded-md bg-raised py-3 ps-4 pe-2 shadow-float"
    >
      <div className="flex items-center justify-between gap-2">
        <p className="font-medium" role="status">
          {end === null ? kind : `${kind} · ${end}`}
        </p>
        {end === null ? (
          may('links:write') ? (
            <Button
              size="sm"
              variant="ghost"
              loading={cancel.isPending}
              onClick={() => cancel.mutate()}
            >
              {t('common.cancel')}
            </Button>
          ) : null
        ) : (
          <IconButton
            size="sm"
            label={t('common.close')}
            icon={<X size={14} aria-hidden="true" />}
            onClick={onDismiss}
          />
        )}
      </div>
      <div className="flex flex-col gap-1.5 pe-2">
        <Progress value={progress.done} max={progress.total ?? progress.done} label={kind} />
        <p className="tabular text-faint text-xs">
          {progress.total === null
            ? null
            : t('jobs.progress', { done: progress.done, total: progress.total })}
          {progress.failed > 0 ? ` · ${t('jobs.failed', { count: progress.failed })}` : ''}
        </p>
        {error === null ? null : <p className="text-bad text-sm">{error.message}</p>}
      </div>
    </section>
  )
}
