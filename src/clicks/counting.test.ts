import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { appendFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { eventually } from '../../test/harness/eventually.ts'
import { copyMigrated } from '../platform/storage/testing/database.ts'
import { BROWSER, CRAWLER, openSite, type Site } from '../redirect/testing/site.ts'
import { createClickCounter } from './counting.ts'
import { journalDirectory, segmentFile } from './segments.ts'
import { openSqliteCounters } from './sqlite-counters.ts'

const DAY = 86_400_000
let dir: string
let site: Site
let now: number
const clock = { now: () => now }

beforeEach(async () => {
  now = 20_000 * DAY + 1_000
  dir = mkdtempSync(join(tmpdir(), 'slugline-counting-'))
  await copyMigrated(dir)
  site = await openSite(dir, { clock })
})

afterEach(async () => {
  await site.close()
  rmSync(dir, { recursive: true, force: true })
})

const agent = (value: string) => ({ headers: { 'user-agent': value } })

describe('counting', () => {
  test('distinguishes people from bots, and people from each other', async () => {
    const seq = await site.addLink({ slug: 'a' })
    await site.visit('/a')
    now += 5
    await site.visit('/a')
    await site.visit('/a', {}, '203.0.113.8')
    await site.visit('/a', agent(BROWSER.replace('141', '140')))
    await site.visit('/a', agent(CRAWLER))
    await site.visit('/a', { headers: { 'sec-purpose': 'prefetch;prerender' } })
    await site.visit('/a', { method: 'HEAD' })
    await site.visit('/a+')
    await site.count()
    expect(await site.countersOf(seq)).toEqual({
      total: 6,
      human: 4,
      bot: 2,
      unique_visitors: 3,
      last_clicked_at: now,
    })
  })

  test('counts visitors who ask not to be tracked, but never as unique', async () => {
    const seq = await site.addLink({ slug: 'a' })
    await site.visit('/a', { headers: { dnt: '1' } })
    await site.visit('/a', { headers: { 'sec-gpc': '1' } })
    await site.count()
    expect(await site.countersOf(seq)).toMatchObject({ human: 2, unique_visitors: 0 })
  })

  test('a visitor is unique once a day, across batches, and across midnight within one', async () => {
    const seq = await site.addLink({ slug: 'a' })
    await site.visit('/a')
    await site.count()
    await site.visit('/a')
    now += DAY
    await site.visit('/a')
    await site.visit('/a')
    await site.count()
    expect(await site.countersOf(seq)).toMatchObject({ human: 4, unique_visitors: 2 })
  })

  test('gives every link a row, and deletes those of deleted links', async () => {
    const seqs = []
    for (const slug of ['a', 'b', 'c']) seqs.push(await site.addLink({ slug }))
    await site.count()
    expect(await site.countersOf(seqs[2] as number)).toMatchObject({ total: 0 })
    await site.visit('/b')
    await site.storage.write(({ db }) => db.deleteFrom('links').where('slug', '=', 'b').execute())
    await site.count()
    const rows = await site.storage.read.db.selectFrom('link_counters').selectAll().execute()
    expect(rows.map((row) => row.link_seq)).toEqual([seqs[0] as number, seqs[2] as number])
    const marks = await site.storage.read.db.selectFrom('counter_watermarks').selectAll().execute()
    expect(marks).toEqual([{ workspace_no: 1, link_seq: seqs[2] as number }])
  })

  test('copies the imported clicks of new and of changed links', async () => {
    const early = await site.addLink({ slug: 'a', imported_clicks: 3 })
    // A click makes a row before the worker reaches the link.
    await site.visit('/a')
    await site.count()
    const late = await site.addLink({ slug: 'b', imported_clicks: 5 })
    await site.count()
    const imported = async () =>
      (await site.storage.read.db.selectFrom('link_counters').select('imported').execute()).map(
        (row) => row.imported,
      )
    expect(await imported()).toEqual([3, 5])
    await site.storage.write(({ db }) =>
      db.updateTable('links').set({ imported_clicks: 7 }).where('seq', '=', late).execute(),
    )
    const store = openSqliteCounters(dir)
    const work = createClickCounter({ directory: journalDirectory(dir), store, clock })
    work.notice({ changedLinks: [early, late] })
    await work.pass()
    expect(await imported()).toEqual([3, 7])
    // A message whose pass fails is not forgotten.
    await site.storage.write(({ db }) =>
      db.updateTable('links').set({ imported_clicks: 8 }).where('seq', '=', late).execute(),
    )
    work.notice({ changedLinks: [late] })
    const { maintain } = store
    store.maintain = () => Promise.reject(new Error('The database is locked'))
    expect(await work.pass().catch(() => 'failed')).toBe('failed')
    store.maintain = maintain
    await work.pass()
    await work.close()
    expect(await imported()).toEqual([3, 8])
    // Without a message, too.
    await site.storage.write(({ db }) =>
      db.updateTable('links').set({ imported_clicks: 0 }).execute(),
    )
    await site.count()
    expect(await imported()).toEqual([0, 0])
  })

  test('links made just after a pass get their counters without another one', async () => {
    const work = createClickCounter({
      directory: journalDirectory(dir),
      store: openSqliteCounters(dir),
      clock,
    })
    await work.pass()
    const late = await site.addLink({ slug: 'late' })
    await work.pass()
    expect(await site.countersOf(late)).toBeUndefined()
    await eventually('maintenance is due', () => work.maintenance.due || undefined)
    await work.maintenance.step()
    expect(await site.countersOf(late)).toMatchObject({ total: 0 })
    expect(work.maintenance.due).toBe(false)
    await work.close()
  })

  test('two concurrent workers count each click once', async () => {
    const seq = await site.addLink({ slug: 'a' })
    const open = () =>
      createClickCounter({
        directory: journalDirectory(dir),
        store: openSqliteCounters(dir),
        clock,
      })
    const [one, two] = [open(), open()]
    for (let i = 0; i < 10; i++) {
      await site.visit('/a')
      // Each has its own copy of the watermark.
      if (i % 2 === 0) await one.pass()
      await two.pass()
      await one.pass()
    }
    while ((await one.pass()).more);
    await one.close()
    await two.close()
    expect(await site.countersOf(seq)).toMatchObject({ human: 10 })
  })

  test('skips the rest of a crash, once there is a newer segment', async () => {
    const seq = await site.addLink({ slug: 'a' })
    await site.visit('/a')
    await site.journal.close()
    await appendFile(segmentFile(journalDirectory(dir), 1), 'torn')
    await appendFile(segmentFile(journalDirectory(dir), 2), '')
    await site.count()
    expect(await site.countersOf(seq)).toMatchObject({ human: 1 })
    const [mark] = await site.storage.read.db.selectFrom('journal_watermark').selectAll().execute()
    expect(mark).toMatchObject({ segment: 2, offset: 0 })
  })

  test('keeps the row of a deleted link for as long as it can be restored', async () => {
    const seq = await site.addLink({ slug: 'a' })
    await site.visit('/a')
    await site.count()
    const link = { id: 'lnk_a', workspace_no: 1, deleted_at: now, row: '{}' }
    await site.storage.write(async ({ db }) => {
      await db
        .insertInto('deleted_links')
        .values({ seq, ...link })
        .execute()
      await db.deleteFrom('links').where('seq', '=', seq).execute()
    })
    await site.count()
    expect(await site.countersOf(seq)).toMatchObject({ human: 1 })
    await site.storage.write(({ db }) => db.deleteFrom('deleted_links').execute())
    await site.count()
    expect(await site.countersOf(seq)).toBeUndefined()
  })

  test('a clock that was days ahead stores no time in the future', async () => {
    const seq = await site.addLink({ slug: 'a' })
    now += 3 * DAY
    await site.visit('/a')
    await site.count()
    expect(await site.countersOf(seq)).toMatchObject({ last_clicked_at: now })
    // Counted while the clock is ahead, and after it was corrected.
    await site.visit('/a')
    now -= 3 * DAY
    await site.count()
    expect((await site.countersOf(seq))?.last_clicked_at).toBe(now + 300_000)
    now += 400_000
    await site.visit('/a')
    await site.count()
    expect(await site.countersOf(seq)).toMatchObject({ human: 3, last_clicked_at: now })
  })

  test('deletes the visitors of past days', async () => {
    await site.addLink({ slug: 'a' })
    await site.visit('/a')
    await site.count()
    now += 3 * DAY
    await site.visit('/a')
    await site.count()
    const visitors = await site.storage.read.db.selectFrom('link_visitors').selectAll().execute()
    expect(visitors.map((row) => row.day)).toEqual([20_003])
  })
})
