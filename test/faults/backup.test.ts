import { expect, test } from 'bun:test'
import { backupRun } from '../harness/backup-run.ts'

test('a backup under load has every earlier write and click, whatever is killed during it', async () => {
  const backups = [null, 'backup', null, 'statistics', 'backup', 'server', null] as const
  const run = await backupRun({ clicks: 14_000, links: 20, backups })
  // The instance itself: nothing missing, no duplicates.
  expect(run.mended).toBe(0)
  const whole = {
    answeredMissing: 0,
    storedTwice: 0,
    neverSent: 0,
    otherLink: 0,
    countersDiffer: 0,
  }
  expect(run.harmed).toMatchObject(whole)
  for (const result of run.results) {
    expect(result.answeredBefore).toBeGreaterThan(0)
    expect(result.writtenBefore).toBeGreaterThan(0)
    if (result.restored === null) {
      expect(result.killed).not.toBeNull()
      expect(result.refusals).toEqual(['NOT_A_BACKUP', 'NOT_A_BACKUP'])
      continue
    }
    expect(result).toMatchObject({ writesMissing: 0, mended: 0, restored: whole })
  }
}, 600_000)
