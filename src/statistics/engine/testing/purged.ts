import { SEQS_PER_WORKSPACE } from '../../../platform/storage/index.ts'
import type { PurgedDay } from '../../reports/testing/naive.ts'

/** One row a link, day and kind, as tables with that key can hold them: the last one. */
export function byKey(purged: readonly PurgedDay[]): PurgedDay[] {
  return [...new Map(purged.map((row) => [`${row.link} ${row.day} ${row.kind}`, row])).values()]
}

/** Values in the order of `DAILY_COLUMNS`. */
export function dailyRow({ link, day, kind, clicks, uniques, workspace_uniques }: PurgedDay) {
  const workspace = Math.floor(link / SEQS_PER_WORKSPACE)
  return [workspace, link, day, kind, clicks, uniques, workspace_uniques]
}
