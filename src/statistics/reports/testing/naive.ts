import { SEQS_PER_WORKSPACE } from '../../../platform/storage/index.ts'
import { KIND_NAMES } from '../../columns.ts'
import { DAY_MS } from '../../intervals.ts'
import type {
  BotsMode,
  Counts,
  Dimension,
  Members,
  Selection,
  Series,
  StoredClick,
  TopValues,
} from '../../types.ts'

/** The totals of purged clicks: a row of the table `daily`. */
export interface PurgedDay {
  link: number
  /** UTC days since the epoch. */
  day: number
  kind: 0 | 1 | 2
  clicks: number
  uniques: number
  workspace_uniques: number
}

/** All stored clicks. */
export interface Everything {
  clicks: readonly StoredClick[]
  purged: readonly PurgedDay[]
}

type Value = string | number | null

/** Reports by one loop over everything for each answer: what the engines' SQL is compared with. */
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
      if (kind !== 'human') counts.bots++
      if (!isMeant(selection.bots, kind === 'human')) continue
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

  function topGroups(selection: Selection, members: Members, limit: number): TopValues {
    const numbers = (text: string) => (text === '' ? [] : text.split(',').map(Number))
    const groups = numbers(members.groups)
    const pairs = numbers(members.links).map((link, i) => ({
      link,
      value: members.values[(groups[i] ?? 0) - 1],
    }))
    const all = [...clicks.map(({ linkSeq }) => linkSeq), ...purged.map(({ link }) => link)]
    const links = [...new Set(all)].filter((link) => selection.linkSeqs?.includes(link) ?? true)
    if (new Set(pairs.map((pair) => JSON.stringify(pair))).size < pairs.length) {
      throw new Error('A link is in a group several times, and would be counted as often')
    }
    const rows = [...members.values, null]
      .map((value) => {
        const isIn = (link: number) => {
          const own = pairs.filter((pair) => pair.link === link)
          return value === null ? own.length === 0 : own.some((pair) => pair.value === value)
        }
        return { value, ...totals({ ...selection, linkSeqs: links.filter(isIn) }) }
      })
      .toSorted((a, b) => b.clicks - a.clicks)
    const values = rows.filter((row) => row.clicks > 0).slice(0, limit)
    const rest = rows.filter((row) => !values.includes(row))
    const sum = (name: 'clicks' | 'bots') => rest.reduce((n, row) => n + row[name], 0)
    return { values, other: { clicks: sum('clicks'), bots: sum('bots') } }
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
    topGroups,
    series(selection: Selection, boundaries: readonly number[]): Series {
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
    top(selection: Selection, dimension: Dimension, limit: number): TopValues {
      // Purged visitors are known per link, so a list of links counts them like single links.
      const asked =
        dimension === 'link' && selection.linkSeqs === null ? withLinks(selection) : selection
      const found = new Set<Value>()
      const collect = (value: (d: Dimension) => Value) => found.add(value(dimension)) !== undefined
      totals(asked, collect)
      const values = [...found]
        .map((value) => ({ value, ...totals(asked, (of) => of(dimension) === value) }))
        .filter((row) => row.clicks > 0)
        .sort((a, b) => b.clicks - a.clicks || compare(a.value, b.value))
        .slice(0, limit)
      const listed = new Set(values.map(({ value }) => value))
      const rest = totals(asked, (of) => !listed.has(of(dimension)))
      return { values, other: { clicks: rest.clicks, bots: rest.bots } }
    },
    clicks: (selection: Selection) =>
      clicks
        .filter(
          (click) =>
            isThere(selection, click.linkSeq, click.time) &&
            fits(selection, (dimension) => valueIn(click, dimension, selection)) &&
            isMeant(selection.bots, click.kind === 'human'),
        )
        .sort((a, b) => b.time - a.time || b.n - a.n),
  }

  /** The same clicks, selected by their links. */
  function withLinks(selection: Selection): Selection {
    const all = new Set([
      ...clicks.map(({ linkSeq }) => linkSeq),
      ...purged.map(({ link }) => link),
    ])
    return { ...selection, linkSeqs: [...all] }
  }
}

function uniquesOf(row: PurgedDay, { linkSeq, linkSeqs, exceptSeqs, filters }: Selection): number {
  const some =
    exceptSeqs !== undefined ||
    linkSeq !== null ||
    linkSeqs !== null ||
    filters.some(({ dimension }) => dimension === 'link')
  return some ? row.uniques : row.workspace_uniques
}

function isThere(selection: Selection, link: number, time: number): boolean {
  const { workspaceNo, linkSeq, linkSeqs, exceptSeqs = [], from, to } = selection
  if (exceptSeqs.includes(link)) return false
  if (Math.floor(link / SEQS_PER_WORKSPACE) !== workspaceNo) return false
  if (linkSeq !== null && link !== linkSeq) return false
  if (linkSeqs !== null && !linkSeqs.includes(link)) return false
  return from <= time && time < to
}

function fits({ filters }: Selection, value: (dimension: Dimension) => Value): boolean {
  return filters.every(({ dimension, match, values }) => {
    const own = inAnyCase(value(dimension))
    if (match === 'contains') {
      return own !== null && values.some((it) => String(own).includes(String(inAnyCase(it))))
    }
    return values.some((it) => inAnyCase(it) === own) === (match === 'is')
  })
}

function inAnyCase(value: Value): Value {
  return typeof value === 'string' ? value.toLowerCase() : value
}

function isMeant(mode: BotsMode, isHuman: boolean): boolean {
  return mode === 'include' || (mode === 'exclude') === isHuman
}

function purgedValue(row: PurgedDay, dimension: Dimension): Value {
  if (dimension === 'link') return row.link
  return dimension === 'kind' ? KIND_NAMES[row.kind] : null
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
