import { Database } from 'bun:sqlite'
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import {
  closeSync,
  copyFileSync,
  cpSync,
  mkdtempSync,
  openSync,
  readdirSync,
  rmSync,
  statSync,
  truncateSync,
  writeSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { eventually } from '../harness/eventually.ts'
import { BASE_ENV, runCommand, type Slugline, startSlugline } from '../harness/process.ts'
import { testStore } from '../harness/store.ts'

const COUNTERS = 'counters.db'
const LINKS = 40
const AGENTS = [
  'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Safari/537.36',
  'curl/8.5.0',
]
const SETTINGS = { LOG_FORMAT: 'json', LOG_LEVEL: 'warn' }

let root: string
/** A stopped instance with links that have clicks, and one more. */
let used: Made
let other: Made

interface Made {
  dataDir: string
  key: string
  counts: Counts[]
}

beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), 'slugline-damage-'))
  used = await makeInstance('used', LINKS)
  other = await makeInstance('other', 2)
}, 240_000)
afterAll(() => rmSync(root, { recursive: true, force: true }))

async function makeInstance(name: string, links: number): Promise<Made> {
  const dataDir = join(root, name)
  const slugline = await startSlugline(SETTINGS, { dataDir })
  const { key } = await slugline.createKey()
  for (let n = 0; n < links; n++) {
    const body = { destination_url: 'https://example.com/', slug: `l${n}` }
    expect((await slugline.call('POST', '/api/v1/links', { key, body })).status).toBe(201)
    await visit(slugline, `l${n}`)
  }
  await visit(slugline, 'l1')
  const clicks = (links + 1) * AGENTS.length
  const counts = await eventually('all is counted and stored', async () => {
    const counted = await countsOf(slugline, key)
    return sum(counted) === clicks && (await storedBy(slugline, key)) === clicks
      ? counted
      : undefined
  })
  expect(await slugline.stop()).toBe(0)
  return { dataDir, key, counts }
}

/** A visit by each agent: two people, one bot. */
async function visit(slugline: Slugline, slug: string): Promise<void> {
  for (const agent of AGENTS) {
    const answer = await slugline.call('GET', `/${slug}`, { headers: { 'user-agent': agent } })
    expect(answer.status).toBe(302)
  }
}

interface Counts {
  slug: string
  clicks: { total: number; human: number; bot: number; unique: number }
  last_clicked_at: string | null
}

async function countsOf(slugline: Slugline, key: string): Promise<Counts[]> {
  const answer = await slugline.call('GET', '/api/v1/links?limit=100&sort=slug', { key })
  expect(answer.status).toBe(200)
  const { data } = (await answer.json()) as { data: Counts[] }
  return data.map(({ slug, clicks, last_clicked_at }) => ({ slug, clicks, last_clicked_at }))
}

const sum = (counts: Counts[]) => counts.reduce((all, { clicks }) => all + clicks.total, 0)

async function storedBy(slugline: Slugline, key: string): Promise<number> {
  const answer = await slugline.call('GET', '/api/v1/stats?bots=include', { key })
  if (answer.status !== 200) return -1
  const { totals } = (await answer.json()) as { totals: { clicks: number } }
  return totals.clicks
}

let copies = 0
function copyOf(from: string): string {
  const to = join(root, `copy-${++copies}`)
  cpSync(from, to, {
    recursive: true,
    filter: (file) => !/(?:lock\.db.*|server\.pid|statistics\.sock.*)$/.test(file),
  })
  return to
}

function overwrite(file: string, from: number, to: number): void {
  const descriptor = openSync(file, 'r+')
  writeSync(descriptor, Buffer.alloc(to - from, 0xa5), 0, to - from, from)
  closeSync(descriptor)
}

const KINDS: Record<string, (file: string) => void> = {
  'its header is overwritten': (file) => overwrite(file, 0, 100),
  'pages are overwritten': (file) => overwrite(file, 4_096, statSync(file).size),
  emptied: (file) => truncateSync(file, 0),
  'cut in half': (file) => truncateSync(file, Math.floor(statSync(file).size / 8_192) * 4_096),
  removed(file) {
    for (const end of ['', '-wal', '-shm']) rmSync(file + end, { force: true })
  },
  "another instance's"(file) {
    for (const end of ['', '-wal', '-shm']) rmSync(file + end, { force: true })
    copyFileSync(join(other.dataDir, COUNTERS), file)
  },
}

interface Check {
  name: string
  status: string
  reason?: string
}

async function countersCheck(slugline: Slugline): Promise<Check | undefined> {
  const answer = await slugline.call('GET', '/readyz')
  expect(answer.status).toBe(200)
  const { checks } = (await answer.json()) as { checks: Check[] }
  return checks.find(({ name }) => name === 'counters')
}

/** Lines of the log that name the file. */
function linesAboutCounters(slugline: Slugline): unknown[] {
  const lines = slugline
    .output()
    .split('\n')
    .filter((line) => line.startsWith('{'))
  return lines.map((line) => JSON.parse(line)).filter(({ file }) => file?.endsWith(COUNTERS))
}

/** Expects that the counts of links are again those of the stored clicks, new ones included. */
async function expectMended(slugline: Slugline, key: string, before: Counts[]): Promise<void> {
  await eventually('the counters are complete again', async () => {
    return (await countersCheck(slugline))?.status === 'ok' || undefined
  })
  // By people and a bot that were there before: they are no new visitors.
  await visit(slugline, 'l2')
  const clicksOf = (counts: Counts[]) => counts.map(({ slug, clicks }) => ({ slug, ...clicks }))
  const expected = clicksOf(before).map((counts) =>
    counts.slug === 'l2' || counts.slug === 'l0'
      ? { ...counts, total: counts.total + 3, human: counts.human + 2, bot: counts.bot + 1 }
      : counts,
  )
  const now = await eventually('the new clicks are counted', async () => {
    const counts = await countsOf(slugline, key)
    return sum(counts) >= sum(before) + 6 ? counts : undefined
  })
  expect(clicksOf(now)).toEqual(expected)
  for (const { slug, last_clicked_at } of before) {
    const again = now.find((counts) => counts.slug === slug)
    if (slug !== 'l0' && slug !== 'l2') expect(again?.last_clicked_at).toBe(last_clicked_at)
  }
}

/** Stops the server, and expects that its counters agree with its clicks. */
async function expectAgreement(slugline: Slugline): Promise<void> {
  expect(await slugline.stop()).toBe(0)
  const { status, stdout } = await slugline.cli('clicks', 'recount', '--json')
  expect(status).toBe(0)
  expect(JSON.parse(stdout)).toMatchObject({ mended: 0, links: LINKS })
}

const keptIn = (dataDir: string) =>
  readdirSync(dataDir).filter((name) => /^counters\.db\.damaged-[\dTZ.-]+$/.test(name))

function change(file: string, sql: string): void {
  const database = new Database(file)
  database.run(sql)
  database.close()
}

const EXPECTED: Record<string, string> = { 'as they were': 'ok', 'lost statistics': 'problem' }
const MISFITS: Record<string, ((dataDir: string) => void) | null> = {
  'as they were': null,
  'emptied counters': (dataDir) => change(join(dataDir, COUNTERS), 'DELETE FROM link_counters'),
  'counters of an older copy': (dataDir) =>
    change(join(dataDir, COUNTERS), 'UPDATE journal_watermark SET segment = 0, "offset" = 0'),
  'lost statistics': (dataDir) => rmSync(join(dataDir, 'statistics.duckdb')),
  'counters with clicks that are not stored': (dataDir) =>
    change(join(dataDir, COUNTERS), 'UPDATE link_counters SET total = total + 1'),
  'links of an older copy': (dataDir) =>
    change(join(dataDir, 'slugline.db'), 'UPDATE workspaces SET links_made = 1'),
}

describe.if(testStore === 'embedded')('damaged counters', () => {
  test.each(Object.entries(KINDS))(
    '%s, while the server runs',
    async (kind, damage) => {
      const dataDir = copyOf(used.dataDir)
      const { key } = used
      const slugline = await startSlugline(SETTINGS, { dataDir })
      try {
        const before = await countsOf(slugline, key)
        expect(await countersCheck(slugline)).toEqual({ name: 'counters', status: 'ok' })
        // Results of checks are kept for a moment.
        await Bun.sleep(600)
        damage(join(dataDir, COUNTERS))
        // Overwritten pages show when they are read, by a visit's click at the latest.
        if (kind !== 'pages are overwritten') {
          const check = { name: 'counters', status: 'degraded', reason: 'damaged' }
          expect(await countersCheck(slugline)).toEqual(check)
        }
        await visit(slugline, 'l0')
        for (let n = 0; n < 5; n++) {
          expect(await countsOf(slugline, key)).toHaveLength(LINKS)
          const found = await slugline.call('GET', '/api/v1/links?sort=clicks&search=l1', { key })
          expect(found.status).toBe(200)
        }
        await eventually('the damage is noticed', async () => {
          const kept = keptIn(dataDir).length
          return kept === (kind === 'removed' ? 0 : 1) && linesAboutCounters(slugline).length > 0
            ? true
            : undefined
        })
        await expectMended(slugline, key, before)
        expect(linesAboutCounters(slugline)).toHaveLength(1)
        expect(slugline.output()).not.toContain('    at ')
        expect(keptIn(dataDir)).toHaveLength(kind === 'removed' ? 0 : 1)
        await expectAgreement(slugline)
      } finally {
        await slugline.dispose()
      }
    },
    240_000,
  )

  test.each(Object.entries(KINDS))(
    '%s, before a start',
    async (kind, damage) => {
      const dataDir = copyOf(used.dataDir)
      damage(join(dataDir, COUNTERS))
      const env = { ...BASE_ENV, SLUGLINE_DATA_DIR: dataDir, PORT: '0', LOG_LEVEL: 'warn' }
      const doctor = await runCommand(['doctor', '--json'], env)
      const { healthy, findings } = JSON.parse(doctor.stdout)
      const found = findings.filter(
        (finding: { status: string; message: string }) =>
          finding.status !== 'ok' && finding.message.includes(COUNTERS),
      )
      expect(found).toHaveLength(1)
      expect(healthy).toBe(kind === 'removed' || kind === 'emptied')
      if (kind === "another instance's") {
        expect((await runCommand(['serve'], env)).status).toBe(1)
        return
      }
      const slugline = await startSlugline(SETTINGS, { dataDir })
      try {
        await visit(slugline, 'l0')
        const shown = await countsOf(slugline, used.key)
        expect(shown).toHaveLength(LINKS)
        await expectMended(slugline, used.key, used.counts)
        expect(keptIn(dataDir)).toHaveLength(kind === 'removed' ? 0 : 1)
        await expectAgreement(slugline)
        expect((await runCommand(['doctor'], env)).status).toBe(0)
      } finally {
        await slugline.dispose()
      }
    },
    240_000,
  )

  test.each(Object.entries(MISFITS))(
    '%s: the doctor compares the files',
    async (kind, change) => {
      const dataDir = copyOf(used.dataDir)
      change?.(dataDir)
      const env = { ...BASE_ENV, SLUGLINE_DATA_DIR: dataDir, PORT: '0', LOG_LEVEL: 'warn' }
      const { findings } = JSON.parse((await runCommand(['doctor', '--json'], env)).stdout)
      const found = findings.filter(
        ({ check }: Check & { check: string }) => check === 'consistency',
      )
      expect(found.map(({ status }: Check) => status)).toEqual([EXPECTED[kind] ?? 'warning'])
    },
    240_000,
  )
})
