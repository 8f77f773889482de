import { SEQS_PER_WORKSPACE } from '../../storage/index.ts'
import type {
  AskableReports,
  ClickPosition,
  Counts,
  Dimension,
  Selection,
  StoredClick,
} from '../types.ts'

const DAY_MS = 86_400_000

/** Clicks in memory, and reports in the plainest form: one loop each. */
export interface NaiveReports extends AskableReports {
  readonly clicked: StoredClick[]
  add(...clicks: StoredClick[]): void
  /** What every question fails with from now on; null: none does. */
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
    country: null,
    region: null,
    city: null,
    language: null,
    referrer: null,
    referrer_path: null,
    device: null,
    browser: null,
    os: null,
    utm_source: null,
    utm_medium: null,
    utm_campaign: null,
    utm_term: null,
    utm_content: null,
    ...fields,
  } satisfies StoredClick as StoredClick
}

/** Empty ones. `tagged`: the links that have tags. */
export function createNaiveReports(
  tagged: (workspaceNo: number, tags: readonly string[]) => Promise<number[]>,
): NaiveReports {
  const clicked: StoredClick[] = []
  const asked: NaiveReports['asked'] = []

  async function fitting(selection: Selection): Promise<StoredClick[]> {
    const { workspaceNo, linkSeq, tags = [], from, to, filters, offsets } = selection
    const linkSeqs = tags.length === 0 ? selection.linkSeqs : await tagged(workspaceNo, tags)
    return clicked.filter(
      (it) =>
        Math.floor(it.linkSeq / SEQS_PER_WORKSPACE) === workspaceNo &&
        (linkSeq === null || it.linkSeq === linkSeq) &&
        (linkSeqs === null || linkSeqs.includes(it.linkSeq)) &&
        it.time >= from &&
        it.time < to &&
        filters.every(
          ({ dimension, values, exclude }) =>
            values.includes(valueIn(it, dimension, offsets)) !== exclude,
        ),
    )
  }

  function begin(question: string, selection: Selection): void {
    asked.push({ question, selection })
    if (reports.failure !== null) throw reports.failure
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
    add(...clicks) {
      clicked.push(...clicks)
    },
    async totals(selection) {
      begin('totals', selection)
      return countsOf(await fitting(selection), selection)
    },
    async series(selection, boundaries) {
      begin('series', selection)
      const all = await fitting(selection)
      const between = (start: number, end: number) =>
        countsOf(
          all.filter(({ time }) => time >= start && time < end),
          selection,
        )
      return {
        totals: between(boundaries[0] as number, boundaries.at(-1) as number),
        buckets: boundaries.slice(1).map((end, i) => between(boundaries[i] as number, end)),
      }
    },
    async top(selection, dimension, limit) {
      begin('top', selection)
      const all = await fitting(selection)
      const groups = Map.groupBy(all, (it) => valueIn(it, dimension, selection.offsets))
      const values = [...groups]
        .map(([value, clicks]) => ({ value, ...countsOf(clicks, selection) }))
        .sort((a, b) => b.clicks - a.clicks || (String(a.value) < String(b.value) ? -1 : 1))
      const listed = values.filter(({ clicks }) => clicks > 0).slice(0, limit)
      const rest = all.filter(
        (it) => !listed.some(({ value }) => value === valueIn(it, dimension, selection.offsets)),
      )
      const { clicks, bots } = countsOf(rest, selection)
      return { values: listed, other: { clicks, bots } }
    },
    async clicks(selection, { before = null, after = null, limit }) {
      begin('clicks', selection)
      const all = (await fitting(selection)).filter((it) => isMeant(it, selection)).sort(compare)
      if (after !== null) return all.filter((it) => compare(it, after) > 0).slice(0, limit)
      const older = before === null ? all : all.filter((it) => compare(it, before) < 0)
      return older.reverse().slice(0, limit)
    },
    async daily(linkSeqs, firstDay, days) {
      if (reports.failure !== null) throw reports.failure
      return new Map(
        linkSeqs.map((seq) => {
          const counts = Array.from({ length: days }, () => 0)
          for (const it of clicked) {
            const day = Math.floor(it.time / DAY_MS) - firstDay
            const isMine = it.linkSeq === seq && it.kind === 'human'
            if (isMine && counts[day] !== undefined) counts[day]++
          }
          return [seq, counts]
        }),
      )
    },
    async export(selection, { format, raw }) {
      begin('export', selection)
      const all = (await fitting(selection)).filter((it) => isMeant(it, selection)).sort(compare)
      let at = 0
      return new ReadableStream({
        pull(controller) {
          const next = all[at++]
          if (next === undefined) return controller.close()
          controller.enqueue(
            new TextEncoder().encode(`${format}${raw ? ' raw' : ''} ${next.time}-${next.n}\n`),
          )
        },
      })
    },
  }
  return reports
}

function countsOf(all: readonly StoredClick[], selection: Pick<Selection, 'bots'>): Counts {
  const meant = all.filter((it) => isMeant(it, selection))
  const visitors = new Set(
    meant.flatMap(({ visitor, time }) =>
      visitor === null ? [] : [`${Math.floor(time / DAY_MS)} ${visitor}`],
    ),
  )
  return {
    clicks: meant.length,
    unique: visitors.size,
    bots: all.filter(({ kind }) => kind !== 'human').length,
  }
}

function isMeant(it: StoredClick, { bots }: Pick<Selection, 'bots'>): boolean {
  return bots === 'include' || (it.kind === 'human') === (bots === 'exclude')
}

function valueIn(
  it: StoredClick,
  dimension: Dimension,
  offsets: Selection['offsets'],
): string | number | null {
  if (dimension === 'link') return it.linkSeq
  if (dimension === 'domain') return it.domainNo
  if (dimension !== 'hour' && dimension !== 'weekday') return it[dimension]
  const offset = offsets.findLast(({ from }) => from <= it.time)?.offsetMs ?? 0
  const local = new Date(it.time + offset)
  return dimension === 'hour' ? local.getUTCHours() : local.getUTCDay() || 7
}

function compare(a: ClickPosition, b: ClickPosition): number {
  return a.time - b.time || a.n - b.n
}
