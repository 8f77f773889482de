import type { Clock } from '../../lib/base/clock.ts'
import type { Config } from '../../platform/config/index.ts'
import { isOverdue } from '../../server/operations/backup-schedule.ts'
import { readState } from '../../server/operations/backup-state.ts'
import { type Finding, ok, problem, warning } from './finding.ts'

/** Whether scheduled backups are made; nothing without a schedule and without backups. */
export function checkBackups({ dataDir, backup }: Config, clock: Clock): Finding[] {
  const { schedule } = backup
  const last = readState(dataDir)
  if (last === null) {
    if (schedule === null) return []
    return [warning('backup', 'there is none yet', 'run slugline backup')]
  }
  const message = `the last one began at ${new Date(last.at).toISOString()}`
  if (schedule === null || !isOverdue(schedule, { last, since: last.at, now: clock.now() })) {
    return [ok('backup', message)]
  }
  const advice = "slugline backup makes one now; the server's log says why it failed"
  return [problem('backup', `${message}: the next one is overdue`, advice)]
}
