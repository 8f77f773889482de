/** Which jobs a reader sees while some folders are hidden from them. */
import { afterEach, beforeEach, expect, test } from 'bun:test'
import { createCursors } from '../../http/cursor.ts'
import { createTestApi, type TestApi } from '../../http/testing/api.ts'
import { createIds } from '../../lib/base/ids.ts'
import { systemRandom } from '../../lib/base/random.ts'
import { createMemoryLimiter } from '../../platform/limits/index.ts'
import type { Actor } from '../audit/index.ts'
import { createJobService, type JobService } from './index.ts'
import { permitting } from './testing/caller-of.ts'

const HIDDEN = ['fld_hidden']
let site: TestApi
let jobs: JobService

beforeEach(async () => {
  site = await createTestApi()
  const { storage, clock } = site
  const row = { no: 1, id: 'wsp_1', name: 'W', name_key: 'w', plan_id: 'free', language: null }
  await storage.write((tx) =>
    tx.db
      .insertInto('workspaces')
      .values({ ...row, created_at: clock.ms })
      .execute(),
  )
  jobs = createJobService({
    storage,
    clock,
    cursors: createCursors('secret'),
    ids: createIds(clock, systemRandom),
    logger: { warn() {}, error: console.error },
    callerOf: permitting({}),
    limiter: createMemoryLimiter(),
  })
  jobs.register('import', async () => null)
})
afterEach(async () => {
  await jobs.stop()
  await site.close()
})

const actor = (id: string, name = id): Actor => ({ type: 'user', id, name, requestId: null })
const workspace = { no: 1 }

test('while folders are hidden from a reader, unfinished jobs of others are too', async () => {
  const { id } = await site.storage.write((tx) =>
    // A name doesn't pass for an id.
    jobs.enqueue(
      tx,
      { workspace, actor: actor('usr_maker', '"id":"usr_other"') },
      { type: 'import', input: {} },
    ),
  )
  const readers = {
    maker: { workspace, userId: 'usr_maker', hiddenFolders: HIDDEN },
    'other member': { workspace, userId: 'usr_other', hiddenFolders: HIDDEN },
    'key of a member': { workspace, keyId: 'key_1', hiddenFolders: HIDDEN },
    'member from whom nothing is hidden': { workspace, userId: 'usr_other', hiddenFolders: [] },
    admin: { workspace, userId: 'usr_admin' },
  }
  async function seenBy(): Promise<string[]> {
    const seen: string[] = []
    for (const [name, reader] of Object.entries(readers)) {
      const { data } = await jobs.list(reader, { limit: 10 })
      const found = await jobs.get(reader, id).catch(() => null)
      expect([name, data.length]).toEqual([name, found === null ? 0 : 1])
      if (found !== null) seen.push(name)
    }
    return seen
  }
  expect(await seenBy()).toEqual(['maker', 'member from whom nothing is hidden', 'admin'])
  const stranger = { ...readers['other member'], actor: actor('usr_other') }
  const cancelled = site.storage.write((tx) => jobs.cancel(tx, stranger, id))
  expect(await cancelled.catch(({ code }) => code)).toBe('JOB_NOT_FOUND')
  const maker = { ...readers.maker, actor: actor('usr_maker') }
  await site.storage.write((tx) => jobs.cancel(tx, maker, id))
  // It ended without touching a hidden folder.
  expect(await seenBy()).toEqual(Object.keys(readers))
})
