// The disk after power cuts at random moments. test/faults/power.long.ts has more of them.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { cutPower, momentsOf, powerMissing, type Recording, record } from '../harness/power-run.ts'
import { seeded } from '../harness/random.ts'

/** `POWER_CUTS`: how many moments are tried; `POWER_SEED`: which. */
const CUTS = Number(process.env.POWER_CUTS ?? 6)
const SEED = Number(process.env.POWER_SEED ?? Date.now() % 1_000_000)
const LOAD_MS = 4_000
/** How many moments are tried until one shows that a sync was left out. */
const TRIES = 3
const title = `after a power cut${powerMissing === undefined ? '' : ` (skipped: ${powerMissing})`}`
const PATIENCE_MS = 120_000 + CUTS * 10_000

describe.skipIf(powerMissing !== undefined)(title, () => {
  let scratch: string
  let run: Recording
  beforeAll(async () => {
    scratch = mkdtempSync(join(tmpdir(), 'slugline-power-'))
    run = await record(scratch, LOAD_MS)
  }, PATIENCE_MS)
  afterAll(() => rmSync(scratch, { recursive: true, force: true }))

  test(
    `every answered write is there, and counts, statistics and the synced journal agree, ${CUTS} times`,
    async () => {
      console.log(`POWER_SEED=${SEED}`)
      const random = seeded(SEED)
      const moments = momentsOf(run, CUTS, random)
      expect(await cutPower(run, { moments, random })).toEqual([])
    },
    PATIENCE_MS,
  )

  // What finds nothing must be able to find something.
  test.each([
    ['links', /\/slugline\.db-wal$/, /^call .*: p\d+ is null instead of/],
    ['the journal', /\/journal\/\d+\.log$/, /^call .*: p\d has \d+ clicks: between/],
  ])(
    'a loss is found if the syncs of %s are left out',
    async (_, unsynced, loss) => {
      const end = run.times.findIndex((at) => at > run.until)
      const found: string[] = []
      for (let no = 1; no <= TRIES && !found.some((each) => loss.test(each)); no++) {
        // Late, when much depends on the syncs. All that isn't synced is lost.
        const moments = [Math.floor(end * (1 - no / 20))]
        found.push(...(await cutPower(run, { moments, random: () => 0, unsynced })))
      }
      expect(found).toContainEqual(expect.stringMatching(loss))
    },
    PATIENCE_MS,
  )
})
