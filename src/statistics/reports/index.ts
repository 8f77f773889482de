import { hiddenFrom } from '../../lib/base/hidden-folders.ts'
import { SEQS_PER_WORKSPACE } from '../../platform/storage/index.ts'
import { isGroup } from '../columns.ts'
import { createExport } from '../engine/shared/export.ts'
import type { Engine, LinkFacts } from '../engine/types.ts'
import { DAY_MS } from '../intervals.ts'
import type { AskableReports, ClickReports, Listed, Selection } from '../types.ts'
import { series, top } from './counts.ts'
import type { QueryContext } from './dialect.ts'
import { topGroups } from './groups.ts'
import { clicks, daily } from './lists.ts'
import { createQueryQueue } from './queue.ts'
import { createSharing } from './sharing.ts'
import { NO_SUMS, type Plan, planOf } from './sums.ts'

const NO_FACTS: LinkFacts = {
  links: async () => new Map(),
  grouped: async () => [],
  inFolders: async () => [],
  members: async () => ({ links: '', groups: '', values: [] }),
  domains: async () => new Map(),
}
/** No click is later: the end of the year 9999. */
const LATEST_MS = 253_402_300_800_000
/** Questions about a whole workspace over more days of clicks than this are heavy. */
const HEAVY_DAYS = 93
/** How long a heavy query may take, and how long it may wait before. */
const HEAVY_WITHIN_MS = 25_000

/**
 * Reports on the clicks of an engine, in one SQL text for all engines. Identical questions that run
 * are one. Heavy ones run one at a time, and workspaces take turns; all others run beside them.
 */
export function createReports(
  engine: Engine,
  facts: LinkFacts = NO_FACTS,
  heavyWithinMs = HEAVY_WITHIN_MS,
): AskableReports {
  const { dialect } = engine
  const queue = createQueryQueue(heavyWithinMs)
  const share = createSharing()
  const exported = createExport(engine, facts)

  /** The selection with the links of its tags and folders, within the times that clicks can have. */
  async function resolve(selection: Selection): Promise<Selection> {
    const { from, to } = selection
    return {
      ...selection,
      ...(await linksOf(selection, facts)),
      from: Math.max(0, Math.min(from, LATEST_MS)),
      to: Math.max(0, Math.min(to, LATEST_MS)),
    }
  }

  function reportsUntil(signal?: AbortSignal): ClickReports {
    const contextUntil = (until?: AbortSignal): QueryContext => ({
      dialect,
      query: (sql, values) => engine.query(sql, values, until),
    })
    const counted = <T>(
      asked: readonly unknown[],
      requested: Selection,
      by: Listed | null,
      report: (context: QueryContext, selection: Selection, plan: Plan) => Promise<T>,
    ): Promise<T> =>
      share(
        JSON.stringify([asked, by, requested]),
        async (until) => {
          const selection = await resolve(requested)
          const isOfGroups = by !== null && isGroup(by)
          const plan = await planOf(contextUntil(until), selection, isOfGroups ? 'link' : by)
          const answer = (left: AbortSignal) => report(contextUntil(left), selection, plan)
          // The visitors of groups are no sums.
          if (!isHeavy(selection, isOfGroups ? NO_SUMS : plan)) return await answer(until)
          return await queue.run(answer, until, selection.workspaceNo)
        },
        signal,
      )

    return {
      series: (selection, boundaries) =>
        counted([boundaries], selection, null, (context, it, plan) =>
          series(context, it, boundaries, plan),
        ),
      top: (selection, by, limit) =>
        counted([limit], selection, by, async (context, it, plan) =>
          isGroup(by)
            ? topGroups(context, it, await facts.members(it.workspaceNo, by), limit, plan)
            : top(context, it, by, limit, plan),
        ),
      clicks: async (selection, options) =>
        clicks(contextUntil(signal), await resolve(selection), options),
      daily(linkSeqs, firstDay, days) {
        const workspaceNo = Math.floor((linkSeqs[0] ?? 0) / SEQS_PER_WORKSPACE)
        return daily(contextUntil(signal), workspaceNo, linkSeqs, firstDay, days)
      },
      export: async (selection, options) => exported(await resolve(selection), options, signal),
    }
  }

  return { ...reportsUntil(), until: reportsUntil }
}

/**
 * The links of a selection's tags, folder and view. Those of a restricted key are listed; from other
 * readers few links are hidden, so that these are.
 */
export async function linksOf(
  { workspaceNo, linkSeq, linkSeqs, tags = [], folder, view = {} }: Selection,
  facts: Pick<LinkFacts, 'grouped' | 'inFolders'>,
): Promise<Pick<Selection, 'linkSeqs' | 'exceptSeqs'>> {
  // A single link is one that the reader sees.
  const isRestricted = view.allowed !== undefined && linkSeq === null
  const isGroup = tags.length > 0 || folder !== undefined || isRestricted
  const group = { tags, folder: folder ?? null, ...(isRestricted && { view }) }
  const hidden = isRestricted ? [] : hiddenFrom(view)
  return {
    linkSeqs: isGroup ? await facts.grouped(workspaceNo, group) : linkSeqs,
    ...(hidden.length > 0 && { exceptSeqs: await facts.inFolders(workspaceNo, hidden) }),
  }
}

function isHeavy({ linkSeq, from, to }: Selection, { days }: Plan): boolean {
  return linkSeq === null && to - from > (HEAVY_DAYS + days) * DAY_MS
}
