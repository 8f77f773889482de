import { KIND_NAMES, SLOT_MS, TEXT_COLUMNS } from '../../store/schema.ts'
import type { ClickPosition, Selection, StoredClick } from '../../types.ts'
import type { Asking } from '../lane/index.ts'
import { integer, join, raw, type Sql, sql } from '../sql/index.ts'
import { meant } from '../sql/source.ts'

const COLUMNS = raw(`slot, ms, n, link, domain, visitor, kind, qr, ${TEXT_COLUMNS.join(', ')}`)

const DAY_MS = 86_400_000
/** Days that have so many pages' clicks on average nearly always have one page's. */
const PAGES = 3
/** Clicks lie together by months: of fewer days not much less is read. */
const DAYS_AT_MOST = 20

/** A page of clicks. */
export interface PageOptions {
  before?: ClickPosition | null
  after?: ClickPosition | null
  limit: number
}

/**
 * Single clicks: newest first before a position, or oldest first after one.
 * @param perDay how many there are about, if that is known: of a few days less is read than of all
 */
export async function clicks(
  asking: Asking,
  selection: Selection,
  { before = null, after = null, limit }: PageOptions,
  perDay = 0,
): Promise<StoredClick[]> {
  if (after !== null)
    return await page(asking, selection, { position: after, forward: true, limit })
  const here = { position: before, forward: false }
  const days = Math.ceil((PAGES * limit) / perDay)
  if (days > DAYS_AT_MOST) return await page(asking, selection, { ...here, limit })
  const { from, to } = selection
  const end = Math.min(to, before === null ? await newest(asking) : before.time + 1)
  const middle = Math.max(from, end - days * DAY_MS)
  const found = await page(asking, { ...selection, from: middle }, { ...here, limit })
  if (middle === from || found.length === limit) return found
  const older = { ...selection, to: middle }
  return [...found, ...(await page(asking, older, { ...here, limit: limit - found.length }))]
}

/** The end of the slot of the newest click of all. DuckDB knows it without reading any. */
async function newest(asking: Asking): Promise<number> {
  const [row] = await asking.rows(raw('SELECT max(slot) FROM clicks'))
  return (Number(row?.[0] ?? 0) + 1) * SLOT_MS
}

async function page(
  asking: Asking,
  selection: Selection,
  { position, forward, limit }: { position: ClickPosition | null; forward: boolean; limit: number },
): Promise<StoredClick[]> {
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
