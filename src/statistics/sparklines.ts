import { ask } from './ask.ts'
import type { SelectionContext, StatisticsCaller } from './selection.ts'
import { findLinkSeqs } from './store.ts'
import type { ClickReports } from './types.ts'

const DAY_MS = 86_400_000
/** How many UTC days a sparkline has, today included. */
export const SPARKLINE_DAYS = 30

/**
 * People's clicks per UTC day of some links, the oldest first, by their ids; links of others are left out.
 * @throws AppError SERVICE_UNAVAILABLE
 */
export async function sparklines(
  { storage, clock, reports }: SelectionContext & { reports: Pick<ClickReports, 'daily'> },
  { workspace }: StatisticsCaller,
  ids: readonly string[],
): Promise<Record<string, number[]>> {
  const seqs = await findLinkSeqs(storage.read, ids, workspace.no)
  if (seqs.size === 0) return {}
  const firstDay = Math.floor(clock.now() / DAY_MS) - SPARKLINE_DAYS + 1
  const days = await ask(reports.daily([...seqs.values()], firstDay, SPARKLINE_DAYS))
  const none = Array.from({ length: SPARKLINE_DAYS }, () => 0)
  return Object.fromEntries([...seqs].map(([id, seq]) => [id, days.get(seq) ?? none]))
}
