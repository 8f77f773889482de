import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { eventually } from '../../../../test/harness/eventually.ts'
import { createCursors } from '../../../http/cursor.ts'
import { createTestApi, type SendInit, type TestApi } from '../../../http/testing/api.ts'
import { createIds } from '../../../lib/base/ids.ts'
import { systemRandom } from '../../../lib/base/random.ts'
import { syncDomains } from '../../../model/domains/index.ts'
import { createMemoryLimiter, type Limiter } from '../../../platform/limits/index.ts'
import { createOutgoing } from '../../../platform/outgoing/index.ts'
import { createJobService } from '../../jobs/index.ts'
import { registerJobRoutes } from '../../jobs/routes.ts'
import { permitting } from '../../jobs/testing/caller-of.ts'
import { registerByFilterRoutes } from '../../links/bulk/by-filter-routes.ts'
import { createFilterJobs } from '../../links/bulk/job.ts'
import { registerLinkRoutes } from '../../links/routes.ts'
import { createTestLinks, type TestLinks } from '../../links/testing/links.ts'
import { registerImportRoutes } from '../routes.ts'
import { createImportService, type ImportService, type ImportServiceDeps } from '../service.ts'

/** A job in responses. */
export interface ShownJob {
  id: string
  type: string
  name: string | null
  status: string
  progress: { done: number; total: number | null; failed: number }
  result: (Record<string, number> & { kept_until?: string; import_id?: string }) | null
  error: { code: string } | null
}

/** A row in responses. */
export interface ShownRow {
  row: number
  status: string
  slug: string | null
  destination_url: string | null
  link_id: string | null
  reasons: { field: string; code: string; message: string }[]
  warnings?: { field: string; code: string; message: string }[]
  undo: string | null
}

export type TestImports = Awaited<ReturnType<typeof createTestImports>>

/** The content of a fixture in this folder. */
export const fixture = (name: string) => readFile(join(import.meta.dir, name), 'utf8')

const TYPES: Record<string, string> = {
  csv: 'text/csv',
  ndjson: 'application/x-ndjson',
  json: 'application/json',
}

/** Imports behind an API, with the links they create; jobs run in this process. */
export async function createTestImports(
  {
    limiter = createMemoryLimiter(),
    ...deps
  }: Partial<ImportServiceDeps> & { limiter?: Limiter } = {},
  linkDeps: Parameters<typeof createTestLinks>[0] = {},
) {
  const links: TestLinks = await createTestLinks(linkDeps)
  const { storage, clock } = links
  const site: TestApi = await createTestApi({ storage })
  const domains = await syncDomains(storage, 'https://s.example', ['go.example'])
  const cursors = createCursors('secret')
  const ids = createIds(clock, systemRandom)
  const logger = { warn() {}, error: (fields: unknown) => console.error(fields) }
  const limits: Record<'links' | 'addresses' | 'requests_per_minute' | 'burst', number | null> = {
    links: null,
    addresses: null,
    requests_per_minute: null,
    burst: null,
  }
  const callerOf = permitting(limits)
  const startJobs = () =>
    createJobService({ storage, clock, cursors, ids, logger, callerOf, limiter })
  let jobs = startJobs()
  const own = {
    storage,
    clock,
    cursors,
    ids,
    domains,
    links: links.service,
    outgoing: createOutgoing(),
    secrets: { imports: new Uint8Array(32) },
  }
  const imports: ImportService = createImportService({ ...own, jobs, ...deps })
  const filterJobs = createFilterJobs({ links: links.service, jobs })
  registerLinkRoutes(site.api, { links: links.service })
  registerByFilterRoutes(site.api, { links: links.service, filterJobs })
  registerJobRoutes(site.api, { jobs })
  registerImportRoutes(site.api, { imports })
  jobs.start()

  const get = async <T>(path: string): Promise<T> =>
    (await (await site.send('GET', path)).json()) as T

  return {
    links,
    imports,
    api: site.api,
    clock,
    storage,
    limits,
    send: (method: string, path: string, init?: SendInit) => site.send(method, path, init),
    get,
    /** Uploads a text; `kind`: its format. */
    upload: (text: string, kind = 'csv', query = '', headers: Record<string, string> = {}) =>
      site.send('POST', `/api/v1/imports${query && `?${query}`}`, {
        headers: { 'Content-Type': TYPES[kind] ?? kind, ...headers },
        body: text,
      }),
    /** Waits for the end of a response's job. */
    async finished(answer: Response): Promise<ShownJob> {
      if (answer.status !== 202) throw new Error(`${answer.status} ${await answer.text()}`)
      const { id } = (await answer.json()) as ShownJob
      return eventually('the job has ended', async () => {
        const job = await get<ShownJob>(`/api/v1/jobs/${id}`)
        return job.status === 'queued' || job.status === 'running' ? undefined : job
      })
    },
    rows: async (id: string, query = '') =>
      (await get<{ data: ShownRow[] }>(`/api/v1/imports/${id}/rows?limit=100${query}`)).data,
    /** Ends the process that runs jobs. */
    stop: () => jobs.stop(),
    /** Stops the process that runs jobs, and starts another one. */
    async restart(): Promise<void> {
      await jobs.stop()
      jobs = startJobs()
      createImportService({ ...own, jobs, ...deps })
      jobs.start()
    },
    /** Jobs wait from now on. */
    stopJobs: () => jobs.stop(),
    /** The imports of another process with the same database. */
    anotherNode: async () => createImportService({ ...own, jobs: startJobs(), ...deps }),
    async close() {
      await jobs.stop()
      await site.close()
    },
  }
}
