import { SEQS_PER_WORKSPACE } from '../../platform/storage/index.ts'
import { KIND_NAMES, TEXT_COLUMNS, type TextColumn } from '../columns.ts'
import { DAY_MS } from '../intervals.ts'
import type { ClickPosition, ListedClick, Selection } from '../types.ts'
import { selectionSql } from './counts.ts'
import { createParameters, type Dialect, type QueryContext } from './dialect.ts'
import { modeSql } from './values.ts'

/** See `ClickReports.clicks`. */
export async function clicks(
  { dialect, query }: QueryContext,
  selection: Selection,
  { before, after, limit }: ClicksOptions,
): Promise<ListedClick[]> {
  const { bind, values } = createParameters(dialect)
  const conditions = [selectionSql(dialect, bind, selection), modeSql(selection.bots)]
  if (after != null) conditions.push(isBeyond(after, '>'))
  else if (before != null) conditions.push(isBeyond(before, '<'))
  const order = after == null ? 'DESC' : 'ASC'
  const rows = await query(
    `SELECT time, n, link, domain, kind, qr, ${TEXT_COLUMNS.join(', ')}
    FROM ${dialect.table('clicks', selection.workspaceNo)} WHERE ${conditions.join(' AND ')}
    ORDER BY time ${order}, n ${order} LIMIT ${limit}`,
    values,
  )
  return rows.map(clickOf)
}

/** People's clicks per UTC day: see `ClickReports.daily`. */
export async function daily(
  { dialect, query }: QueryContext,
  workspaceNo: number,
  linkSeqs: readonly number[],
  firstDay: number,
  days: number,
): Promise<[number, number[]][]> {
  const counts = new Map(linkSeqs.map((seq) => [seq, new Array<number>(days).fill(0)]))
  if (linkSeqs.length === 0 || days === 0) return [...counts]
  const { bind, values } = createParameters(dialect)
  const ofLinks = () => `workspace = ${workspaceNo} AND ${dialect.among('link', linkSeqs, bind)}`
  const end = firstDay + days
  const rows = await query(
    `SELECT link, start_of_day, sum(c) AS clicks FROM (
      SELECT link, time - time % ${DAY_MS} AS start_of_day, count(*) AS c
      FROM ${dialect.table('clicks', workspaceNo)}
      WHERE ${ofLinks()} AND kind = 0 AND time >= ${firstDay * DAY_MS} AND time < ${end * DAY_MS}
      GROUP BY 1, 2
      UNION ALL
      SELECT link, day * ${DAY_MS} AS start_of_day, sum(clicks) AS c
      FROM ${dialect.table('daily', workspaceNo)}
      WHERE ${ofLinks()} AND kind = 0 AND day >= ${firstDay} AND day < ${end}
      GROUP BY 1, 2
    ) parts GROUP BY 1, 2`,
    values,
  )
  for (const [link, start, count] of rows) {
    const ofLink = counts.get(Number(link))
    if (ofLink !== undefined) ofLink[Number(start) / DAY_MS - firstDay] = Number(count)
  }
  return [...counts]
}

interface ClicksOptions {
  before?: ClickPosition | null
  after?: ClickPosition | null
  limit: number
}

function isBeyond({ time, n }: ClickPosition, than: '<' | '>'): string {
  return `time ${than}= ${time} AND (time ${than} ${time} OR n ${than} ${n})`
}

function clickOf(row: readonly unknown[]): ListedClick {
  const [time, n, link, domain, kind, qr, ...texts] = row
  const values = Object.fromEntries(TEXT_COLUMNS.map((name, i) => [name, texts[i]]))
  return {
    time: Number(time),
    n: Number(n),
    linkSeq: Number(link),
    domainNo: Number(domain),
    kind: KIND_NAMES[Number(kind) as 0 | 1 | 2],
    trigger: qr ? 'qr' : 'click',
    ...(values as Record<TextColumn, string | null>),
  }
}

/**
 * A SELECT of links' numbers by their stored clicks and purged days, ordered by link: link, human
 * clicks, other clicks, human visitors.
 * @param links to count: first ≤ link < end
 */
export function linkNumbersSql(
  dialect: Dialect,
  [first, end]: readonly [first: number, end: number],
): string {
  const within = `workspace >= ${Math.floor(first / SEQS_PER_WORKSPACE)}
    AND workspace < ${Math.ceil(end / SEQS_PER_WORKSPACE)} AND link >= ${first} AND link < ${end}`
  const sumOf = (column: string, condition: string) =>
    `coalesce(sum(${column}) FILTER (WHERE ${condition}), 0)`
  return `SELECT link, sum(human) AS humans, sum(bot) AS bots, sum(unique_visitors) AS visitors
    FROM (
      SELECT link, count(*) FILTER (WHERE kind = 0) AS human,
        count(*) FILTER (WHERE kind <> 0) AS bot,
        ${dialect.distinctVisitors('kind = 0')} AS unique_visitors
      FROM ${dialect.table('clicks', null)} WHERE ${within} GROUP BY link
      UNION ALL
      SELECT link, ${sumOf('clicks', 'kind = 0')} AS human, ${sumOf('clicks', 'kind <> 0')} AS bot,
        ${sumOf('uniques', 'kind = 0')} AS unique_visitors
      FROM ${dialect.table('daily', null)} WHERE ${within} GROUP BY link
    ) parts GROUP BY link ORDER BY link`
}
