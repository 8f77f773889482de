import { sql } from 'kysely'
import { KIND_NAMES, TEXT_COLUMNS } from '../store/schema.ts'
import type { ClickPosition, Selection, StoredClick } from '../types.ts'
import type { Ask } from './counts.ts'
import { DAY_MS, meant, numbers, type Part, whole } from './where.ts'

// 64 bits are too many for a number.
const COLUMNS = sql.raw(
  `link_seq, time, n, visitor::text AS visitor, kind, qr, domain_no, ${TEXT_COLUMNS.join(', ')}`,
)

type Row = {
  link_seq: number
  time: number
  n: number
  visitor: string | null
  kind: 0 | 1 | 2
  qr: boolean
  domain_no: number
} & Record<(typeof TEXT_COLUMNS)[number], string | null>

/** Single clicks: newest first before a position, or oldest first after one. */
export async function clicks(
  ask: Ask,
  selection: Selection,
  options: { before?: ClickPosition | null; after?: ClickPosition | null; limit: number },
): Promise<StoredClick[]> {
  const { before = null, after = null, limit } = options
  const rows = await ask<Row>(
    after !== null
      ? page(COLUMNS, selection, { after, limit })
      : sql`SELECT ${COLUMNS} FROM clicks WHERE ${meant(selection)} AND ${beyond(before, '<')}
          ORDER BY time DESC, n DESC LIMIT ${whole(limit)}`,
  )
  return rows.map(clickOf)
}

/** Clicks after a position, oldest first. */
export function page(
  columns: Part,
  selection: Selection,
  { after, limit }: { after: ClickPosition | null; limit: number },
): Part {
  return sql`SELECT ${columns} FROM clicks WHERE ${meant(selection)} AND ${beyond(after, '>')}
    ORDER BY time, n LIMIT ${whole(limit)}`
}

function beyond(position: ClickPosition | null, than: '<' | '>'): Part {
  if (position === null) return sql.raw('true')
  return sql`(time, n) ${sql.raw(than)} (${whole(position.time)}, ${whole(position.n)})`
}

function clickOf({ link_seq, domain_no, visitor, kind, qr, ...rest }: Row): StoredClick {
  return {
    ...rest,
    linkSeq: link_seq,
    domainNo: domain_no,
    visitor: visitor === null ? null : BigInt.asUintN(64, BigInt(visitor)),
    kind: KIND_NAMES[kind],
    trigger: qr ? 'qr' : 'click',
  }
}

/** People's clicks per UTC day for each of these links, from `firstDay` (days since the epoch) on. */
export async function daily(
  ask: Ask,
  linkSeqs: readonly number[],
  firstDay: number,
  days: number,
): Promise<Map<number, number[]>> {
  const found = new Map(linkSeqs.map((seq) => [seq, new Array<number>(days).fill(0)]))
  if (linkSeqs.length === 0 || days === 0) return found
  const links = sql`kind = 0 AND link_seq = ANY(${numbers(linkSeqs)})`
  const end = firstDay + days
  const rows = await ask<{ link_seq: number; day: number; clicks: number }>(
    sql`SELECT link_seq, time / ${whole(DAY_MS)} AS day, count(*) AS clicks FROM clicks
      WHERE ${links} AND time >= ${whole(firstDay * DAY_MS)} AND time < ${whole(end * DAY_MS)}
      GROUP BY 1, 2
      UNION ALL SELECT link_seq, day, sum(clicks) FROM click_days
      WHERE ${links} AND day >= ${whole(firstDay)} AND day < ${whole(end)} GROUP BY 1, 2`,
  )
  for (const { link_seq, day, clicks: count } of rows) {
    const counts = found.get(link_seq)
    const at = day - firstDay
    if (counts !== undefined) counts[at] = (counts[at] ?? 0) + count
  }
  return found
}
