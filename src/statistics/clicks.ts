import type { z } from '@hono/zod-openapi'
import { pageOf } from '../http/page.ts'
import { formatTimestamp } from '../lib/validation/timestamp.ts'
import type { ClicksQuery } from './query.ts'
import { listRange } from './range.ts'
import type { ClickListSchema, ClickView } from './schemas.ts'
import { type Question, type StatisticsContext, select } from './selection.ts'
import { findLinkIds } from './store.ts'
import { type ClickPosition, EXPORT_COLUMNS, type ListedClick } from './types.ts'

/** One page of clicks, newest first. */
export type ClickList = z.output<typeof ClickListSchema>

/** The clicks of a page. */
export type PageQuery = ClicksQuery & { limit: number; cursor?: string | undefined }

/**
 * Single clicks, newest first.
 * @throws AppError BAD_REQUEST (INVALID_CURSOR), VALIDATION_FAILED, LINK_NOT_FOUND,
 *   SERVICE_UNAVAILABLE
 */
export async function clicks(
  ctx: StatisticsContext,
  question: Question<PageQuery>,
): Promise<ClickList> {
  const { reports, cursors, domains, storage } = ctx
  const { limit, cursor, zone } = question.query
  const selection = await select(ctx, question, listRange(question.query))
  // A cursor is valid for its own question; the offsets grow while the question stays the same.
  const { offsets: _, ...bound } = selection
  const binding = JSON.stringify(['clicks', bound, zone])
  let before: ClickPosition | null = null
  if (cursor !== undefined) {
    const [time, n] = cursors.decode(cursor, binding) as [number, number]
    before = { time, n }
  }
  const found = await reports.clicks(selection, { before, limit: limit + 1 })
  const page = pageOf(found, limit, ({ time, n }) => cursors.encode([time, n], binding))
  const seqs = new Set(page.data.map(({ linkSeq }) => linkSeq))
  const ids = await findLinkIds(storage.read, [...seqs])
  return {
    ...page,
    data: page.data.map((click) => renderClick(click, ids.get(click.linkSeq) ?? null, domains)),
  }
}

/** A click as the API returns it. `link_id`: the id of its link; null: the link is deleted. */
export function renderClick(
  click: ListedClick,
  link_id: string | null,
  { hostOf }: Pick<StatisticsContext['domains'], 'hostOf'>,
): ClickView {
  const row = {
    ...click,
    id: idOf(click),
    clicked_at: formatTimestamp(click.time),
    link_id,
    domain: hostOf(click.domainNo),
  }
  return Object.fromEntries(EXPORT_COLUMNS.map((name) => [name, row[name]])) as ClickView
}

/** The id of a click. */
export function idOf({ time, n }: ClickPosition): string {
  return `${time}-${n}`
}

/** Whether a position comes after another one. */
export function isAfter(one: ClickPosition, other: ClickPosition): boolean {
  return one.time > other.time || (one.time === other.time && one.n > other.n)
}

// On many nodes the second number contains the node's: below 2^53.
const ID = /^(\d{1,15})-(\d{1,16})$/

/** The position of a click's id; undefined: it isn't one. */
export function positionOf(id: string): ClickPosition | undefined {
  const parts = ID.exec(id)
  return parts === null ? undefined : { time: Number(parts[1]), n: Number(parts[2]) }
}
