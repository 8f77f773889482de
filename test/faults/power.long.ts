// More power cuts than test/faults/power.test.ts: several recordings, each cut at many moments.
import { expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { cutPower, momentsOf, powerMissing, record } from '../harness/power-run.ts'
import { seeded } from '../harness/random.ts'

const RECORDINGS = 3
/** `POWER_CUTS`: how many moments are tried in all; `POWER_SEED`: which. */
const CUTS = Math.ceil(Number(process.env.POWER_CUTS ?? 60) / RECORDINGS)
const SEED = Number(process.env.POWER_SEED ?? Date.now() % 1_000_000)
const LOAD_MS = 8_000
const skipped = powerMissing === undefined ? '' : ` (skipped: ${powerMissing})`

test.skipIf(powerMissing !== undefined)(
  `every answered write is there after ${RECORDINGS * CUTS} power cuts, and counts, statistics and the synced journal agree${skipped}`,
  async () => {
    console.log(`POWER_SEED=${SEED}`)
    const random = seeded(SEED)
    const scratch = mkdtempSync(join(tmpdir(), 'slugline-power-'))
    const wrong: string[] = []
    let writes = 0
    let visits = 0
    try {
      for (let no = 0; no < RECORDINGS; no++) {
        const run = await record(scratch, LOAD_MS)
        const moments = momentsOf(run, CUTS, random)
        wrong.push(...(await cutPower(run, { moments, random })))
        for (const states of run.ledger.links.values()) writes += states.length
        for (const each of run.ledger.visits.values()) visits += each.length
      }
    } finally {
      rmSync(scratch, { recursive: true, force: true })
    }
    console.log(`${RECORDINGS * CUTS} power cuts, ${writes} writes, ${visits} visits`)
    expect(wrong).toEqual([])
  },
  1_800_000,
)
