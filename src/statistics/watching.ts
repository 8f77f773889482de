import type { AskableReports, ClickPosition, StoredClick } from './types.ts'

// What live streams of clicks are made of, wherever the clicks are stored.

/** Clicks of a workspace behind a position, oldest first. */
export type ClicksAfter = (
  workspaceNo: number,
  after: ClickPosition,
  limit: number,
) => Promise<StoredClick[]>

/** As a store's reports list them: of all links, bots and previews included. */
export function clicksAfterIn(reports: Pick<AskableReports, 'clicks'>): ClicksAfter {
  return (workspaceNo, after, limit) =>
    reports.clicks(
      {
        workspaceNo,
        linkSeq: null,
        linkSeqs: null,
        from: after.time,
        to: Number.MAX_SAFE_INTEGER,
        filters: [],
        bots: 'include',
        offsets: [{ from: after.time, offsetMs: 0 }],
      },
      { after, limit },
    )
}

/** Resolves when one of `wake` is called, after `ms`, or at once when the watcher has gone. */
export function woken(wake: Set<() => void>, ms: number, hasGone: () => boolean): Promise<void> {
  return new Promise((resolve) => {
    if (hasGone()) return resolve()
    const done = () => {
      clearTimeout(timer)
      wake.delete(done)
      resolve()
    }
    const timer = setTimeout(done, ms)
    wake.add(done)
  })
}
