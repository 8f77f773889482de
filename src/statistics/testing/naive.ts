import { isGroup } from '../columns.ts'
import { NO_DETAILS } from '../engine/testing/plain-click.ts'
import type { LinkFacts } from '../engine/types.ts'
import { DAY_MS } from '../intervals.ts'
import { linksOf } from '../reports/index.ts'
import { naive } from '../reports/testing/naive.ts'
import type { AskableReports, ClickPosition, Selection, StoredClick } from '../types.ts'

/** Reports on clicks in memory, counted naively. */
export interface NaiveReports extends AskableReports {
  readonly clicked: StoredClick[]
  add(...clicks: StoredClick[]): void
  /** The error that every question fails with; null: none. */
  failure: Error | null
  /** The signals of {@link AskableReports.until} so far. */
  readonly signals: AbortSignal[]
  /** The questions so far. */
  readonly asked: { question: string; selection: Selection }[]
}

/** A click of a human, at a time, on a link. */
export function click(fields: Partial<StoredClick> & Pick<StoredClick, 'time' | 'linkSeq'>) {
  return {
    n: 0,
    domainNo: 0,
    visitor: null,
    kind: 'human',
    reason: null,
    trigger: 'click',
    ...NO_DETAILS,
    ...fields,
  } satisfies StoredClick as StoredClick
}

/** Reports without clicks. */
export function createNaiveReports(
  facts: Pick<LinkFacts, 'grouped' | 'inFolders' | 'members'>,
): NaiveReports {
  const clicked: StoredClick[] = []
  const asked: NaiveReports['asked'] = []
  const counted = naive({ clicks: clicked, purged: [] })

  async function begin(question: string, selection: Selection): Promise<Selection> {
    asked.push({ question, selection })
    if (reports.failure !== null) throw reports.failure
    return { ...selection, ...(await linksOf(selection, facts)) }
  }

  const reports: NaiveReports = {
    clicked,
    asked,
    failure: null,
    signals: [],
    until(signal) {
      reports.signals.push(signal)
      return reports
    },
    add: (...clicks) => void clicked.push(...clicks),
    series: async (selection, boundaries) =>
      counted.series(await begin('series', selection), boundaries),
    async top(selection, by, limit) {
      const asked = await begin('top', selection)
      if (!isGroup(by)) return counted.top(asked, by, limit)
      return counted.topGroups(asked, await facts.members(selection.workspaceNo, by), limit)
    },
    async clicks(selection, { before = null, after = null, limit }) {
      const newest = counted.clicks(await begin('clicks', selection))
      if (after !== null) {
        return newest
          .filter((it) => compare(it, after) > 0)
          .reverse()
          .slice(0, limit)
      }
      return newest.filter((it) => before === null || compare(it, before) < 0).slice(0, limit)
    },
    async daily(linkSeqs, firstDay, days) {
      if (reports.failure !== null) throw reports.failure
      return linkSeqs.map((seq) => {
        const counts = new Array<number>(days).fill(0)
        for (const { linkSeq, kind, time } of clicked) {
          const day = Math.floor(time / DAY_MS) - firstDay
          if (linkSeq === seq && kind === 'human' && counts[day] !== undefined) counts[day]++
        }
        return [seq, counts]
      })
    },
    async export(selection, { format, raw }) {
      const oldest = counted.clicks(await begin('export', selection)).reverse()
      let at = 0
      return new ReadableStream({
        pull(controller) {
          const next = oldest[at++]
          if (next === undefined) return controller.close()
          const line = `${format}${raw ? ' raw' : ''} ${next.time}-${next.n}\n`
          controller.enqueue(new TextEncoder().encode(line))
        },
      })
    },
  }
  return reports
}

function compare(a: ClickPosition, b: ClickPosition): number {
  return a.time - b.time || a.n - b.n
}
