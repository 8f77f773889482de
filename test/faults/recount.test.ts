import { Database } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { encodeRecord, RECORD_VERSION } from '../../src/clicks/record.ts'
import { journalDirectory, segmentFile } from '../../src/clicks/segments.ts'
import { openDuckDb } from '../../src/statistics/engine/duckdb/index.ts'
import { eventually } from '../harness/eventually.ts'
import { writePlans } from '../harness/plans.ts'
import { type Slugline, startSlugline } from '../harness/process.ts'

const DAY_MS = 86_400_000
const AGENTS = [
  'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Safari/537.36',
  'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)',
  'Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)',
  'curl/8.5.0',
]
const AHEAD = { 'sec-purpose': 'prefetch' }

const pick = <T>(list: readonly T[]): T => list[Math.floor(Math.random() * list.length)] as T
const one = (part: number) => Math.random() < part

/** Each link's number by slug. */
function seqsOf({ dataDir }: Slugline): Map<string, number> {
  const main = new Database(join(dataDir, 'slugline.db'), { readonly: true })
  const rows = main.query<{ slug: string; seq: number }, []>('SELECT slug, seq FROM links').all()
  main.close()
  return new Map(rows.map(({ slug, seq }) => [slug, seq]))
}

/** Clicks of the days before yesterday, as a killed server left them. */
function leaveOldClicks(slugline: Slugline, clicks: number): void {
  const directory = journalDirectory(slugline.dataDir)
  mkdirSync(directory, { recursive: true })
  const seqs = [...seqsOf(slugline).values()]
  const from = (Math.floor(Date.now() / DAY_MS) - 6) * DAY_MS
  const lines = Array.from({ length: clicks }, (_, i) =>
    encodeRecord([
      RECORD_VERSION,
      from + Math.floor((i / clicks) * 4 * DAY_MS),
      pick(seqs),
      one(0.1) ? 1 : 0,
      one(0.1) ? '' : `visitor${i % 40}`.padEnd(16, 'x'),
      pick(AGENTS),
      '192.0.2.0',
      '',
      'de',
      0,
      'a',
      0,
    ]),
  )
  writeFileSync(segmentFile(directory, 1), lines.join(''))
}

test('a healthy instance shows no difference after any clicks', async () => {
  const plans = writePlans({ short: { analytics_retention_days: 3 } })
  const slugline = await startSlugline({
    LOG_LEVEL: 'silent',
    TRUSTED_PROXIES: '127.0.0.1',
    SLUGLINE_PLANS: plans,
  })
  try {
    const { key } = await slugline.createKey({ plan: 'short' })
    const call = async (method: string, path: string, body?: unknown) => {
      const answer = await slugline.call(method, `/api/v1/${path}`, {
        key,
        ...(body === undefined ? {} : { body }),
      })
      expect(answer.status).toBeLessThan(300)
      return answer.status === 204 ? {} : ((await answer.json()) as { id: string })
    }
    const ids: string[] = []
    for (let n = 0; n < 12; n++) {
      const limit = n % 4 === 0 ? { max_clicks: 30 + n } : {}
      const link = { destination_url: `https://example.com/${n}`, slug: `r${n}`, ...limit }
      ids.push(((await call('POST', 'links', link)) as { id: string }).id)
    }
    const recount = async () => {
      await slugline.stop()
      const { status, stdout, stderr } = await slugline.cli('clicks', 'recount', '--json')
      expect(stderr).toBe('')
      expect(status).toBe(0)
      return JSON.parse(stdout) as { links: number; differences: object[] }
    }
    await slugline.stop()
    leaveOldClicks(slugline, 3_000)
    await slugline.restart()
    const visit = async () => {
      const headers: Record<string, string> = {
        'user-agent': pick(AGENTS),
        'x-forwarded-for': `198.51.100.${Math.floor(Math.random() * 30)}`,
        ...(one(0.1) ? AHEAD : {}),
        ...(one(0.1) ? { 'sec-gpc': '1' } : {}),
      }
      const path = `/r${Math.floor(Math.random() * 12)}${one(0.1) ? '?qr=1' : ''}`
      const answer = await slugline.call(one(0.1) ? 'HEAD' : 'GET', path, { headers })
      expect([302, 404, 410]).toContain(answer.status)
    }
    const traffic = async (visits: number) => {
      for (let done = 0; done < visits; done += 20) {
        await Promise.all(Array.from({ length: 20 }, visit))
      }
    }
    await traffic(600)
    // Deleted; deleted and restored with its clicks.
    await call('DELETE', `links/${ids[1]}`)
    await call('DELETE', `links/${ids[2]}`)
    await traffic(600)
    expect(await recount()).toMatchObject({ links: 10, differences: [] })
    await slugline.restart()
    await call('POST', `links/${ids[2]}/restore`, {})
    await traffic(400)
    expect(await recount()).toMatchObject({ links: 11, differences: [] })
    await slugline.restart()
    // For clicks past the retention only the daily totals stay.
    const before = new Date(Date.now() - 4 * DAY_MS).toISOString()
    await eventually('old clicks are purged', async () => {
      const answer = await slugline.call('GET', `/api/v1/clicks?limit=1&to=${before}`, { key })
      // The statistics process is starting.
      if (answer.status === 503) return undefined
      return ((await answer.json()) as { data: object[] }).data.length === 0 ? true : undefined
    })
    expect(await recount()).toMatchObject({ links: 11, differences: [] })
    const database = await openDuckDb(join(slugline.dataDir, 'statistics.duckdb'))
    const [row = []] = await (await database.connect()).run(
      `SELECT (SELECT sum(clicks) FROM daily), count(*), (SELECT count(DISTINCT day) FROM daily)
       FROM clicks`,
    )
    database.close()
    const [purged, kept, days] = row.map(Number)
    expect(days).toBe(3)
    expect(purged).toBeGreaterThan(2_000)
    expect(kept).toBeGreaterThan(1_000)
  } finally {
    await slugline.dispose()
  }
})

test('lost counters are made anew from the stored clicks, and a recount finds no difference', async () => {
  const slugline = await startSlugline({ LOG_LEVEL: 'silent' })
  try {
    const { key } = await slugline.createKey()
    const body = { destination_url: 'https://example.com/', slug: 'a' }
    expect((await slugline.call('POST', '/api/v1/links', { key, body })).status).toBe(201)
    const headers = { 'user-agent': AGENTS[0] as string }
    const visit = async (times: number) => {
      for (let n = 0; n < times; n++) {
        expect((await slugline.call('GET', '/a', { headers })).status).toBe(302)
      }
    }
    const stored = (clicks: number) =>
      eventually(`${clicks} clicks are stored`, async () => {
        const answer = await slugline.call('GET', '/api/v1/stats', { key })
        const stats = (await answer.json()) as { totals: { clicks: number } }
        return stats.totals.clicks === clicks ? true : undefined
      })
    await visit(5)
    await stored(5)
    await slugline.stop()
    for (const end of ['', '-wal', '-shm']) {
      rmSync(join(slugline.dataDir, `counters.db${end}`), { force: true })
    }
    await slugline.restart()
    await visit(3)
    await stored(8)
    await eventually('the counters are filled', async () => {
      const found = await slugline.call('GET', '/api/v1/links', { key })
      const { data } = (await found.json()) as { data: { clicks: { human: number } }[] }
      return data[0]?.clicks.human === 8 ? true : undefined
    })
    await slugline.stop()
    const { status, stdout } = await slugline.cli('clicks', 'recount', '--json')
    expect([status, JSON.parse(stdout).mended]).toEqual([0, 0])
  } finally {
    await slugline.dispose()
  }
})
