import { expect, test } from 'bun:test'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { openSecrets } from '../../platform/config/index.ts'
import { migrate } from '../../platform/storage/index.ts'
import { addBackup, outdated, timeOf } from './kept.ts'
import { MANIFEST } from './manifest.ts'
import { openStore } from './places.ts'

const NOW = Date.UTC(2026, 10, 23, 3)
const DAY_MS = 86_400_000
const nameOf = (time: number) =>
  `slugline-${new Date(time).toISOString().slice(0, 19).replace(/[-:]/g, '')}Z`

test('the newest are kept, interrupted ones removed, and other files left alone', () => {
  const retention = {
    keep: fc.integer({ min: 1, max: 9 }),
    days: fc.option(fc.integer({ min: 1, max: 30 })),
  }
  const found = fc.uniqueArray(
    fc.record({
      ageS: fc.integer({ min: 0, max: 60 * 86_400 }),
      isComplete: fc.boolean(),
      isOurs: fc.boolean(),
    }),
    { selector: ({ ageS }) => ageS, maxLength: 30 },
  )
  fc.assert(
    fc.property(found, retention.keep, retention.days, (all, keep, keepDays) => {
      const named = all.map(({ ageS, isComplete, isOurs }) => ({
        name: `${isOurs ? '' : 'my-'}${nameOf(NOW - ageS * 1_000)}`,
        isComplete,
        isOurs,
        ageS,
      }))
      const removed = new Set(outdated(named, { keep, keepDays }, NOW))
      const complete = named
        .filter((each) => each.isComplete && each.isOurs)
        .sort((a, b) => a.ageS - b.ageS)
      const left = complete.filter(({ name }) => !removed.has(name))
      // The newest are left: at least one, at most as many and as old as configured.
      expect(left).toEqual(complete.slice(0, left.length))
      expect(left.length).toBeLessThanOrEqual(keep)
      expect(left.length).toBeGreaterThanOrEqual(Math.min(1, complete.length))
      const tooOld = (each: { ageS: number } | undefined) =>
        keepDays !== null && (each?.ageS ?? 0) * 1_000 > keepDays * DAY_MS
      for (const each of left.slice(1)) expect(tooOld(each)).toBe(false)
      const next = complete[left.length]
      expect(next === undefined || left.length === keep || tooOld(next)).toBe(true)
      for (const each of named) {
        if (!each.isOurs) expect(removed.has(each.name)).toBe(false)
        else if (!each.isComplete) expect(removed.has(each.name)).toBe(true)
      }
    }),
  )
  expect(timeOf(nameOf(NOW))).toBe(NOW)
  expect(timeOf(`${nameOf(NOW)}.partial`)).toBe(NOW)
  expect(timeOf('monday')).toBeNull()
})

test('backups in a directory: old ones are removed once the new one is complete', async () => {
  const root = mkdtempSync(join(tmpdir(), 'slugline-kept-'))
  try {
    const dataDir = join(root, 'data')
    mkdirSync(dataDir)
    openSecrets(dataDir, null)
    await migrate(dataDir)
    const directory = join(root, 'backups')
    const store = openStore({ directory }, { dataDir, s3: null })
    const add = (now: number) =>
      addBackup({ dataDir, given: null }, store, { keep: 2, keepDays: null }, now)
    const times = [0, 1, 2, 3].map((day) => NOW + day * DAY_MS)
    for (const now of times.slice(0, 3))
      expect((await add(now)).where).toBe(join(directory, nameOf(now)))
    mkdirSync(join(directory, 'mine'))
    mkdirSync(join(directory, `${nameOf(NOW + 5)}.partial`))
    rmSync(join(directory, nameOf(times[1] as number), MANIFEST))
    expect((await add(times[3] as number)).removed.sort()).toEqual(
      [`${nameOf(NOW)}.partial`, nameOf(times[1] as number)].sort(),
    )
    const kept = times.slice(2).map(nameOf)
    expect(readdirSync(directory).sort()).toEqual(['mine', ...kept])
    // One that fails removes nothing.
    writeFileSync(join(dataDir, 'slugline.db'), 'no database')
    await expect(add(NOW + 9 * DAY_MS)).rejects.toThrow()
    expect(readdirSync(directory).sort()).toEqual(['mine', ...kept])
    expect(existsSync(join(dataDir, 'backing-up'))).toBe(false)
  } finally {
    rmSync(root, { recursive: true })
  }
})
