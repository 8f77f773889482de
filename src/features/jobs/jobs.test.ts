import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { eventually } from '../../../test/harness/eventually.ts'
import { createCursors } from '../../http/cursor.ts'
import { createTestApi, type TestApi } from '../../http/testing/api.ts'
import { createIds } from '../../lib/base/ids.ts'
import { systemRandom } from '../../lib/base/random.ts'
import { AppError } from '../../lib/errors/index.ts'
import { createMemoryLimiter } from '../../platform/limits/index.ts'
import { type Storage, StorageUnavailable } from '../../platform/storage/index.ts'
import { COMMAND_LINE } from '../audit/index.ts'
import { createJobService, type JobRun, type JobService } from './index.ts'
import { registerJobRoutes } from './routes.ts'
import { permitting } from './testing/caller-of.ts'

const caller = { workspace: { no: 1 }, actor: COMMAND_LINE }

let site: TestApi
const services: JobService[] = []

beforeEach(async () => {
  site = await createTestApi()
  await site.storage.write((tx) =>
    tx.db
      .insertInto('workspaces')
      .values(
        [1, 2].map((no) => ({
          no,
          id: `wsp_${no}`,
          name: `W${no}`,
          name_key: `w${no}`,
          plan_id: 'free',
          language: null,
          created_at: site.clock.ms,
        })),
      )
      .execute(),
  )
})

afterEach(async () => {
  await Promise.all(services.splice(0).map((each) => each.stop()))
  await site.close()
})

/** The jobs of a process; `storage`: its view of the database. */
function processOf(nodeId: string, storage: Storage = site.storage): JobService {
  const { clock } = site
  const made = createJobService({
    storage,
    clock,
    nodeId,
    cursors: createCursors('secret'),
    ids: createIds(clock, systemRandom),
    logger: { warn() {}, error: (fields) => void logged.push(fields) },
    callerOf: permitting({}),
    limiter: createMemoryLimiter(),
  })
  services.push(made)
  return made
}
let logged: unknown[] = []
beforeEach(() => {
  logged = []
})

interface Numbers {
  upTo: number
}

/** Each step adds one number, and `before` is called first. */
function adding(storage: Storage, before: (n: number) => Promise<void> | void = () => {}) {
  return async ({ job, checkpoint }: JobRun<Numbers, number>) => {
    for (let n = job.state ?? 0; n < job.input.upTo; n++) {
      await before(n)
      await storage.write(
        async (tx) => {
          const name = `${job.id} ${n} ${crypto.randomUUID()}`
          await tx.db
            .insertInto('instance')
            .values({ name, value: String(n) })
            .execute()
          await checkpoint(tx, { progress: { done: n + 1 }, state: n + 1 })
        },
        { workspaceNo: job.workspaceNo },
      )
    }
    return { added: job.input.upTo }
  }
}

const add = (jobs: JobService, upTo: number, type = 'numbers.add', as = caller) =>
  site.storage.write((tx) => jobs.enqueue(tx, as, { type, input: { upTo }, total: upTo }))

const added = async () => {
  const rows = await site.storage.read.db.selectFrom('instance').selectAll().execute()
  return rows.filter(({ name }) => name.startsWith('job_')).map(({ value }) => Number(value))
}

const finished = (jobs: JobService, id: string, as = caller) =>
  eventually('the job is finished', async () => {
    const row = await jobs.get(as, id)
    return row.finished_at === null ? undefined : row
  })

describe('a job', () => {
  test('is done in steps, each committed with its progress', async () => {
    const jobs = processOf('a')
    jobs.register('numbers.add', adding(site.storage))
    jobs.start()
    const { id } = await add(jobs, 3)
    expect(await finished(jobs, id)).toMatchObject({
      status: 'succeeded',
      done: 3,
      total: 3,
      failed: 0,
      result: '{"added":3}',
      lease_until: null,
      lease_owner: null,
    })
    expect(await added()).toEqual([0, 1, 2])
  })

  test('that throws an AppError has failed with its code, others with INTERNAL_ERROR', async () => {
    const jobs = processOf('a')
    jobs.register('refused', () => {
      throw new AppError('PAYLOAD_TOO_LARGE', { params: { max: 5 } })
    })
    jobs.register('broken', () => Promise.reject(new Error('SELECT secret')))
    jobs.start()
    const refused = await finished(jobs, (await add(jobs, 1, 'refused')).id)
    const broken = await finished(jobs, (await add(jobs, 1, 'broken')).id)
    expect(refused).toMatchObject({ status: 'failed', result: null })
    expect(JSON.parse(refused.error ?? '')).toEqual({
      code: 'PAYLOAD_TOO_LARGE',
      params: { max: 5 },
    })
    expect(JSON.parse(broken.error ?? '').code).toBe('INTERNAL_ERROR')
    expect(logged).toHaveLength(1)
  })

  test('that is cancelled commits no further steps', async () => {
    const jobs = processOf('a')
    let id = ''
    const cancelled = Promise.withResolvers<void>()
    jobs.register(
      'numbers.add',
      adding(site.storage, async (n) => {
        if (n !== 2) return
        await site.storage.write((tx) => jobs.cancel(tx, caller, id))
        cancelled.resolve()
      }),
    )
    ;({ id } = await add(jobs, 5))
    jobs.start()
    await cancelled.promise
    const row = await finished(jobs, id)
    await jobs.stop()
    expect(row).toMatchObject({ status: 'cancelled', done: 2 })
    expect(await added()).toEqual([0, 1])
    const again = await site.storage.write((tx) => jobs.cancel(tx, caller, id))
    expect(again.finished_at).toBe(row.finished_at)
  })

  test('is interrupted when its process stops, and continued after the restart', async () => {
    const first = processOf('a')
    const reached = Promise.withResolvers<void>()
    const stopped = Promise.withResolvers<void>()
    first.register(
      'numbers.add',
      adding(site.storage, (n) => {
        if (n !== 2) return
        reached.resolve()
        return stopped.promise
      }),
    )
    const { id } = await add(first, 4)
    first.start()
    await reached.promise
    const stopping = first.stop()
    stopped.resolve()
    await stopping
    expect(await first.get(caller, id)).toMatchObject({
      status: 'running',
      done: 2,
      lease_until: 0,
    })
    const second = processOf('a')
    second.register('numbers.add', adding(site.storage))
    second.start()
    expect((await finished(second, id)).status).toBe('succeeded')
    expect(await added()).toEqual([0, 1, 2, 3])
  })

  test('waits while the database is away, and is continued by the same process', async () => {
    let isAway = false
    const refused = Promise.withResolvers<void>()
    const storage: Storage = {
      ...site.storage,
      write(work, options) {
        if (!isAway) return site.storage.write(work, options)
        refused.resolve()
        return Promise.reject(new StorageUnavailable('away'))
      },
    }
    const jobs = processOf('a', storage)
    let times = 0
    jobs.register(
      'numbers.add',
      adding(storage, (n) => {
        if (n === 1 && times++ === 0) isAway = true
      }),
    )
    const { id } = await add(jobs, 3)
    jobs.start()
    await refused.promise
    isAway = false
    expect((await finished(jobs, id)).status).toBe('succeeded')
    expect(await added()).toEqual([0, 1, 2])
  })

  test('that crashes its process each time fails', async () => {
    const jobs = processOf('a')
    jobs.register('numbers.add', adding(site.storage))
    const { id } = await add(jobs, 1)
    await site.storage.write((tx) =>
      tx.db.updateTable('jobs').set({ attempts: 10 }).where('id', '=', id).execute(),
    )
    jobs.start()
    expect((await finished(jobs, id)).status).toBe('failed')
    expect(await added()).toEqual([])
  })

  test('of an unknown type is left for newer versions', async () => {
    const jobs = processOf('a')
    jobs.register('numbers.add', adding(site.storage))
    const unknown = await add(jobs, 1, 'numbers.multiply')
    const known = await add(jobs, 1)
    jobs.start()
    await finished(jobs, known.id)
    expect((await jobs.get(caller, unknown.id)).status).toBe('queued')
  })

  test('is deleted 30 days after its end', async () => {
    const jobs = processOf('a')
    const { id } = await add(jobs, 1)
    await site.storage.write((tx) => jobs.cancel(tx, caller, id))
    const { db } = site.storage.read
    const row = await db
      .selectFrom('jobs')
      .selectAll()
      .where('id', '=', id)
      .executeTakeFirstOrThrow()
    const copies = Array.from({ length: 600 }, (_, n) => ({ ...row, id: `job_copy_${n}` }))
    await site.storage.write((tx) => tx.db.insertInto('jobs').values(copies).execute())
    site.clock.ms += 30 * 86_400_000
    await jobs.purge()
    expect((await jobs.get(caller, id)).id).toBe(id)
    site.clock.ms += 1
    await jobs.purge()
    expect(await jobs.get(caller, id).catch(({ code }) => code)).toBe('JOB_NOT_FOUND')
    const left = db.selectFrom('jobs').select('id').where('id', 'like', 'job_copy_%')
    expect(await left.execute()).toEqual([])
  })
})

test('a waiting job delays only jobs of its own workspace', async () => {
  const jobs = processOf('a')
  const begun: number[] = []
  const gate = Promise.withResolvers<void>()
  jobs.register('waiting', async ({ job: { workspaceNo } }: JobRun) => {
    begun.push(workspaceNo)
    if (begun.length === 1) await gate.promise
    return null
  })
  const other = { ...caller, workspace: { no: 2 } }
  await add(jobs, 1, 'waiting')
  const next = await add(jobs, 1, 'waiting')
  const theirs = await add(jobs, 1, 'waiting', other)
  jobs.start()
  await finished(jobs, theirs.id, other)
  // The queue is searched once more, and the second job is left.
  const again = await add(jobs, 1, 'waiting', other)
  await finished(jobs, again.id, other)
  expect(begun).toEqual([1, 2, 2])
  gate.resolve()
  await finished(jobs, next.id)
  expect(begun).toEqual([1, 2, 2, 1])
})

describe('of several processes', () => {
  test('a job of a dead process is taken over, and the dead one can’t change it any more', async () => {
    const dead = new Set<string>()
    const storage: Storage = {
      ...site.storage,
      write: (work, options) =>
        dead.has('a')
          ? Promise.reject(new StorageUnavailable('dead'))
          : site.storage.write(work, options),
    }
    const first = processOf('a', storage)
    const reached = Promise.withResolvers<void>()
    const frozen = Promise.withResolvers<void>()
    const over = Promise.withResolvers<unknown>()
    // Its steps still reach the database when everything else of it is dead.
    const steps = adding(site.storage, (n) => {
      if (n !== 2) return
      reached.resolve()
      return frozen.promise
    })
    first.register('numbers.add', (run: JobRun<Numbers, number>) => {
      const result = steps(run)
      result.catch(over.resolve)
      return result
    })
    const { id } = await add(first, 4)
    first.start()
    await reached.promise
    dead.add('a')

    const second = processOf('b')
    second.register('numbers.add', adding(site.storage))
    second.start()
    expect((await second.get(caller, id)).lease_owner).toBe('a')
    site.clock.ms += 30_000
    expect((await finished(second, id)).status).toBe('succeeded')
    frozen.resolve()
    expect(await over.promise).toBeInstanceOf(Error)
    expect(await added()).toEqual([0, 1, 2, 3])
  })

  test('only one takes a job', async () => {
    const all = ['a', 'b', 'c'].map((name) => processOf(name))
    for (const each of all) each.register('numbers.add', adding(site.storage))
    const ids = await Promise.all(
      Array.from({ length: 12 }, async () => (await add(all[0] as JobService, 2)).id),
    )
    for (const each of all) each.start()
    for (const id of ids) await finished(all[0] as JobService, id)
    expect((await added()).sort()).toEqual([...Array(12).fill(0), ...Array(12).fill(1)])
  })
})

// biome-ignore lint/suspicious/noExplicitAny: the assertions check the content.
const bodyOf = async (answer: Response | Promise<Response>): Promise<any> => (await answer).json()

describe('the API', () => {
  let jobs: JobService
  beforeEach(() => {
    jobs = processOf('a')
    registerJobRoutes(site.api, { jobs })
  })
  const as = (key: string) => ({ headers: { Authorization: `Bearer ${key}` } })

  test('lists, gets and cancels the jobs of the workspace', async () => {
    const ids = []
    for (let n = 0; n < 3; n++) ids.unshift((await add(jobs, 3)).id)
    const first = await bodyOf(site.send('GET', '/api/v1/jobs?limit=2', as('reader')))
    expect(first.data.map((job: { id: string }) => job.id)).toEqual(ids.slice(0, 2))
    const { next_cursor } = first.pagination
    const rest = await bodyOf(site.send('GET', `/api/v1/jobs?limit=2&cursor=${next_cursor}`))
    expect(rest.data.map((job: { id: string }) => job.id)).toEqual(ids.slice(2))

    const path = `/api/v1/jobs/${ids[0]}`
    const shown = {
      id: ids[0],
      type: 'numbers.add',
      name: null,
      status: 'queued',
      result: null,
      error: null,
      progress: { done: 0, total: 3, failed: 0 },
      actor: { type: 'command', id: null, name: 'command line' },
      created_at: new Date(site.clock.ms).toISOString(),
      started_at: null,
      finished_at: null,
    }
    expect(await (await site.send('GET', path, as('reader'))).json()).toEqual(shown)
    const cancelled = await site.send('POST', `${path}/cancel`)
    expect(cancelled.status).toBe(200)
    expect(await cancelled.json()).toEqual({
      ...shown,
      status: 'cancelled',
      finished_at: new Date(site.clock.ms).toISOString(),
    })
    const entries = await site.storage.read.db
      .selectFrom('audit')
      .select(['action', 'target_id'])
      .where('target_id', '=', ids[0] as string)
      .orderBy('seq')
      .execute()
    expect(entries.map(({ action }) => action)).toEqual(['job.created', 'job.cancelled'])
  })

  test('cancels only what the caller could have started', async () => {
    jobs.register('hooks.send', adding(site.storage), { scope: 'webhooks:write' })
    const { id } = await add(jobs, 1, 'hooks.send')
    const cancel = (key: string) => site.send('POST', `/api/v1/jobs/${id}/cancel`, as(key))
    const refused = await cancel('writer')
    expect([refused.status, (await bodyOf(refused)).error.code]).toEqual([
      ...[403, 'INSUFFICIENT_SCOPE'],
    ])
    expect((await jobs.get(caller, id)).status).toBe('queued')
    site.keys.hooks = { scopes: ['links:write', 'webhooks:write'], workspaceNo: 1 }
    expect(await bodyOf(cancel('hooks'))).toMatchObject({ id, status: 'cancelled' })
  })

  test('says why a job has failed, in the reader’s language', async () => {
    jobs.register('refused', () => Promise.reject(new AppError('SLUG_TAKEN')))
    jobs.start()
    const { id } = await add(jobs, 1, 'refused')
    await finished(jobs, id)
    const messages = await Promise.all(
      ['en', 'de'].map(async (lang) => {
        const answer = await site.send('GET', `/api/v1/jobs/${id}?lang=${lang}`)
        expect(answer.headers.get('content-language')).toBe(lang)
        const { error } = await bodyOf(answer)
        expect(error.code).toBe('SLUG_TAKEN')
        return error.message
      }),
    )
    expect(new Set(messages).size).toBe(2)
  })

  test('answers for others’ jobs like for missing ones, and needs the scope', async () => {
    const { id } = await add(jobs, 1)
    for (const path of [`/api/v1/jobs/${id}`, '/api/v1/jobs/job_none']) {
      for (const [method, suffix] of [
        ['GET', ''],
        ['POST', '/cancel'],
      ] as const) {
        const answer = await site.send(method, path + suffix, as('stranger'))
        expect([answer.status, (await bodyOf(answer)).error.code]).toEqual([404, 'JOB_NOT_FOUND'])
      }
    }
    expect((await site.send('POST', `/api/v1/jobs/${id}/cancel`, as('reader'))).status).toBe(403)
    expect((await bodyOf(site.send('GET', '/api/v1/jobs', as('stranger')))).data).toEqual([])
    expect((await jobs.get(caller, id)).status).toBe('queued')
  })
})
