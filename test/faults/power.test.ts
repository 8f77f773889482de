import { afterAll, expect, test } from 'bun:test'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { decodeRecord } from '../../src/clicks/record.ts'
import { eventually } from '../harness/eventually.ts'
import { Disk, recording, replay, syncsIn } from '../harness/power.ts'
import { type Slugline, startSlugline } from '../harness/process.ts'
import { filesIn, testStore } from '../harness/store.ts'

/** `POWER_CUTS`: how many moments are tried. */
const CUTS = Number(process.env.POWER_CUTS ?? 6)
const SEED = Number(process.env.POWER_SEED ?? Date.now() % 1_000_000)
const LOAD_MS = 4_000
const BROWSER = {
  'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
}
const missing = reasonToSkip()
const scratch = mkdtempSync(join(tmpdir(), 'slugline-power-'))
afterAll(() => rmSync(scratch, { recursive: true, force: true }))

function reasonToSkip(): string | undefined {
  if (testStore !== 'embedded') return 'the files are those of one machine'
  if (Bun.which('strace') === null) return 'strace is not installed'
  const traced = Bun.spawnSync(['strace', '-D', '-f', '-o', '/dev/null', 'true'])
  return traced.success ? undefined : 'processes may not be traced here'
}

/** A generator of numbers below 1, the same for each seed. */
function randomOf(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32
  }
}

interface Ledger {
  /** When each link was acknowledged, in milliseconds, by slug. */
  created: Map<string, number>
  requested: Map<string, number>
}

test.skipIf(missing !== undefined)(
  `after ${CUTS} power cuts every answered link is there, and counts, statistics and the synced journal agree${missing ? ` (skipped: ${missing})` : ''}`,
  async () => {
    console.log(`POWER_SEED=${SEED}`)
    const random = randomOf(SEED)
    const first = await startSlugline({ LOG_LEVEL: 'warn' })
    const { key } = await first.createKey({ scopes: 'links:read,links:write' })
    await first.stop()
    const base = filesIn(first.dataDir)
    const trace = join(scratch, 'trace')
    const traced = await startSlugline(
      { LOG_LEVEL: 'warn' },
      { dataDir: first.dataDir, wrapper: recording(trace) },
    )
    const ledger: Ledger = { created: new Map(), requested: new Map() }
    await load(traced, key, ledger)
    await traced.stop()
    const end = new RegExp(`^${traced.pid} .*\\+\\+\\+ exited`, 'm')
    await eventually('the recording has ended', async () =>
      end.test(readFileSync(trace, 'latin1')) ? true : undefined,
    )

    const { calls, syncs } = await syncsIn(trace, '.duckdb.wal')
    const moments = Array.from({ length: CUTS }, (_, no) =>
      no % 2 === 0
        ? Math.floor(1 + random() * calls)
        : (syncs[Math.floor(random() * syncs.length)] ?? 1),
    )
    moments.sort((a, b) => a - b)
    const disk = new Disk(first.dataDir, base)
    let call = 0
    let cut = 0
    for await (const at of replay(trace, disk)) {
      for (call++; moments[cut] === call; cut++) {
        const dataDir = join(scratch, `cut-${cut}`)
        disk.writeTo(dataDir, random)
        const synced = syncedClicks(disk)
        await hold(dataDir, { key, ledger, at, synced })
        rmSync(dataDir, { recursive: true, force: true })
      }
    }
    expect(cut).toBe(CUTS)
    await first.dispose()
  },
  120_000 + CUTS * 10_000,
)

/** Creates links and visits them. */
async function load(slugline: Slugline, key: string, ledger: Ledger): Promise<void> {
  const until = performance.now() + LOAD_MS
  let made = 0
  const create = async () => {
    const slug = `p${made++}`
    const body = { destination_url: 'https://example.com/', slug }
    const answer = await slugline.call('POST', '/api/v1/links', { key, body })
    expect(answer.status).toBe(201)
    ledger.created.set(slug, Date.now())
  }
  await create()
  const repeat = async (step: (no: number) => Promise<void>) => {
    for (let no = 0; performance.now() < until; no++) await step(no)
  }
  await Promise.all([
    repeat(async () => {
      await create()
      await Bun.sleep(40)
    }),
    ...Array.from({ length: 6 }, (_, worker) =>
      repeat(async (no) => {
        const slug = `p${(no * 7 + worker) % Math.min(ledger.created.size, 10)}`
        ledger.requested.set(slug, (ledger.requested.get(slug) ?? 0) + 1)
        const answer = await slugline.call('GET', `/${slug}`, { headers: BROWSER })
        expect(answer.status).toBe(302)
        // Pauses, after which a pass finds little.
        if (no % 40 === 39) await Bun.sleep(300)
      }),
    ),
  ])
}

/** Clicks of each link that the journal has synced, in any segment that there was. */
function syncedClicks(disk: Disk): Map<string, number> {
  const clicks = new Map<string, number>()
  for (const [content, file] of disk.contents) {
    if (!file.includes('/journal/')) continue
    for (const line of content.syncedBytes.toString('latin1').split('\n')) {
      const slug = decodeRecord(line)?.[10]
      if (slug !== undefined) clicks.set(slug, (clicks.get(slug) ?? 0) + 1)
    }
  }
  return clicks
}

interface Expected {
  key: string
  ledger: Ledger
  /** The moment of the power cut. */
  at: number
  synced: Map<string, number>
}

/** Starts on what is left after a power cut, and compares. */
async function hold(dataDir: string, { key, ledger, at, synced }: Expected): Promise<void> {
  const slugline = await startSlugline({ LOG_LEVEL: 'warn' }, { dataDir })
  try {
    const call = async (path: string) => {
      const answer = await slugline.call('GET', path, { key })
      expect([path, answer.status]).toEqual([path, 200])
      return await answer.json()
    }
    await eventually('the journal is counted and stored', async () => {
      const text = await (await fetch(`${slugline.url}/metrics`)).text()
      const backlogs = text.match(/^slugline_(click|statistics)_backlog_bytes 0$/gm)
      return backlogs?.length === 2 ? true : undefined
    })
    const counted = new Map<string, { id: string; total: number }>()
    for (let cursor = ''; ; ) {
      const page = (await call(`/api/v1/links?limit=100${cursor}`)) as {
        data: { slug: string; id: string; clicks: { total: number } }[]
        pagination: { next_cursor: string | null }
      }
      for (const { slug, id, clicks } of page.data) counted.set(slug, { id, total: clicks.total })
      if (page.pagination.next_cursor === null) break
      cursor = `&cursor=${encodeURIComponent(page.pagination.next_cursor)}`
    }
    for (const [slug, when] of ledger.created) {
      if (when < at) expect([slug, counted.has(slug)]).toEqual([slug, true])
    }
    for (const [slug, { id, total }] of counted) {
      expect(total).toBeGreaterThanOrEqual(synced.get(slug) ?? 0)
      expect(total).toBeLessThanOrEqual(ledger.requested.get(slug) ?? 0)
      if (total === 0) continue
      const { totals } = (await call(`/api/v1/links/${id}/stats?bots=include`)) as {
        totals: { clicks: number }
      }
      expect([slug, totals.clicks]).toEqual([slug, total])
    }
  } catch (error) {
    console.error(slugline.output().slice(-3_000))
    throw error
  } finally {
    await slugline.kill()
  }
}
