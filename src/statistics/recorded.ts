import type { View } from '../lib/base/view.ts'
import { isAfter, renderClick } from './clicks.ts'
import type { ClickView } from './schemas.ts'
import { type StatisticsContext, type StatisticsReader, select } from './selection.ts'
import { findLinkIds, isInGroup } from './store.ts'
import type { ClickPosition } from './types.ts'

/** Clicks between two positions, and the position up to which they are known. */
export interface RecordedClicks {
  clicks: ClickView[]
  end: ClickPosition
}

/** The clicks that are asked for: after one position, up to another if that is given. */
interface Asked {
  after: ClickPosition
  upTo?: ClickPosition | undefined
  /** Only those of links in this view. */
  only?: View | undefined
  limit: number
}

const HUMANS = {
  from: undefined,
  to: undefined,
  zone: 'UTC',
  filters: [],
  tags: [],
  bots: undefined,
}

/**
 * Human clicks that a reader can see, oldest first.
 * @param lateMs how much later than newer clicks a click may be stored: newer ones are left for later
 * @throws AppError SERVICE_UNAVAILABLE
 */
export async function recordedClicks(
  ctx: StatisticsContext & { liveLateMs?: number },
  caller: StatisticsReader,
  { after, upTo, only, limit }: Asked,
): Promise<RecordedClicks> {
  const { reports, storage, clock, domains, liveLateMs: lateMs = 0 } = ctx
  const question = { caller, linkId: null, query: HUMANS }
  const to = upTo === undefined ? clock.now() + 1 - lateMs : upTo.time + 1
  if (to <= after.time) return { clicks: [], end: after }
  const selection = await select(ctx, question, { from: after.time, to })
  const { view: _, ...everything } = selection
  // Clicks are stored in order, so nothing is added before the newest one.
  const [newest = after] =
    upTo === undefined
      ? await reports.clicks({ ...everything, bots: 'include' }, { limit: 1 })
      : [upTo]
  if (!isAfter(newest, after)) return { clicks: [], end: after }
  const found = await reports.clicks(selection, { after, limit })
  const until = found.filter((click) => !isAfter(click, newest))
  const end = until.length === limit ? (until.at(-1) ?? newest) : newest
  const seqs = [...new Set(until.map(({ linkSeq }) => linkSeq))]
  const ids = await findLinkIds(storage.read, seqs)
  const view = only
  const inside = new Set<number>()
  for (const seq of seqs) {
    const group = { tags: [], folder: null, view: view ?? {} }
    const { no } = caller.workspace
    if (view === undefined || (await isInGroup(storage.read, no, seq, group))) inside.add(seq)
  }
  const clicks = until
    .filter(({ linkSeq }) => inside.has(linkSeq))
    .map((click) => renderClick(click, ids.get(click.linkSeq) ?? null, domains))
  return { clicks, end: { time: end.time, n: end.n } }
}
