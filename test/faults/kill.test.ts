import { Database } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { eventually } from '../harness/eventually.ts'
import { type Slugline, startSlugline } from '../harness/process.ts'

/** bench/kill.ts has more, under a higher load. */
const KILLS = 12
const BROWSER = {
  'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
}

interface LinkBody {
  id: string
  slug: string
  clicks: { total: number; human: number; bot: number }
}

/** What the client knows, and what it can't know. */
interface Ledger {
  created: Map<string, string>
  clicks: Map<string, number>
  /** Visits with broken connections: counted or not, both are correct. */
  unknown: Map<string, number>
}

const add = (counts: Map<string, number>, slug: string) =>
  counts.set(slug, (counts.get(slug) ?? 0) + 1)

test(`kill -9 ${KILLS} times under mixed load neither loses nor duplicates anything that was answered`, async () => {
  const slugline = await startSlugline()
  const slowestStartMs: number[] = []
  try {
    const { key } = await slugline.createKey()
    const ledger: Ledger = { created: new Map(), clicks: new Map(), unknown: new Map() }
    await create(slugline, key, ledger)
    for (let kill = 0; kill < KILLS; kill++) {
      const going = { now: true }
      const load = Array.from({ length: 12 }, (_, i) =>
        i < 4
          ? repeat(going, () => create(slugline, key, ledger))
          : repeat(going, () => visit(slugline, ledger)),
      )
      // A random moment between 20 and 220 ms after the load has started.
      await Bun.sleep(20 + Math.random() * 200)
      await slugline.kill()
      going.now = false
      await Promise.all(load)
      const start = performance.now()
      await slugline.restart()
      slowestStartMs.push(performance.now() - start)
    }
    console.log(
      `${ledger.created.size} links and ${sum(ledger.clicks)} clicks were answered; ` +
        `slowest start ${Math.max(...slowestStartMs).toFixed(0)} ms`,
    )

    const links = await allLinks(slugline, key)
    for (const [id, slug] of ledger.created) expect(links.get(id)?.slug).toBe(slug)
    await eventually('all answered clicks are counted', async () => {
      const counted = [...(await allLinks(slugline, key)).values()]
      return counted.every(({ slug, clicks }) => clicks.total >= (ledger.clicks.get(slug) ?? 0))
        ? true
        : undefined
    })
    for (const { slug, clicks } of (await allLinks(slugline, key)).values()) {
      const answered = ledger.clicks.get(slug) ?? 0
      expect(clicks.total).toBeGreaterThanOrEqual(answered)
      expect(clicks.total).toBeLessThanOrEqual(answered + (ledger.unknown.get(slug) ?? 0))
      expect(clicks.total).toBe(clicks.human + clicks.bot)
    }
    await slugline.stop()
    for (const file of ['slugline.db', 'counters.db']) {
      const db = new Database(join(slugline.dataDir, file), { readonly: true })
      expect(db.query('PRAGMA integrity_check').values()).toEqual([['ok']])
      db.close()
    }
  } finally {
    await slugline.dispose()
  }
}, 240_000)

async function repeat(going: { now: boolean }, step: () => Promise<unknown>): Promise<void> {
  while (going.now) {
    // After the kill every call fails immediately; the loop ends with the flag.
    await step().catch(() => Bun.sleep(1))
  }
}

async function create(slugline: Slugline, key: string, ledger: Ledger): Promise<void> {
  const answer = await slugline.call('POST', '/api/v1/links', {
    key,
    body: { destination_url: 'https://example.com/' },
  })
  const body = (await answer.json()) as LinkBody
  if (answer.status !== 201) throw new Error(`${answer.status} ${JSON.stringify(body)}`)
  ledger.created.set(body.id, body.slug)
}

async function visit(slugline: Slugline, ledger: Ledger): Promise<void> {
  const slugs = [...ledger.created.values()]
  const slug = slugs[Math.floor(Math.random() * Math.min(slugs.length, 40))] as string
  try {
    const answer = await slugline.call('GET', `/${slug}`, { headers: BROWSER })
    if (answer.status !== 302) throw new Error(`${answer.status}`)
    add(ledger.clicks, slug)
  } catch (error) {
    add(ledger.unknown, slug)
    throw error
  }
}

async function allLinks(slugline: Slugline, key: string): Promise<Map<string, LinkBody>> {
  const links = new Map<string, LinkBody>()
  let cursor: string | null = null
  do {
    const answer: Response = await slugline.call(
      'GET',
      `/api/v1/links?limit=100${cursor === null ? '' : `&cursor=${encodeURIComponent(cursor)}`}`,
      { key },
    )
    const { data, pagination } = (await answer.json()) as {
      data: LinkBody[]
      pagination: { next_cursor: string | null }
    }
    for (const link of data) links.set(link.id, link)
    cursor = pagination.next_cursor
  } while (cursor !== null)
  return links
}

function sum(counts: Map<string, number>): number {
  return [...counts.values()].reduce((total, count) => total + count, 0)
}
