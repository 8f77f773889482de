import { afterEach, beforeEach, expect, test } from 'bun:test'
import { eventually } from '../../../../test/harness/eventually.ts'
import { createCursors } from '../../../http/cursor.ts'
import { createIds } from '../../../lib/base/ids.ts'
import { systemRandom } from '../../../lib/base/random.ts'
import { createMemoryLimiter } from '../../../platform/limits/index.ts'
import { COMMAND_LINE } from '../../audit/index.ts'
import { insertFolder } from '../../folders/store.ts'
import { createJobService, type JobService } from '../../jobs/index.ts'
import { permitting } from '../../jobs/testing/caller-of.ts'
import type { LinkWriter } from '../context.ts'
import { createTestLinks, type TestLinks } from '../testing/links.ts'
import { expectConsistent } from '../testing/tables.ts'
import type { ByFilterResult, LinkChange } from './by-filter.ts'
import { createFilterJobs, type FilterJobs } from './job.ts'

const URL = 'https://example.com/'
const plan = { limits: { links: null, addresses: null } }
const caller: LinkWriter = { workspace: { no: 1, plan }, actor: COMMAND_LINE }

/** What the actors of jobs can't see. */
let hiddenNow: readonly string[] | undefined
let links: TestLinks
let jobs: JobService
let filterJobs: FilterJobs
beforeEach(async () => {
  hiddenNow = undefined
  links = await createTestLinks()
  const { storage, clock, service } = links
  jobs = createJobService({
    storage,
    clock,
    ids: createIds(clock, systemRandom),
    cursors: createCursors('secret'),
    logger: { warn() {}, error: (fields) => console.error(fields) },
    callerOf: permitting(plan.limits, () => hiddenNow),
    limiter: createMemoryLimiter(),
  })
  filterJobs = createFilterJobs({ links: service, jobs })
})
afterEach(async () => {
  await jobs.stop()
  await links.close()
})

async function start(filter: object, change: LinkChange, expected?: number, as = caller) {
  const { total } = await links.service.countFound(as, filter)
  const found = await filterJobs.count(as, filter, expected ?? total)
  const job = (tx: Parameters<typeof filterJobs.enqueue>[0]) =>
    filterJobs.enqueue(tx, as, found, { filter, change })
  return (await links.storage.write(job, { workspaceNo: 1 })).id
}

async function finished(id: string) {
  jobs.start()
  const row = await eventually('the job is finished', async () => {
    const job = await jobs.get(caller, id)
    return job.finished_at === null ? undefined : job
  })
  const { status, done, total, failed } = row
  return { status, done, total, failed, result: JSON.parse(row.result ?? 'null') as ByFilterResult }
}

const create = (slug: string, body: object = {}, workspaceNo = 1) =>
  links.create({ destination_url: URL, slug, ...body }, workspaceNo)
const slugs = async (query: Record<string, string>) =>
  (await links.list({ limit: '100', sort: 'slug', order: 'asc', ...query })).data.map(
    ({ slug }) => slug,
  )
const tag = (text: string) => ({ tag: text, key: text })

test('all links that match a filter are changed, in steps, and no others', async () => {
  for (let n = 0; n < 250; n++) await create(`in-${n}`, { tags: ['in'] })
  await create('out')
  await create('in-theirs', { tags: ['in'] }, 2)
  const id = await start({ tags: ['in'] }, { patch: { enabled: false } })
  // Created after the request.
  await create('in-later', { tags: ['in'] })
  expect(await finished(id)).toEqual({
    status: 'succeeded',
    done: 250,
    total: 250,
    failed: 0,
    result: { succeeded: 250, failed: 0, errors: [] },
  })
  expect(await slugs({ status: 'active' })).toEqual(['in-later', 'out'])
  expect((await links.list({ status: 'disabled' })).pagination.total).toBe(250)
  expect((await links.list({ status: 'disabled' }, 2)).pagination.total).toBe(0)
  const entries = await links.storage.read.db
    .selectFrom('audit')
    .select(['target_id', 'action'])
    .where('action', '=', 'link.updated')
    .execute()
  expect(new Set(entries.map(({ target_id }) => target_id)).size).toBe(250)
  expect(entries).toHaveLength(250)
  await expectConsistent(links)
})

test('a change that takes links out of the filter still reaches all of them', async () => {
  for (let n = 0; n < 120; n++) await create(`l-${n}`)
  const id = await start({ status: 'active' }, { patch: { enabled: false } })
  expect((await finished(id)).result.succeeded).toBe(120)
  expect(await slugs({ status: 'active' })).toEqual([])
})

test('links that were never clicked are changed, and those of one that was are not', async () => {
  for (const slug of ['a', 'b', 'clicked']) await create(slug)
  const { id: clicked = '' } = (await links.list({ slug: 'clicked' })).data[0] ?? {}
  await links.count(clicked, { total: 1, lastClickedAt: links.clock.ms })
  const id = await start({ clicked: false }, { patch: { enabled: false } }, 2)
  expect((await finished(id)).result.succeeded).toBe(2)
  expect(await slugs({ status: 'active' })).toEqual(['clicked'])
  const other = await start({ clicked: true }, { patch: { enabled: false } }, 1)
  expect((await finished(other)).result.succeeded).toBe(1)
})

test('tags are added and removed, keeping others; refusals are reported', async () => {
  await create('a', { tags: ['old', 'x'] })
  await create('b')
  const full = await create('full', { tags: Array.from({ length: 20 }, (_, n) => `t${n}`) })
  const change = { add_tags: [tag('new')], remove_tags: [tag('old')] }
  const { result, status, failed } = await finished(await start({}, change))
  expect([status, failed]).toEqual(['succeeded', 1])
  expect(result).toEqual({
    succeeded: 2,
    failed: 1,
    errors: [
      { id: full.id, code: 'VALIDATION_FAILED', details: [{ field: 'tags', code: 'TOO_MANY' }] },
    ],
  })
  const list = await links.list({ sort: 'slug', order: 'asc' })
  expect(list.data.map(({ tags }) => tags).slice(0, 2)).toEqual([['new', 'x'], ['new']])
  await expectConsistent(links)
})

test('deletes, which can be restored', async () => {
  const kept = await create('kept', { tags: ['k'] })
  await create('gone')
  await create('too')
  const { result } = await finished(await start({ slug: ['gone', 'too'] }, { delete: true }))
  expect(result.succeeded).toBe(2)
  expect((await links.list()).data.map(({ id }) => id)).toEqual([kept.id])
  await expectConsistent(links)
})

test('an undo leaves links deleted that were deleted, or deleted again, since', async () => {
  const changed = await create('changed')
  const again = await create('again')
  const change = await start({ slug: ['changed'] }, { patch: { enabled: false } })
  const deletion = await start({ slug: ['again'] }, { delete: true })
  for (const id of [change, deletion]) expect((await finished(id)).result.succeeded).toBe(1)
  await links.remove(changed.id)
  await links.restore(again.id)
  await links.remove(again.id)
  for (const id of [change, deletion]) {
    const undo = (tx: Parameters<typeof filterJobs.undo>[0]) => filterJobs.undo(tx, caller, id)
    const { id: undone } = await links.storage.write(undo, { workspaceNo: 1 })
    const { result } = await finished(undone)
    expect(result as object).toEqual({ job_id: id, restored: 0, kept: 1 })
  }
  expect((await links.list()).data).toEqual([])
})

test('an undo that waits for its change records the folders of the links', async () => {
  const folder_id = 'fld_1'
  const times = { created_at: links.clock.ms, updated_at: links.clock.ms, version: 1 }
  const folder = { id: folder_id, workspace_no: 1, name: 'F', name_key: 'f', merged_into: null }
  await links.storage.write((tx) => insertFolder(tx, { ...folder, access: 'workspace', ...times }))
  await create('filed', { folder_id })
  const change = await start({}, { patch: { enabled: false } })
  const undo = (tx: Parameters<typeof filterJobs.undo>[0]) => filterJobs.undo(tx, caller, change)
  const { id } = await links.storage.write(undo, { workspaceNo: 1 })
  expect((await finished(id)).result as object).toMatchObject({ restored: 1 })
  const recorded = links.storage.read.db.selectFrom('job_folders').select('folder_id')
  expect(await recorded.where('job_id', '=', id).execute()).toEqual([{ folder_id }])
})

test('the next links are found without reading all others', async () => {
  const count = 1_500
  for (let n = 0; n < count; n++) await create(`n-${n}`, { tags: ['in'] })
  const filter = { tags: ['in'] }
  const found = await links.service.countFound(caller, filter)
  const timeOf = async (limit: number) => {
    let least = Number.POSITIVE_INFINITY
    for (let tries = 0; tries < 20; tries++) {
      const start = performance.now()
      const seqs = await links.service.nextFound(caller, filter, found, limit)
      least = Math.min(least, performance.now() - start)
      expect(seqs).toHaveLength(limit)
    }
    return least
  }
  const all = await timeOf(count)
  expect(await timeOf(1)).toBeLessThan(all / 3)
}, 60_000)

test('links of folders hidden from the caller stay unchanged', async () => {
  await create('seen')
  const hidden = await create('hidden')
  const folder_id = 'fld_hidden'
  await links.storage.write((tx) =>
    tx.db.updateTable('links').set({ folder_id }).where('id', '=', hidden.id).execute(),
  )
  const as = { ...caller, hiddenFolders: [folder_id] }
  hiddenNow = as.hiddenFolders
  const id = await start({}, { delete: true }, 1, as)
  expect((await finished(id)).result.succeeded).toBe(1)
  const { rows } = await links.storage.read.db
    .selectFrom('links')
    .select('id')
    .execute()
    .then((found) => ({ rows: found.map((row) => row.id) }))
  expect(rows).toEqual([hidden.id])
})

test('no job is started if the number of matches is off by more than 1 %', async () => {
  for (let n = 0; n < 200; n++) await create(`l-${n}`)
  const code = (expected: number) =>
    filterJobs.count(caller, {}, expected).then(
      ({ total }) => total,
      (error) => [error.code, error.params.count],
    )
  expect(await code(200)).toBe(200)
  expect(await code(199)).toBe(200)
  expect(await code(198)).toEqual(['COUNT_CHANGED', 200])
  expect(await code(202)).toBe(200)
  expect(await code(203)).toEqual(['COUNT_CHANGED', 200])
  expect(await code(0)).toEqual(['COUNT_CHANGED', 200])
})
