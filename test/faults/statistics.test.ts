import { Database } from 'bun:sqlite'
import { afterEach, expect, test } from 'bun:test'
import {
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { childOf } from '../harness/children.ts'
import { eventually } from '../harness/eventually.ts'
import { type Slugline, startSlugline } from '../harness/process.ts'
import { openFreed } from '../harness/statistics-file.ts'

const BROWSER = {
  'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
}
const CRAWLER = { 'user-agent': 'Mozilla/5.0 (compatible; Googlebot/2.1)' }
const FILE = 'statistics.duckdb'
let slugline: Slugline
let key: string

afterEach(() => slugline?.dispose())

async function start(): Promise<void> {
  slugline = await startSlugline({ LOG_LEVEL: 'silent' })
  key = (await slugline.createKey()).key
}

async function create(slug: string): Promise<string> {
  const answer = await slugline.call('POST', '/api/v1/links', {
    key,
    body: { destination_url: 'https://example.com/', slug },
  })
  expect(answer.status).toBe(201)
  return ((await answer.json()) as { id: string }).id
}

async function visit(slug: string, times: number, headers: Record<string, string> = BROWSER) {
  for (let i = 0; i < times; i++) {
    const { status } = await slugline.call('GET', `/${slug}`, { headers })
    expect(status).toBe(302)
  }
}

async function metric(name: string): Promise<number> {
  const text = await (await fetch(`${slugline.url}/metrics`)).text()
  return Number(new RegExp(`^slugline_${name} (\\S+)$`, 'm').exec(text)?.[1] ?? Number.NaN)
}

const drained = () =>
  eventually('all clicks are stored', async () =>
    (await metric('statistics_backlog_bytes')) === 0 ? true : undefined,
  )

async function check(name: string): Promise<{ status: string; reason?: string } | undefined> {
  const answer = await slugline.call('GET', '/readyz')
  expect(answer.status).toBe(200)
  const { checks } = (await answer.json()) as { checks: { name: string; status: string }[] }
  return checks.find((one) => one.name === name)
}

/** Expects that reports are unavailable. */
async function expectNoReports(): Promise<void> {
  for (const path of ['stats', 'stats/country', 'clicks', 'clicks.csv']) {
    const answer = await slugline.call('GET', `/api/v1/${path}`, { key })
    expect(answer.status).toBe(503)
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThanOrEqual(1)
    expect(await answer.json()).toMatchObject({ error: { code: 'SERVICE_UNAVAILABLE' } })
  }
}

/** Rows of the statistics of a stopped server. */
async function rows(sql: string): Promise<number[][]> {
  const database = await openFreed(join(slugline.dataDir, FILE), { readonly: true })
  try {
    return (await (await database.connect()).run(sql)).map((row) => row.map(Number))
  } finally {
    database.close()
  }
}

/** Of the stopped server. */
async function recount(): Promise<{ links: number; mended: number; differences: object[] }> {
  const { status, stdout, stderr } = await slugline.cli('clicks', 'recount', '--json')
  expect(stderr).toBe('')
  expect(status).toBe(0)
  return JSON.parse(stdout)
}

test('killed every second it stops no redirect; the backlog drains; each click is stored once', async () => {
  await start()
  await create('a')
  let visits = 0
  const going = { now: true }
  const load = (async () => {
    while (going.now) {
      await visit('a', 50)
      visits += 50
    }
  })()
  for (let kill = 0; kill < 5; kill++) {
    await Bun.sleep(1_000)
    const child = await eventually('it runs', () => childOf(slugline.pid, 'statistics'))
    process.kill(child, 'SIGKILL')
    await eventually('it has ended', () =>
      childOf(slugline.pid, 'statistics') === child ? undefined : true,
    )
  }
  going.now = false
  await load
  await drained()
  expect(await metric('statistics_restarts_total')).toBeGreaterThanOrEqual(3)
  await slugline.stop()
  expect(await recount()).toMatchObject({ links: 1, mended: 0 })
  expect(await rows('SELECT count(*), count(DISTINCT visitor) FROM clicks')).toEqual([[visits, 1]])
  // Everything was processed, so there is nothing to do at the next start.
  const journal = join(slugline.dataDir, 'journal')
  const segments = readdirSync(journal).filter((name) => name !== 'instance')
  expect(segments.map((name) => statSync(join(journal, name)).size)).toEqual([0])
})

test('a damaged file is reported and kept; nothing else is affected; repaired, nothing is missing', async () => {
  await start()
  await create('a')
  await visit('a', 10)
  await drained()
  await slugline.stop()
  const file = join(slugline.dataDir, FILE)
  renameSync(file, `${file}.good`)
  const garbage = 'x'.repeat(100_000)
  writeFileSync(file, garbage)
  await slugline.restart()
  await visit('a', 5)
  await eventually('it is told', async () => {
    const found = await check('statistics')
    return found?.status === 'degraded' && found.reason === 'corrupt' ? true : undefined
  })
  await expectNoReports()
  const { status, stdout } = await slugline.cli('doctor', '--json')
  expect(status).toBe(1)
  expect(JSON.parse(stdout).findings).toContainEqual(
    expect.objectContaining({ check: 'statistics', status: 'problem' }),
  )
  const { id } = await (
    await slugline.call('POST', '/api/v1/links', {
      key,
      body: { destination_url: 'https://example.com/', slug: 'b' },
    })
  )
    .json()
    .then((body) => body as { id: string })
  expect(id).toStartWith('lnk_')
  await slugline.stop()
  const refused = await slugline.cli('clicks', 'recount', '--json')
  expect(refused.status).toBe(1)
  expect(refused.stderr).toContain('"STATISTICS_CORRUPT"')
  expect(readFileSync(file, 'utf8')).toBe(garbage)
  renameSync(`${file}.good`, file)
  await slugline.restart()
  await drained()
  await eventually('readiness tells it', async () =>
    (await check('statistics'))?.status === 'ok' ? true : undefined,
  )
  await slugline.stop()
  expect(await recount()).toMatchObject({ links: 2, mended: 0 })
  expect(await rows('SELECT count(*) FROM clicks')).toEqual([[15]])
})

test('recount finds and repairs changed counters of a stopped server', async () => {
  await start()
  await create('a')
  await create('b')
  await visit('a', 20)
  await visit('b', 5)
  await visit('b', 3, CRAWLER)
  const spoil = (sql: string) => {
    const db = new Database(join(slugline.dataDir, 'counters.db'))
    db.run('PRAGMA busy_timeout = 5000')
    db.run(sql)
    db.close()
  }
  const refused = await slugline.cli('clicks', 'recount', '--json')
  expect(refused.status).toBe(1)
  expect(refused.stderr).toContain('"DATA_DIR_LOCKED"')
  // What is still in the journal is counted and stored by the command.
  await slugline.kill()
  expect(await recount()).toMatchObject({ links: 2, mended: 0 })
  spoil('UPDATE link_counters SET total = total + 1, human = human + 1 WHERE human = 20')
  spoil('UPDATE link_counters SET unique_visitors = 7 WHERE bot = 3')
  expect(await recount()).toMatchObject({ mended: 2 })
  expect(await recount()).toMatchObject({ mended: 0 })
  spoil('UPDATE link_counters SET bot = 0, total = human WHERE bot = 3')
  expect(await recount()).toMatchObject({ mended: 1 })
  expect(await recount()).toMatchObject({ mended: 0 })
  const { stdout } = await slugline.cli('audit', '--json')
  const { data } = JSON.parse(stdout) as { data: { action: string; after: object }[] }
  const repairs = data.filter(({ action }) => action === 'instance.clicks_recounted')
  expect(repairs.map(({ after }) => after)).toEqual(
    [1, 2].map((repaired) => ({ links: 2, repaired })),
  )
})

test('a file locked by a command is waited for', async () => {
  await start()
  await create('a')
  await visit('a', 3)
  await drained()
  await slugline.stop()
  const file = join(slugline.dataDir, FILE)
  const held = await openFreed(file)
  await slugline.restart()
  await visit('a', 4)
  await eventually('it is told', async () =>
    (await check('statistics'))?.reason === 'locked' ? true : undefined,
  )
  await expectNoReports()
  held.close()
  await drained()
  await slugline.stop()
  expect(existsSync(file)).toBe(true)
  expect(await rows('SELECT count(*) FROM clicks')).toEqual([[7]])
})

test('a missing file is created again and reported, and a recount changes nothing', async () => {
  await start()
  const old = await create('a')
  await visit('a', 20)
  await drained()
  await slugline.stop()
  const file = join(slugline.dataDir, FILE)
  renameSync(file, `${file}.lost`)
  // Nothing is known: that is no reason to set counters to zero.
  expect(await recount()).toMatchObject({ links: 0, older: 1, mended: 0 })
  await slugline.restart()
  await visit('a', 5)
  const fresh = await create('b')
  await visit('b', 3)
  await drained()
  expect(await metric('statistics_begin_seconds')).toBeGreaterThan(1e9)
  // A report is kept for a moment, also the one that the metrics asked for.
  await eventually('readiness tells it', async () => {
    const found = await check('statistics')
    return found?.status === 'ok' && found.reason === 'incomplete' ? true : undefined
  })
  await eventually('all is counted', async () =>
    (await metric('click_backlog_bytes')) === 0 ? true : undefined,
  )
  for (const [id, clicks] of [[old, 25] as const, [fresh, 3] as const]) {
    const answer = await slugline.call('GET', `/api/v1/links/${id}`, { key })
    expect(await answer.json()).toMatchObject({ clicks: { total: clicks } })
  }
  await slugline.stop()
  expect(await recount()).toMatchObject({ links: 1, older: 1, mended: 0 })
  const { status, stdout } = await slugline.cli('doctor', '--json')
  expect(status).toBe(0)
  const { findings } = JSON.parse(stdout) as { findings: { check: string; status: string }[] }
  expect(findings.find((one) => one.check === 'statistics')?.status).toBe('warning')
  // The whole file again, without later clicks: that is reported, too.
  const [begin] = await rows('SELECT since FROM state')
  renameSync(`${file}.lost`, file)
  await slugline.restart()
  await visit('a', 1)
  await drained()
  expect(await metric('statistics_begin_seconds')).toBeGreaterThan(Number(begin?.[0]) / 1_000)
})

test('the torn end of the log is cut off at a start: nothing is lost, readiness and the doctor tell', async () => {
  await start()
  await create('a')
  await visit('a', 5)
  await drained()
  const pid = childOf(slugline.pid, 'statistics')
  if (pid !== undefined) process.kill(pid, 'SIGKILL')
  await slugline.kill()
  const log = join(slugline.dataDir, `${FILE}.wal`)
  const torn = Buffer.concat([readFileSync(log), Buffer.alloc(4_096)])
  writeFileSync(log, torn)
  const doctor = async () => {
    const { stdout } = await slugline.cli('doctor', '--json')
    const { findings } = JSON.parse(stdout) as { findings: { check: string; status: string }[] }
    return findings.filter(({ check }) => check === 'statistics').map(({ status }) => status)
  }
  expect(await doctor()).toEqual(['warning'])
  await slugline.restart()
  await visit('a', 2)
  await drained()
  await eventually('readiness tells it', async () => {
    const found = await check('statistics')
    return found?.status === 'ok' && found.reason === 'log_cut' ? true : undefined
  })
  expect(readFileSync(`${log}.damaged`).equals(torn)).toBe(true)
  expect(await doctor()).toEqual(['warning', 'ok'])
  await slugline.stop()
  expect(await rows('SELECT count(*) FROM clicks')).toEqual([[7]])
  rmSync(`${log}.damaged`)
  expect(await doctor()).toEqual(['ok'])
})
