import { expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { journalDirectory } from '../clicks/index.ts'
import { openSite } from '../redirect/testing/site.ts'
import { openDuckDb } from '../statistics/engine/duckdb/index.ts'
import { createClickWriter } from '../statistics/engine/duckdb/write.ts'
import { createEnricher } from '../statistics/enrich/index.ts'
import { statisticsFile } from '../statistics/process/index.ts'
import { ingest } from '../statistics/process/ingest.ts'
import { migrate } from '../storage/index.ts'
import { openSource, type Source } from './source.ts'

const enricher = createEnricher({ geoipDatabase: null })

/** Stores what the journal holds, as the statistics process does. */
async function storeClicks(dir: string): Promise<void> {
  const database = await openDuckDb(statisticsFile(dir))
  const writer = await createClickWriter(database)
  const { enrich } = enricher
  await ingest({ directory: journalDirectory(dir), writer, enrich })
  database.close()
}

async function numbersOf({ counters, clicks }: Source) {
  const [counted] = counters.raw
    .query('SELECT sum(human) AS people, sum(unique_visitors) AS visitors FROM link_counters')
    .all() as { people: number | null; visitors: number | null }[]
  const connection = await clicks.connect()
  const [stored] = await connection.run(
    'SELECT count(*) AS people, count(DISTINCT (link, visitor)) AS visitors FROM clicks',
  )
  return {
    counted: [Number(counted?.people), Number(counted?.visitors)],
    stored: stored?.map(Number),
  }
}

test('every click is in the copies once, however far the journal was counted and stored', async () => {
  const steps = fc.array(
    fc.oneof(
      { weight: 3, arbitrary: fc.tuple(fc.constantFrom('a', 'b'), fc.integer({ min: 1, max: 4 })) },
      { weight: 1, arbitrary: fc.constantFrom('count' as const, 'store' as const) },
    ),
    { minLength: 1, maxLength: 12 },
  )
  await fc.assert(
    fc.asyncProperty(steps, async (list) => {
      const dir = mkdtempSync(join(tmpdir(), 'slugline-source-'))
      await migrate(dir)
      const site = await openSite(dir)
      try {
        for (const slug of ['a', 'b']) await site.addLink({ slug })
        let visits = 0
        const seen = new Set<string>()
        for (const step of list) {
          if (step === 'count') await site.count()
          else if (step === 'store') await storeClicks(dir)
          else {
            const [slug, who] = step
            await site.visit(`/${slug}`, {}, `192.0.2.${who}`)
            seen.add(`${slug} ${who}`)
            visits++
          }
        }
        const options = { dataDir: dir, scratch: join(dir, 'copy'), geoipDatabase: null }
        const before = await site.storage.read.db.selectFrom('link_counters').selectAll().execute()
        const source = await openSource(options)
        const numbers = [visits, seen.size]
        expect(await numbersOf(source)).toEqual({ counted: numbers, stored: numbers })
        // What comes later is not in it, and nothing of it has come into the instance.
        await site.visit('/a')
        await site.addLink({ slug: 'c' })
        expect(source.main.raw.query('SELECT count(*) AS n FROM links').get()).toEqual({ n: 2 })
        source.close()
        const after = await site.storage.read.db.selectFrom('link_counters').selectAll().execute()
        expect(after).toEqual(before)
        const again = await openSource(options)
        expect((await numbersOf(again)).counted[0]).toBe(visits + 1)
        again.close()
      } finally {
        await site.close()
        rmSync(dir, { recursive: true, force: true })
      }
    }),
    { numRuns: 8 },
  )
}, 60_000)
