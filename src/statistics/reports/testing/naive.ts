import { SEQS_PER_WORKSPACE } from '../../../storage/index.ts'
import type { BotsMode, Counts, Dimension, Selection, StoredClick } from '../../types.ts'

const DAY_MS = 86_400_000

/** What is left of purged clicks: a row of the table `daily`. */
export interface PurgedDay {
  link: number
  /** UTC days since the epoch. */
  day: number
  kind: 0 | 1 | 2
  clicks: number
  uniques: number
  workspace_uniques: number
}

/** Everything that there is. */
export interface Everything {
  clicks: readonly StoredClick[]
  purged: readonly PurgedDay[]
}

type Value = string | number | null

/** Reports as a child could check them: for each answer a loop over everything. */
export function naive({ clicks, purged }: Everything) {
  function totals(
    selection: Selection,
    only?: (value: (d: Dimension) => Value) => boolean,
  ): Counts {
    const counts: Counts = { clicks: 0, unique: 0, bots: 0 }
    const visitors = new Set<string>()
    for (const click of clicks) {
      const { linkSeq, time, kind, visitor } = click
      const value = (dimension: Dimension) => valueIn(click, dimension, selection)
      if (!isThere(selection, linkSeq, time) || !fits(selection, value)) continue
      if (only !== undefined && !only(value)) continue
      if (kind !== 'person') counts.bots++
      if (!isMeant(selection.bots, kind === 'person')) continue
      counts.clicks++
      if (visitor !== null) visitors.add(`${Math.floor(time / DAY_MS)} ${visitor}`)
    }
    counts.unique = visitors.size
    for (const row of purgedIn(selection)) {
      const value = (dimension: Dimension) => purgedValue(row, dimension)
      if (only !== undefined && !only(value)) continue
      if (row.kind !== 0) counts.bots += row.clicks
      if (!isMeant(selection.bots, row.kind === 0)) continue
      counts.clicks += row.clicks
      counts.unique += uniquesOf(row, selection)
    }
    return counts
  }

  function purgedIn(selection: Selection): PurgedDay[] {
    const known = ({ dimension }: { dimension: Dimension }) =>
      dimension === 'link' || dimension === 'kind'
    if (!selection.filters.every(known)) return []
    return purged.filter(
      (row) =>
        isThere(selection, row.link, (row.day + 0.5) * DAY_MS) &&
        fits(selection, (dimension) => purgedValue(row, dimension)),
    )
  }

  return {
    totals: (selection: Selection) => totals(selection),
    series(selection: Selection, boundaries: readonly number[]) {
      const between = (from: number, to: number) =>
        totals({
          ...selection,
          from: Math.max(selection.from, from),
          to: Math.min(selection.to, to),
        })
      return {
        totals: between(boundaries[0] as number, boundaries.at(-1) as number),
        buckets: boundaries.slice(1).map((end, i) => between(boundaries[i] as number, end)),
      }
    },
    top(selection: Selection, dimension: Dimension, limit: number) {
      // Of single links more is known about purged visitors than of the workspace.
      const asked =
        dimension === 'link' && selection.linkSeqs === null ? withLinks(selection) : selection
      const found = new Set<Value>()
      const collect = (value: (d: Dimension) => Value) => found.add(value(dimension)) !== undefined
      totals(asked, collect)
      const values = [...found]
        .map((value) => ({ value, ...totals(asked, (of) => of(dimension) === value) }))
        .sort((a, b) => b.clicks - a.clicks || compare(a.value, b.value))
        .slice(0, limit)
      const listed = new Set(values.map(({ value }) => value))
      return { values, other: totals(asked, (of) => !listed.has(of(dimension))) }
    },
    clicks: (selection: Selection) =>
      clicks
        .filter(
          (click) =>
            isThere(selection, click.linkSeq, click.time) &&
            fits(selection, (dimension) => valueIn(click, dimension, selection)) &&
            isMeant(selection.bots, click.kind === 'person'),
        )
        .sort((a, b) => b.time - a.time || b.n - a.n),
  }

  /** The same clicks, named by their links. */
  function withLinks(selection: Selection): Selection {
    const all = new Set([
      ...clicks.map(({ linkSeq }) => linkSeq),
      ...purged.map(({ link }) => link),
    ])
    return { ...selection, linkSeqs: [...all] }
  }
}

function uniquesOf(row: PurgedDay, { linkSeq, linkSeqs, filters }: Selection): number {
  const some =
    linkSeq !== null || linkSeqs !== null || filters.some(({ dimension }) => dimension === 'link')
  return some ? row.uniques : row.workspace_uniques
}

function isThere(selection: Selection, link: number, time: number): boolean {
  const { workspaceNo, linkSeq, linkSeqs, from, to } = selection
  if (Math.floor(link / SEQS_PER_WORKSPACE) !== workspaceNo) return false
  if (linkSeq !== null && link !== linkSeq) return false
  if (linkSeqs !== null && !linkSeqs.includes(link)) return false
  return from <= time && time < to
}

function fits({ filters }: Selection, value: (dimension: Dimension) => Value): boolean {
  return filters.every(
    ({ dimension, values, exclude }) => values.includes(value(dimension)) !== exclude,
  )
}

function isMeant(mode: BotsMode, isPerson: boolean): boolean {
  return mode === 'include' || (mode === 'exclude') === isPerson
}

function purgedValue(row: PurgedDay, dimension: Dimension): Value {
  if (dimension === 'link') return row.link
  return dimension === 'kind' ? (['person', 'bot', 'preview'] as const)[row.kind] : null
}

function valueIn(click: StoredClick, dimension: Dimension, { offsets }: Selection): Value {
  switch (dimension) {
    case 'link':
      return click.linkSeq
    case 'domain':
      return click.domainNo
    case 'hour':
    case 'weekday': {
      const { offsetMs } = offsets.findLast(({ from }) => from <= click.time) ?? { offsetMs: 0 }
      const local = new Date(click.time + offsetMs)
      return dimension === 'hour' ? local.getUTCHours() : local.getUTCDay() || 7
    }
    default:
      return click[dimension]
  }
}

function compare(a: Value, b: Value): number {
  if (a === null || b === null) return a === b ? 0 : a === null ? 1 : -1
  if (typeof a === 'number' && typeof b === 'number') return a - b
  return Buffer.compare(Buffer.from(String(a)), Buffer.from(String(b)))
}
