import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { eventually } from '../../../test/harness/eventually.ts'
import { createCursors } from '../../http/cursor.ts'
import { createIds } from '../../lib/base/ids.ts'
import { systemRandom } from '../../lib/base/random.ts'
import { UNLIMITED } from '../../model/plans/types.ts'
import { createMemoryLimiter } from '../../platform/limits/index.ts'
import { createOutgoing } from '../../platform/outgoing/index.ts'
import type { Storage } from '../../platform/storage/index.ts'
import { COMMAND_LINE, SYSTEM, type Writer } from '../audit/index.ts'
import { createTestDashboard, type TestDashboard } from '../audit/testing/dashboard.ts'
import { createImportService, type ImportService } from '../imports/service.ts'
import { createJobService, type JobRow, type JobService } from '../jobs/index.ts'
import { createFilterJobs, type FilterJobs } from '../links/bulk/job.ts'
import { createPlans } from '../plans/service.ts'
import { createCallers } from './callers.ts'

const STEP = 100
const LINKS = 3 * STEP
const price = { amount: 0, currency: 'EUR', interval: 'month' } as const
const PLANS = createPlans([
  { id: 'big', price, limits: UNLIMITED, features: [], default: true },
  { id: 'tiny', price, limits: { ...UNLIMITED, links: STEP }, features: [], default: false },
])

let its: TestDashboard
let jobs: JobService
let imports: ImportService
let filterJobs: FilterJobs
/** Before the step with this number, from 1, `then` happens. */
let hold: { step: number; then: () => Promise<unknown> }
let steps = 0

beforeEach(async () => {
  its = await createTestDashboard()
  hold = { step: 0, then: async () => {} }
  steps = 0
  const { storage: real, clock, workspace, keys, links, domains } = its
  await real.write((tx) =>
    tx.db
      .updateTable('workspaces')
      .set({ plan_id: 'big' })
      .where('no', '=', workspace.no)
      .execute(),
  )
  const storage: Storage = {
    ...real,
    async write(work, options) {
      if (options?.workspaceNo !== undefined && ++steps === hold.step) await hold.then()
      return real.write(work, options)
    },
  }
  const [cursors, ids] = [createCursors('secret'), createIds(clock, systemRandom)]
  const logger = { warn() {}, error: (fields: unknown) => console.error(fields) }
  const { callerOf } = createCallers({ storage: real, plans: PLANS, keys })
  const limiter = createMemoryLimiter()
  jobs = createJobService({ storage, clock, cursors, ids, logger, callerOf, limiter })
  const own = { storage, clock, cursors, ids, domains, jobs, links }
  imports = createImportService({
    ...own,
    outgoing: createOutgoing({ allowedNetworks: ['127.0.0.0/8'] as never }),
    secrets: { imports: new Uint8Array(32) },
  })
  // Its steps are written by the links service, which has the real storage.
  filterJobs = createFilterJobs({ jobs, links })
  jobs.start()
})
afterEach(async () => {
  await jobs.stop()
  await its.close()
})

const principal = (actor: Writer['actor']): Writer => {
  const { no, id } = its.workspace
  return { workspace: { no, id, language: null, plan: PLANS.of('big') }, actor }
}
const person = (role: string) =>
  principal({ type: 'user', id: `usr_${role}`, name: role, requestId: null })

async function createKey(): Promise<{ id: string; as: Writer }> {
  const fields = { name: 'ci', scopes: ['links:read', 'links:write'] }
  const { id } = (await its.as('admin', 'POST', '/keys', fields)).body
  return { id, as: principal({ type: 'api_key', id, name: 'ci', requestId: null }) }
}

const row = (n: number) =>
  JSON.stringify({ destination_url: `https://e.example/${n}`, slug: `s${n}` })

async function importFile(
  as: Writer,
  text = Array.from({ length: LINKS }, (_, n) => row(n)).join('\n'),
) {
  const headers = { 'Content-Type': 'application/x-ndjson' }
  const request = new Request('https://s.example/', { method: 'POST', headers, body: text })
  const upload = await imports.receive(as, request)
  const options = { format: 'auto', on_conflict: 'skip', dry_run: false } as const
  return its.storage.write((tx) => imports.start(tx, as, upload, options))
}

const ended = ({ id }: JobRow): Promise<JobRow> =>
  eventually('the job has ended', async () => {
    const job = await jobs.get(principal(SYSTEM), id)
    return job.finished_at === null ? undefined : job
  })
const outcome = ({ status, error }: JobRow) =>
  `${status} ${error === null ? '' : (JSON.parse(error) as { code: string }).code}`.trim()

const countLinks = async (): Promise<number> => {
  const { pagination } = (await its.as('owner', 'GET', '/links?limit=1')).body
  return pagination.total
}

/** What ends the rights of a key of an admin or of a member, and the code of the job then. */
const ENDS: Record<string, { by: 'key' | 'member'; code: string; end: (key: string) => unknown }> =
  {
    'a revoked key': {
      by: 'key',
      code: 'INVALID_API_KEY',
      end: (key) => its.as('admin', 'DELETE', `/keys/${key}`),
    },
    'an expired key': {
      by: 'key',
      code: 'INVALID_API_KEY',
      end: (key) => changeKey(key, { expires_at: its.clock.ms }),
    },
    'a key rotated without overlap': {
      by: 'key',
      code: 'INVALID_API_KEY',
      end: (key) => its.as('admin', 'POST', `/keys/${key}/rotate`, { overlap_seconds: 0 }),
    },
    'a key with fewer scopes': {
      by: 'key',
      code: 'INSUFFICIENT_SCOPE',
      end: (key) => changeKey(key, { scopes: 'links:read' }),
    },
    'a key of a removed admin': {
      by: 'key',
      code: 'INVALID_API_KEY',
      end: () => its.as('owner', 'DELETE', '/members/usr_admin'),
    },
    'a removed member': {
      by: 'member',
      code: 'ACTOR_NOT_PERMITTED',
      end: () => its.as('owner', 'DELETE', '/members/usr_member'),
    },
    'a member who is a viewer now': {
      by: 'member',
      code: 'ACTOR_NOT_PERMITTED',
      end: () => its.as('owner', 'PATCH', '/members/usr_member', { role: 'viewer' }),
    },
  }
const changeKey = (key: string, values: { scopes?: string; expires_at?: number }) =>
  its.storage.write((tx) =>
    tx.db.updateTable('api_keys').set(values).where('id', '=', key).execute(),
  )
const NAMES = Object.keys(ENDS)

async function starter(name: string) {
  const { by, code, end } = ENDS[name] as (typeof ENDS)[string]
  const key = await createKey()
  return { as: by === 'key' ? key.as : person('member'), code, end: async () => end(key.id) }
}

describe('a running job ends with the rights of who started it:', () => {
  test.each(NAMES)('an import of %s', async (name) => {
    const { as, code, end } = await starter(name)
    hold = { step: 3, then: end }
    const job = await ended(await importFile(as))
    expect(outcome(job)).toBe(`failed ${code}`)
    // What was done until then stays, and is listed.
    expect(await countLinks()).toBe(STEP)
    expect(JSON.parse(job.result ?? '')).toMatchObject({ created: STEP })
    const { data } = await imports.rows(as, job.id, { limit: 100 })
    expect(data).toHaveLength(STEP)
  })

  test.each(NAMES)('a change by filter of %s', async (name) => {
    await ended(await importFile(principal(COMMAND_LINE)))
    const { as, code, end } = await starter(name)
    const found = await filterJobs.count(as, {}, LINKS)
    await jobs.stop()
    const asked = { filter: {}, change: { delete: true } } as const
    const job = await its.storage.write((tx) => filterJobs.enqueue(tx, as, found, asked))
    await end()
    const other = startAnother()
    expect(outcome(await ended(job))).toBe(`failed ${code}`)
    expect(await countLinks()).toBe(LINKS)
    await other.stop()
  })

  test.each(NAMES)('an undo of %s', async (name) => {
    const imported = await ended(await importFile(principal(COMMAND_LINE)))
    const { as, code, end } = await starter(name)
    hold = { step: steps + 3, then: end }
    const job = await its.storage.write((tx) => imports.undo(tx, as, imported.id))
    const undone = await ended(job)
    expect(outcome(undone)).toBe(`failed ${code}`)
    expect(JSON.parse(undone.result ?? '')).toMatchObject({ deleted: STEP })
    expect(await countLinks()).toBe(LINKS - STEP)
  })

  test('an import that waits for a slow service', async () => {
    const asked = Promise.withResolvers<void>()
    const requests: string[] = []
    const server = Bun.serve({
      port: 0,
      hostname: '127.0.0.1',
      idleTimeout: 0,
      fetch(request) {
        requests.push(request.url)
        asked.resolve()
        return new Promise<Response>(() => {})
      },
    })
    const { as, end } = await starter('a revoked key')
    const options = { source: 'shlink', on_conflict: 'skip', dry_run: false } as const
    const job = await its.storage.write((tx) =>
      imports.startRemote(tx, as, { ...options, baseUrl: server.url.origin, token: 't' }),
    )
    await asked.promise
    await end()
    expect(outcome(await ended(job))).toBe('failed INVALID_API_KEY')
    expect(requests).toHaveLength(1)
    await server.stop(true)
  })

  /** The jobs of another process. */
  function startAnother() {
    const { storage, clock, links, keys } = its
    const { callerOf } = createCallers({ storage, plans: PLANS, keys })
    const [cursors, ids] = [createCursors('secret'), createIds(clock, systemRandom)]
    const logger = { warn() {}, error: (fields: unknown) => console.error(fields) }
    const limiter = createMemoryLimiter()
    const other = createJobService({ storage, clock, cursors, ids, logger, callerOf, limiter })
    createFilterJobs({ jobs: other, links })
    other.start()
    return other
  }
})

describe('a job goes on', () => {
  test('for a key in the overlap of its rotation', async () => {
    const key = await createKey()
    hold = {
      step: 3,
      then: () => its.as('admin', 'POST', `/keys/${key.id}/rotate`, { overlap_seconds: 3600 }),
    }
    expect(outcome(await ended(await importFile(key.as)))).toBe('succeeded')
    expect(await countLinks()).toBe(LINKS)
  })

  test.each([COMMAND_LINE, SYSTEM])('for $type', async (actor) => {
    expect(outcome(await ended(await importFile(principal(actor))))).toBe('succeeded')
  })

  test('with the plan of each step', async () => {
    const { no } = its.workspace
    const shrink = () =>
      its.storage.write((tx) =>
        tx.db.updateTable('workspaces').set({ plan_id: 'tiny' }).where('no', '=', no).execute(),
      )
    hold = { step: 3, then: shrink }
    const job = await ended(await importFile(person('member')))
    expect(JSON.parse(job.result ?? '')).toMatchObject({ created: STEP, refused: LINKS - STEP })
  })

  test('without the links that its actor can no longer see', async () => {
    const folder = (await its.as('owner', 'POST', '/folders', { name: 'F' })).body.id as string
    await ended(await importFile(principal(COMMAND_LINE)))
    const found = (await its.as('owner', 'GET', '/links?slug=s5')).body.data[0].id as string
    await its.as('owner', 'PATCH', `/links/${found}`, { folder_id: folder })
    hold = {
      step: steps + 2,
      then: () => its.as('owner', 'PATCH', `/folders/${folder}`, { access: 'members' }),
    }
    const options = { format: 'auto', on_conflict: 'update', dry_run: false } as const
    const headers = { 'Content-Type': 'application/x-ndjson' }
    const body = JSON.stringify({ destination_url: 'https://e.example/new', slug: 's5' })
    const request = new Request('https://s.example/', { method: 'POST', headers, body })
    const upload = await imports.receive(person('member'), request)
    const started = its.storage.write((tx) => imports.start(tx, person('member'), upload, options))
    const job = await ended(await started)
    expect(JSON.parse(job.result ?? '')).toMatchObject({ updated: 0, refused: 1 })
    const { body: link } = await its.as('owner', 'GET', `/links/${found}`)
    expect(link.destination_url).toBe('https://e.example/5')
  })
})
