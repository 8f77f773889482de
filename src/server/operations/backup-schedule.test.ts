import { afterEach, beforeEach, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { checkBackups } from '../../cli/doctor/backups.ts'
import { silentLogger } from '../../lib/base/logger.ts'
import { createBackupSchedule, isOverdue, nextAfter } from './backup-schedule.ts'
import { writeState } from './backup-state.ts'
import { createMetrics } from './metrics.ts'

const DAILY = '0 3 * * *'
const HOUR_MS = 3_600_000
/** A quarter past two. */
const START = Date.UTC(2026, 10, 23, 2, 15)

let dataDir: string
let now: number
const clock = { now: () => now }
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'slugline-schedule-'))
  now = START
})
afterEach(() => rmSync(dataDir, { recursive: true }))

function create(results: (string | null)[], schedule: string | null = DAILY) {
  const made: number[] = []
  const backups = createBackupSchedule({
    dataDir,
    schedule,
    clock,
    logger: silentLogger,
    async run() {
      made.push(now)
      const result = results.shift() ?? null
      if (result === null) writeState(dataDir, { at: now, durationMs: 1_500, bytes: 7_000 })
      return result
    },
  })
  return { ...backups, made }
}

test('a schedule is read in UTC', () => {
  expect(nextAfter(DAILY, START)).toBe(Date.UTC(2026, 10, 23, 3))
  expect(nextAfter('@weekly', START)).toBe(Date.UTC(2026, 10, 29))
})

test('a backup is made when its time has come, once', async () => {
  const { look, made, stop } = create([])
  await look()
  expect(made).toEqual([])
  now = Date.UTC(2026, 10, 23, 3)
  await Promise.all([look(), look()])
  await look()
  expect(made).toEqual([now])
  now = Date.UTC(2026, 10, 24, 3, 0, 4)
  await look()
  expect(made).toHaveLength(2)
  stop()
})

test('a missed one is made at the next start', async () => {
  writeState(dataDir, { at: START - 48 * HOUR_MS, durationMs: 1, bytes: 1 })
  const { look, made, stop } = create([])
  await look()
  expect(made).toEqual([START])
  stop()
})

test('a failed one is retried, not immediately', async () => {
  const { look, made, stop, watch } = create(['no room'])
  const metrics = createMetrics('public')
  watch(metrics)
  now = Date.UTC(2026, 10, 23, 3)
  await look()
  now += 60_000
  await look()
  expect(made).toHaveLength(1)
  const text = await metrics.render()
  expect(text).toContain('slugline_backup_failures_total 1')
  expect(text).not.toMatch(/^slugline_backup_age_seconds/m)
  now += 15 * 60_000
  await look()
  expect(made).toHaveLength(2)
  now += 30_000
  const after = await metrics.render()
  expect(after).toContain('slugline_backup_age_seconds 30\n')
  expect(after).toContain('slugline_backup_duration_seconds 1.5\n')
  expect(after).toContain('slugline_backup_bytes 7000\n')
  stop()
})

test('a backup is overdue an hour after its time', async () => {
  const last = { at: START, durationMs: 1, bytes: 1 }
  const at = (now: number) => isOverdue(DAILY, { last, since: 0, now })
  expect(at(Date.UTC(2026, 10, 23, 4))).toBe(false)
  expect(at(Date.UTC(2026, 10, 23, 4) + 1)).toBe(true)
  const metrics = createMetrics('public')
  const { stop, watch } = create([])
  watch(metrics)
  expect(await metrics.render()).toContain('slugline_backup_overdue 0\n')
  now = Date.UTC(2026, 10, 23, 4) + 1
  expect(await metrics.render()).toContain('slugline_backup_overdue 1\n')
  stop()
})

test('without a schedule none is made, but the last one’s age is reported', async () => {
  const { look, made, stop, watch } = create([], null)
  now += 90 * 24 * HOUR_MS
  await look()
  expect(made).toEqual([])
  const metrics = createMetrics('public')
  watch(metrics)
  writeState(dataDir, { at: now - 2_000, durationMs: 1, bytes: 1 })
  const text = await metrics.render()
  expect(text).toContain('slugline_backup_age_seconds 2\n')
  expect(text).not.toContain('backup_overdue')
  // A damaged note counts as none.
  writeFileSync(join(dataDir, 'last-backup'), '{')
  expect(await metrics.render()).not.toContain('slugline_backup_age_seconds 2\n')
  stop()
})

test('the doctor reports when the last one is overdue, or was never made', () => {
  const check = (schedule: string | null) =>
    checkBackups(
      { dataDir, backup: { to: null, schedule, keep: 7, keepDays: null, s3: null } } as never,
      clock,
    ).map(({ status }) => status)
  expect(check(null)).toEqual([])
  expect(check(DAILY)).toEqual(['warning'])
  writeState(dataDir, { at: START, durationMs: 1, bytes: 1 })
  expect(check(DAILY)).toEqual(['ok'])
  now += 2 * HOUR_MS
  expect(check(DAILY)).toEqual(['problem'])
  expect(check(null)).toEqual(['ok'])
})
