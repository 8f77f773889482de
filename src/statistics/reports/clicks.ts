import { KIND_NAMES, SLOT_MS, TEXT_COLUMNS } from '../store/schema.ts'
import type { ClickPosition, Selection, StoredClick } from '../types.ts'
import type { Asking } from './lane.ts'
import { meant } from './source.ts'
import { integer, join, raw, type Sql, sql } from './sql.ts'

const COLUMNS = raw(`slot, ms, n, link, domain, visitor, kind, qr, ${TEXT_COLUMNS.join(', ')}`)

/** Single clicks: newest first before a position, or oldest first after one. */
export async function clicks(
  asking: Asking,
  selection: Selection,
  options: { before?: ClickPosition | null; after?: ClickPosition | null; limit: number },
): Promise<StoredClick[]> {
  const { before = null, after = null, limit } = options
  const forward = after !== null
  const position = after ?? before
  const tests = [meant(selection)]
  if (position !== null) tests.push(beyond(position, forward))
  const direction = raw(forward ? 'ASC' : 'DESC')
  const rows = await asking.rows(
    sql`SELECT ${COLUMNS} FROM clicks WHERE ${join(tests, ' AND ')}
      ORDER BY slot ${direction}, ms ${direction}, n ${direction} LIMIT ${integer(limit)}`,
  )
  return rows.map(clickOf)
}

function beyond({ time, n }: ClickPosition, forward: boolean): Sql {
  const slot = integer(Math.floor(time / SLOT_MS))
  const ms = integer(time % SLOT_MS)
  const than = raw(forward ? '>' : '<')
  return sql`slot ${than}= ${slot} AND (slot ${than} ${slot} OR ms ${than} ${ms}
    OR (ms = ${ms} AND n ${than} ${integer(n)}))`
}

function clickOf(row: unknown[]): StoredClick {
  const [slot, ms, n, link, domain, visitor, kind, qr, ...texts] = row
  const click: Record<string, unknown> = {
    time: Number(slot) * SLOT_MS + Number(ms),
    n: Number(n),
    linkSeq: Number(link),
    domainNo: Number(domain),
    visitor: visitor as bigint | null,
    kind: KIND_NAMES[Number(kind)],
    trigger: qr === true ? 'qr' : 'click',
  }
  TEXT_COLUMNS.forEach((name, i) => {
    click[name] = texts[i]
  })
  return click as unknown as StoredClick
}
