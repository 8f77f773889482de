import type { View } from '../../lib/base/view.ts'
import { AppError } from '../../lib/errors/index.ts'
import { formatTimestamp } from '../../lib/validation/timestamp.ts'
import type { Sql } from '../../platform/storage/index.ts'
import { SYSTEM, type Writer } from '../audit/index.ts'
import { allowedBy, restrictionsOf } from '../keys/restrictions.ts'
import { CLICKS } from './schemas.ts'
import type { DeliveryRow, WebhookRow } from './store.ts'

/** A position among the clicks of a workspace. */
interface Position {
  time: number
  n: number
}

/** Reads clicks from the stored ones, never where they are recorded. */
export type ReadClicks = (
  caller: Writer,
  asked: { after: Position; upTo?: Position; only?: View | undefined; limit: number },
) => Promise<{ clicks: object[]; end: Position }>

/** The most clicks of a delivery. */
const CLICKS_MAX = 1_000

/** The column of a position. */
export function positionText({ time, n }: Position): string {
  return `${time} ${n}`
}

function positionsIn(text: string): Position[] {
  const numbers = text.split(' ').map(Number)
  const at = (i: number) => ({ time: numbers[i] ?? 0, n: numbers[i + 1] ?? 0 })
  return numbers.length > 2 ? [at(0), at(2)] : [at(0)]
}

/** The clicks after those of earlier deliveries; null: there are none, or they can't be read now. */
export async function nextClicks(
  readClicks: ReadClicks,
  sql: Sql,
  maker: Writer,
  row: WebhookRow,
): Promise<{ clicks: string | null; position: string } | null> {
  const [after] = positionsIn(row.clicks_position ?? '')
  if (row.clicks_position === null || after === undefined) return null
  const only = await filterOf(sql, row)
  const asked = { after, only, limit: CLICKS_MAX }
  const found = await readClicks(maker, asked).catch(unavailable)
  if (found === null) return null
  const position = positionText(found.end)
  if (position === row.clicks_position) return null
  const isAny = found.clicks.length > 0
  return { clicks: isAny ? `${row.clicks_position} ${position}` : null, position }
}

/** The body of a delivery of clicks; null: there are none any more; undefined: they can't be read now. */
export async function clicksBody(
  readClicks: ReadClicks,
  sql: Sql,
  maker: Writer,
  { row, delivery }: { row: WebhookRow; delivery: DeliveryRow },
): Promise<object | null | undefined> {
  const [after, upTo] = positionsIn(delivery.clicks ?? '')
  if (after === undefined || upTo === undefined) return null
  const only = await filterOf(sql, row)
  const asked = { after, upTo, only, limit: CLICKS_MAX }
  const found = await readClicks(maker, asked).catch(unavailable)
  if (found === null) return undefined
  const { clicks } = found
  if (clicks.length === 0) return null
  const { type, id, name } = SYSTEM
  return {
    id: delivery.event_id,
    sequence: 0,
    type: CLICKS,
    at: formatTimestamp(delivery.created_at),
    actor: { type, id, name },
    object: { clicks },
    previous: {},
  }
}

async function filterOf(sql: Sql, row: WebhookRow): Promise<View | undefined> {
  if (row.filter === null) return undefined
  const allowed = await allowedBy(sql, row.workspace_no, restrictionsOf(row.filter), '')
  return allowed && { allowed }
}

function unavailable(error: unknown): null {
  if (error instanceof AppError && error.code === 'SERVICE_UNAVAILABLE') return null
  throw error
}
