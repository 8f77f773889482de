import { AppError } from '../../lib/errors/index.ts'
import type { Sql } from '../../platform/storage/index.ts'
import type { Actor, Writer } from '../audit/index.ts'
import type { FeedEvent } from '../events/types.ts'
import { visibleEvents } from '../events/visible.ts'
import { successors } from '../keys/predecessors.ts'
import { allowedBy, restrictionsOf } from '../keys/restrictions.ts'
import type { CallerOf, WebhookContext } from './context.ts'
import { typesOf } from './rows.ts'
import { isEventType } from './schemas.ts'
import type { WebhookRow } from './store.ts'

/** What a webhook sends of a page of events, with the numbers of their audit entries. */
export interface MatchingPage {
  events: { id: string; type: string; at: string; number: number }[]
  position: number
  hasMore: boolean
}

/**
 * Who a webhook acts for, with what they can see now. A key that was rotated is followed by its
 * successor. @throws AppError when they may no longer have a webhook
 */
export async function makerOf(sql: Sql, callerOf: CallerOf, row: WebhookRow): Promise<Writer> {
  const { workspace_no: workspaceNo, actor_type, actor_id: id, actor_label: name } = row
  const actorWith = (id: string | null): Actor => {
    return { type: actor_type as Actor['type'], id, name, requestId: null }
  }
  const as = (id: string | null) =>
    callerOf(sql, { workspaceNo, actor: actorWith(id) }, 'webhooks:write')
  try {
    return await as(id)
  } catch (error) {
    if (actor_type !== 'api_key' || id === null || !(error instanceof AppError)) throw error
    const newest = (await successors(sql, workspaceNo, id)).at(-1)
    if (newest === undefined) throw error
    return as(newest)
  }
}

/** The events after a position that a webhook sends. @throws AppError EVENTS_EXPIRED */
export async function matchingPage(
  { events, storage }: Pick<WebhookContext, 'events' | 'storage'>,
  maker: Writer,
  row: WebhookRow,
  after: number,
  limit: number,
): Promise<MatchingPage> {
  const types = typesOf(row).filter(isEventType)
  const page = await events.page(maker, after, { types, limit })
  const found = page.events.map((event, i) => ({ ...event, number: page.numbers[i] as number }))
  const matching = await filtered(storage.reports, row, found)
  return { events: matching, position: page.position, hasMore: page.hasMore }
}

/** Those of the links that a webhook's filter lets through now. */
async function filtered<E extends FeedEvent>(sql: Sql, row: WebhookRow, events: E[]) {
  if (row.filter === null || events.length === 0) return events
  const { workspace_no: no } = row
  const allowed = await allowedBy(sql, no, restrictionsOf(row.filter), '')
  return (await visibleEvents(
    sql,
    { workspace: { no }, ...(allowed && { allowed }) },
    events,
  )) as E[]
}
