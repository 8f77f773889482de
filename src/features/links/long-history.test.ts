// Long histories of large changes, which are read without holding the event loop.
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { createLoopWatch } from '../../../test/harness/loop-watch.ts'
import { COMMAND_LINE, recordChange } from '../audit/index.ts'
import { DEFAULT_PLANS } from '../plans/defaults.ts'
import { createTestLinks, type TestLinks } from './testing/links.ts'

const VERSIONS = 1_500
const plan = DEFAULT_PLANS.find(({ id }) => id === 'unlimited') as (typeof DEFAULT_PLANS)[number]
const caller = {
  kind: 'api_key' as const,
  keyId: 'key_1',
  scopes: new Set(['links:read'] as const),
  actor: COMMAND_LINE,
  workspace: { no: 1, id: 'wsp_1', language: null, plan },
}

let links: TestLinks
let id: string
beforeAll(async () => {
  links = await createTestLinks()
  id = (await links.create({ destination_url: 'https://a.example/', slug: 'long' })).id
  const rulesOf = (version: number) =>
    Array.from({ length: 400 }, (_, i) => ({
      id: `r${i}`,
      when: { country: ['DE'] },
      then: { destination_url: `https://a.example/${version}` },
    }))
  const target = { type: 'link', id, label: 'long' } as const
  await links.storage.write(async (tx) => {
    for (let version = 2; version <= VERSIONS; version++) {
      await recordChange(tx, COMMAND_LINE, {
        workspaceNo: 1,
        at: links.clock.ms,
        action: 'link.updated',
        target,
        before: { rules: rulesOf(version - 1) },
        after: { rules: rulesOf(version) },
        version,
      })
    }
    await tx.db.updateTable('links').set({ version: VERSIONS }).where('id', '=', id).execute()
  })
}, 60_000)
afterAll(() => links.close())

/** The longest hold of the event loop; the least of some tries, because other threads work, too. */
async function holdOf(work: () => Promise<unknown>): Promise<number> {
  let least = Number.POSITIVE_INFINITY
  for (let tries = 0; tries < 4 && least >= 250; tries++) {
    const watch = createLoopWatch()
    await work()
    // The timer of the watch has its turn.
    await Bun.sleep(5)
    least = Math.min(least, watch.stop())
  }
  return least
}

test('preparing to restore a version of long ago doesn’t hold the event loop', async () => {
  const prepare = async () => {
    const prepared = await links.service.prepareRestore(caller, id, 1)
    expect(prepared?.changes.reached).toBe(1)
  }
  expect(await holdOf(prepare)).toBeLessThan(250)
}, 60_000)

test('nor does an export of the history', async () => {
  const exported = async () => {
    let bytes = 0
    for await (const part of await links.service.exports.history(caller)) bytes += part.length
    expect(bytes).toBeGreaterThan(VERSIONS * 50_000)
  }
  expect(await holdOf(exported)).toBeLessThan(250)
}, 60_000)
