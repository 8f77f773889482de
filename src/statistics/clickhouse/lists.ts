import { SEQS_PER_WORKSPACE } from '../../storage/index.ts'
import { TEXT_COLUMNS } from '../store/schema.ts'
import type { ClickPosition, Selection, StoredClick } from '../types.ts'
import type { Ask } from './counts.ts'
import { numbers, raw, sql } from './sql.ts'
import { KINDS, meant, purgedBefore } from './where.ts'

const COLUMNS = raw(
  `toInt64(workspace) * ${SEQS_PER_WORKSPACE} + link, time, n, visitor, kind, qr, domain, ${TEXT_COLUMNS.join(', ')}`,
)

/** Single clicks: newest first before a position, or oldest first after one. */
export async function clicks(
  ask: Ask,
  selection: Selection,
  options: { before?: ClickPosition | null; after?: ClickPosition | null; limit: number },
): Promise<StoredClick[]> {
  const { before = null, after = null, limit } = options
  const position = after ?? before
  const than = raw(after !== null ? '>' : '<')
  const direction = raw(after !== null ? 'ASC' : 'DESC')
  const beyond =
    position === null
      ? raw('1')
      : sql`time ${than}= ${position.time}
          AND (time ${than} ${position.time} OR n ${than} ${position.n})`
  const rows = await ask(
    sql`SELECT ${COLUMNS} FROM clicks WHERE ${meant(selection)} AND ${beyond}
      ORDER BY time ${direction}, n ${direction} LIMIT ${limit}`,
  )
  return rows.map(clickOf)
}

function clickOf(row: unknown[]): StoredClick {
  const [link, time, n, visitor, kind, qr, domain, ...texts] = row
  const click: Record<string, unknown> = {
    time: Number(time),
    n: Number(n),
    linkSeq: Number(link),
    domainNo: Number(domain),
    visitor: visitor === '0' ? null : BigInt(visitor as string),
    kind: KINDS[Number(kind)],
    trigger: qr === true ? 'qr' : 'click',
  }
  TEXT_COLUMNS.forEach((name, i) => {
    click[name] = texts[i] === '' ? null : texts[i]
  })
  return click as unknown as StoredClick
}

/** People's clicks per UTC day for each of these links, from `firstDay` (days since the epoch) on. */
export async function daily(
  ask: Ask,
  linkSeqs: readonly number[],
  firstDay: number,
  days: number,
): Promise<Map<number, number[]>> {
  const found = new Map(linkSeqs.map((seq) => [seq, new Array<number>(days).fill(0)]))
  for (const [workspace, seqs] of byWorkspace(linkSeqs)) {
    const first = workspace * SEQS_PER_WORKSPACE
    const links = sql`workspace = ${workspace} AND kind = 0
      AND link IN (${numbers(seqs.map((seq) => seq - first))})`
    const before = purgedBefore(workspace)
    const rows = await ask(
      sql`SELECT link, intDiv(time, 86400000) AS day, count() FROM clicks
        WHERE ${links} AND day >= greatest(${firstDay}, ${before}) AND day < ${firstDay + days}
        GROUP BY link, day
        UNION ALL SELECT link, day, sum(clicks) FROM daily FINAL
        WHERE ${links} AND day >= ${firstDay} AND day < least(${firstDay + days}, ${before})
        GROUP BY link, day`,
    )
    for (const [link, day, clicks] of rows) {
      const counts = found.get(first + Number(link))
      const at = Number(day) - firstDay
      if (counts !== undefined) counts[at] = (counts[at] ?? 0) + Number(clicks)
    }
  }
  return found
}

function byWorkspace(seqs: readonly number[]): Map<number, number[]> {
  const found = new Map<number, number[]>()
  for (const seq of seqs) {
    const workspace = Math.floor(seq / SEQS_PER_WORKSPACE)
    const list = found.get(workspace)
    if (list === undefined) found.set(workspace, [seq])
    else list.push(seq)
  }
  return found
}
