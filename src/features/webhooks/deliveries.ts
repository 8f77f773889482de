import { pageOf } from '../../http/page.ts'
import { withContext } from '../../lib/base/verbs.ts'
import { AppError } from '../../lib/errors/index.ts'
import { formatTimestamp, parseQueryTime } from '../../lib/validation/timestamp.ts'
import type { Sql, Transaction } from '../../platform/storage/index.ts'
import type { Writer } from '../audit/index.ts'
import type { FeedEvent } from '../events/types.ts'
import { restrictedFoldersOf } from '../folders/index.ts'
import { type JobRun, type JobService, Postponed } from '../jobs/index.ts'
import type { CallerOf, WebhookContext } from './context.ts'
import { makerOf, matchingPage } from './maker.ts'
import { find, typesOf } from './rows.ts'
import { sampleOf } from './samples.ts'
import type { Attempt, Delivery } from './schemas.ts'
import {
  changeDelivery,
  changeWebhook,
  countWaiting,
  type DeliveryRow,
  findDelivery,
  insertDeliveries,
  listDeliveries,
  type WebhookRow,
} from './store.ts'

/** Of one step of a replay. */
const PAGE = 100
/** While so many deliveries wait, a replay or a test makes no others. */
const WAITING_MAX = 1_000
const WAIT_MS = 5_000
const REPLAY = 'webhook.replay'

interface Context extends WebhookContext {
  jobs: Pick<JobService, 'enqueue' | 'register'>
  callerOf: CallerOf
  /** Makes a node look for what is due. */
  wake: () => void
}

interface ReplayInput {
  webhook: string
  after: number
  upTo: number
  /** Only events from this time on; absent: all. */
  from?: number
}

/** Deliveries of webhooks, as requests see and start them. */
export function createDeliveries(context: Context) {
  const { jobs } = context
  jobs.register(REPLAY, (run: JobRun<ReplayInput, number>) => runReplay(context, run), {
    scope: 'webhooks:write',
  })
  return withContext(context, { list, replay, test, replayAll })
}

export type Deliveries = ReturnType<typeof createDeliveries>

/** A page of deliveries, newest first. @throws AppError WEBHOOK_NOT_FOUND, BAD_REQUEST */
async function list(
  ctx: Context,
  caller: Writer,
  id: string,
  {
    status,
    limit,
    cursor,
  }: { status?: string | undefined; limit: number; cursor?: string | undefined },
) {
  const { storage, cursors } = ctx
  await find(storage.read, caller, id)
  const binding = JSON.stringify(['deliveries', id, status])
  const below = cursor === undefined ? null : (cursors.decode(cursor, binding)[0] as string)
  const rows = await listDeliveries(storage.reports, id, status, { below, limit: limit + 1 })
  const page = pageOf(rows, limit, (last) => cursors.encode([last.id], binding))
  return { ...page, data: await toDeliveries(ctx, caller, page.data) }
}

/** Sends a delivery again. @throws AppError WEBHOOK_NOT_FOUND, WEBHOOK_DISABLED, DELIVERY_NOT_FOUND */
async function replay(
  ctx: Context,
  tx: Transaction,
  caller: Writer,
  { id, delivery }: { id: string; delivery: string },
): Promise<Delivery> {
  await findEnabled(tx, caller, id)
  const row = await findDelivery(tx, id, delivery)
  if (row === undefined) throw new AppError('DELIVERY_NOT_FOUND')
  const again = { status: 'pending', tries: 0, due_at: ctx.clock.now() } as const
  await changeDelivery(tx, row, again)
  await wakeSender(ctx, tx, id)
  return (await toDeliveries(ctx, caller, [{ ...row, ...again }]))[0] as Delivery
}

/**
 * Sends a sample of each type.
 * @throws AppError WEBHOOK_NOT_FOUND, WEBHOOK_DISABLED, RATE_LIMITED: too many deliveries wait
 */
async function test(
  ctx: Context,
  tx: Transaction,
  caller: Writer,
  id: string,
): Promise<Delivery[]> {
  const webhook = await findEnabled(tx, caller, id)
  if ((await countWaiting(tx, id, WAITING_MAX)) >= WAITING_MAX) {
    const seconds = WAIT_MS / 1_000
    throw new AppError('RATE_LIMITED', {
      params: { seconds },
      headers: { 'Retry-After': String(seconds) },
    })
  }
  const rows = typesOf(webhook).map((type) => {
    const event = sampleOf(type, ctx.ids.next('evt'))
    return { ...newDelivery(ctx, webhook, { ...event, number: null }), body: JSON.stringify(event) }
  })
  await insertDeliveries(tx, rows)
  await wakeSender(ctx, tx, id)
  return toDeliveries(ctx, caller, rows)
}

/**
 * Starts a job that sends all events after one, or from a time on, again, up to now.
 * @throws AppError WEBHOOK_NOT_FOUND, WEBHOOK_DISABLED, BAD_REQUEST, EVENTS_EXPIRED, EVENTS_OTHER_FEED
 */
async function replayAll(
  ctx: Context,
  tx: Transaction,
  caller: Writer,
  { id, after }: { id: string; after: string | undefined },
) {
  await findEnabled(tx, caller, id)
  const from = parseQueryTime(after ?? '')
  const start =
    typeof from === 'number'
      ? { from, after: await ctx.events.positionBefore(caller, from, tx) }
      : { after: await ctx.events.positionOf(caller, after, 'after', tx) }
  await tx.lockWorkspace(caller.workspace.no)
  const upTo = await ctx.events.positionOf(caller, 'latest', 'after', tx)
  const input: ReplayInput = { ...start, webhook: id, upTo }
  // Its numbers include events of links in these.
  const folders = await restrictedFoldersOf(tx, caller)
  return ctx.jobs.enqueue(tx, caller, { type: REPLAY, input, folders })
}

async function runReplay(ctx: Context, run: JobRun<ReplayInput, number>) {
  const { webhook: id, after, upTo, from = 0 } = run.job.input
  let position = run.job.state ?? after
  let { done } = run.job.progress
  while (position < upTo) {
    run.signal.throwIfAborted()
    const { read } = ctx.storage
    const row = await findEnabled(read, await run.caller(read), id)
    if ((await countWaiting(read, id, WAITING_MAX)) >= WAITING_MAX) {
      throw new Postponed(WAIT_MS, position)
    }
    const maker = await makerOf(read, ctx.callerOf, row)
    const page = await matchingPage(ctx, maker, row, position, PAGE)
    const events = page.events.filter(({ number, at }) => number <= upTo && Date.parse(at) >= from)
    await ctx.storage.write(
      async (tx) => {
        await insertDeliveries(
          tx,
          events.map((event) => newDelivery(ctx, row, event)),
        )
        await wakeSender(ctx, tx, id)
        const state = page.position
        await run.checkpoint(tx, { state, progress: { done: done + events.length } })
      },
      { workspaceNo: run.job.workspaceNo },
    )
    position = page.position
    done += events.length
  }
  return { deliveries: done }
}

/** A delivery that is due now. `number`: of the event's audit entry; null: it isn't in the feed. */
export function newDelivery(
  { ids, clock }: Pick<WebhookContext, 'ids' | 'clock'>,
  webhook: Pick<WebhookRow, 'id'>,
  event: { id: string; type: string; number: number | null },
): DeliveryRow {
  const at = clock.now()
  return {
    id: ids.next('dlv'),
    webhook_id: webhook.id,
    event_id: event.id,
    event_no: event.number,
    type: event.type,
    body: null,
    clicks: null,
    status: 'pending',
    tries: 0,
    attempts: '[]',
    due_at: at,
    created_at: at,
  }
}

/** @throws AppError WEBHOOK_NOT_FOUND, WEBHOOK_DISABLED */
async function findEnabled(sql: Sql, caller: Writer, id: string): Promise<WebhookRow> {
  const row = await find(sql, caller, id)
  if (row.enabled === 0) throw new AppError('WEBHOOK_DISABLED')
  return row
}

/** Lets a node send what is due now. */
async function wakeSender({ clock, wake }: Context, tx: Transaction, id: string): Promise<void> {
  await changeWebhook(tx, id, { next_at: clock.now() })
  tx.afterCommit(wake)
}

/** Deliveries as responses have them, with the events that the caller can see. */
async function toDeliveries(
  { events }: Context,
  caller: Writer,
  rows: readonly DeliveryRow[],
): Promise<Delivery[]> {
  const found = await events.visibleOf(
    caller,
    rows.flatMap(({ event_no }) => event_no ?? []),
  )
  return rows.map((row) => ({
    id: row.id,
    event_id: row.event_id,
    type: row.type,
    status: row.status as Delivery['status'],
    created_at: formatTimestamp(row.created_at),
    next_attempt_at: row.due_at === null ? null : formatTimestamp(row.due_at),
    attempts: JSON.parse(row.attempts) as Attempt[],
    event: bodyOf(row, found) as Delivery['event'],
  }))
}

/** What a delivery sends. Null: it isn't kept any more, or not for who the events were read for. */
export function bodyOf(row: DeliveryRow, events: ReadonlyMap<number, FeedEvent>): FeedEvent | null {
  if (row.event_no === null) return row.body === null ? null : (JSON.parse(row.body) as FeedEvent)
  const event = events.get(row.event_no)
  // Its id in the feed is another one after a restore.
  return event === undefined ? null : { ...event, id: row.event_id }
}
