import { afterEach, beforeEach } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createIds } from '../../../lib/base/ids.ts'
import { systemRandom } from '../../../lib/base/random.ts'
import { type Plan, UNLIMITED } from '../../../model/plans/types.ts'
import type { Storage } from '../../../platform/storage/index.ts'
import { openTestStorage } from '../../../platform/storage/testing/database.ts'
import { COMMAND_LINE } from '../../audit/index.ts'
import { createPlans } from '../../plans/service.ts'
import type { NewKey } from '../input.ts'
import { createKeyService, type KeyService, type KeyServiceDeps } from '../service.ts'

export const HOUR = 3_600_000
export const DAY = 24 * HOUR
export const START = Date.UTC(2030, 0, 31, 9)
export const BOTH: NewKey = { name: 'ci', scopes: ['links:write', 'links:read'] }

const PLANS = createPlans([plan('five', 5, true), plan('two', 2), plan('none', null)])
/** The instance's own host, and no other. */
export const NO_DOMAINS = {
  hostOf: () => 'localhost:3000',
  knownTo: (_: number | null, host: string) => (host === 'localhost:3000' ? 0 : undefined),
}
const PEPPER = new TextEncoder().encode('a pepper of at least thirty-two bytes')

function plan(id: string, apiKeys: number | null, isDefault = false): Plan {
  return {
    id,
    price: { amount: 0, currency: 'EUR', interval: 'month' },
    limits: { ...UNLIMITED, api_keys: apiKeys },
    features: [],
    default: isDefault,
  }
}

/**
 * For tests of keys: real storage, created for each test, with three workspaces (1 to 3, on plans
 * with room for five, for two, and for any number of keys), and a clock that tests set.
 */
export function keysFixture() {
  let dir: string
  let storage: Storage
  let keys: KeyService
  let now = START
  const clock = { now: () => now }
  const ids = createIds(clock, systemRandom)

  const serviceOn = (store: Storage, deps: Partial<KeyServiceDeps> = {}) =>
    createKeyService({
      storage: store,
      clock,
      ids,
      random: systemRandom,
      pepper: PEPPER,
      plans: PLANS,
      domains: NO_DOMAINS,
      ...deps,
    })

  beforeEach(async () => {
    now = START
    dir = mkdtempSync(join(tmpdir(), 'slugline-keys-'))
    storage = await openTestStorage(dir)
    keys = serviceOn(storage)
    await storage.write(async (tx) => {
      for (const plan_id of ['five', 'two', 'none']) {
        const name = `on ${plan_id}`
        const row = { id: `wsp_${plan_id}`, name, name_key: name, plan_id, language: 'de' }
        await tx.db
          .insertInto('workspaces')
          .values({ ...row, created_at: now })
          .execute()
      }
    })
  })

  afterEach(async () => {
    await keys.close()
    await storage.close()
    rmSync(dir, { recursive: true, force: true })
  })

  return {
    plans: PLANS,
    /** What the service of each test works on. */
    storage: () => storage,
    service: () => keys,
    serviceOn,
    /** The same data, opened again like by another process. */
    openElsewhere: () => openTestStorage(dir),
    pass: (ms: number) => {
      now += ms
    },
    create: (workspaceNo = 1, input: NewKey = BOTH) =>
      storage.write((tx) => keys.create(tx, workspaceNo, input, COMMAND_LINE)),
    revoke: (ref: string) => storage.write((tx) => keys.revoke(tx, ref, {}, COMMAND_LINE)),
    rotate: (ref: string, overlapMs?: number) =>
      storage.write((tx) =>
        keys.rotate(tx, ref, overlapMs === undefined ? {} : { overlapMs }, COMMAND_LINE),
      ),
    works: async (key: string) => (await keys.authenticate(key, '192.0.2.1')) !== null,
    setPlan: (workspaceNo: number, plan_id: string) =>
      storage.write(async (tx) => {
        const workspace = tx.db.updateTable('workspaces').where('no', '=', workspaceNo)
        await workspace.set({ plan_id }).execute()
      }),
    /** How many places of its plan a workspace uses. */
    used: async (workspaceNo = 1) => {
      const workspace = storage.read.db.selectFrom('workspaces').where('no', '=', workspaceNo)
      return (await workspace.select('api_keys_count').executeTakeFirstOrThrow()).api_keys_count
    },
  }
}

/** The error code that work is refused with, or null. */
export async function codeOf(work: Promise<unknown>): Promise<string | null> {
  return work.then(
    () => null,
    (error) => error.code,
  )
}
