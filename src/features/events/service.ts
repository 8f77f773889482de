import type { Clock } from '../../lib/base/clock.ts'
import { withContext } from '../../lib/base/verbs.ts'
import type { Reader } from '../../lib/base/view.ts'
import { AppError } from '../../lib/errors/index.ts'
import type { Sql, Storage } from '../../platform/storage/index.ts'
import { type AuditRow, entryNumber, withoutAddresses } from '../audit/index.ts'
import { eventIdOf, type Feed, feedOf, numberOf } from './position.ts'
import {
  eventsIn,
  eventsOf,
  expireEvents,
  feedIdOf,
  feedState,
  timesAfter,
  workspacesWithEvents,
} from './store.ts'
import { actionsOf, type EventType, type FeedEvent, typeOf } from './types.ts'
import { visibleEvents } from './visible.ts'

/** Dependencies of the events. */
export interface EventServiceDeps {
  storage: Pick<Storage, 'read' | 'reports' | 'write'>
  clock: Clock
}

interface EventContext extends EventServiceDeps {
  feedId(): Promise<string>
}

/** What a reader asks for. */
export interface EventQuery {
  types?: readonly EventType[] | undefined
  limit: number
}

/** Events with the numbers of their audit entries, and the position after them: such a number. */
export interface EventPage {
  events: FeedEvent[]
  numbers: number[]
  position: number
  hasMore: boolean
}

/** How long events are kept. */
const KEPT_MS = 90 * 24 * 3_600_000
/** The most audit entries that one page looks through: most of them are events. */
const WINDOW = 10_000
/** Of one step that lets events expire: workspaces, and entries of each. */
const WORKSPACES = 100
const STEP = 500
/** How far the clocks of nodes, and the times of changes that wait for each other, may be apart. */
const CLOCKS_APART_MS = 60_000

export type EventService = ReturnType<typeof createEventService>

/**
 * The feeds of workspaces: an event is the audit entry of its change, which is numbered and committed
 * with it. The row of the workspace stays locked from the numbering to the commit, so entries become
 * visible in the order of their numbers, and a reader only needs the number of the last one.
 */
export function createEventService(deps: EventServiceDeps) {
  let feedId: Promise<string> | undefined
  const ctx: EventContext = {
    ...deps,
    feedId() {
      feedId ??= feedIdOf(deps.storage.read).catch((error) => {
        feedId = undefined
        throw error
      })
      return feedId
    },
  }
  let above = 0
  return {
    ...withContext(ctx, { positionOf, positionBefore, idOf, page, visibleOf }),
    /** Lets events that are too old expire, of some workspaces with each call. */
    async purge(): Promise<void> {
      above = await purgeSome(ctx, above)
    },
  }
}

function feed(ctx: EventContext, { workspace }: Reader): Promise<Feed> {
  return ctx.feedId().then((id) => feedOf(id, workspace.no))
}

/** The id that stands for a position. */
async function idOf(ctx: EventContext, reader: Reader, position: number): Promise<string> {
  return eventIdOf(await feed(ctx, reader), position)
}

/**
 * The position after an event, or after the `latest`; undefined: before the oldest. `field`: the
 * name of the parameter or header; `sql`: a transaction that goes on from there.
 * @throws AppError BAD_REQUEST (INVALID_CURSOR), EVENTS_EXPIRED, EVENTS_OTHER_FEED
 */
async function positionOf(
  ctx: EventContext,
  reader: Reader,
  after: string | undefined,
  field = 'after',
  sql: Sql = ctx.storage.read,
): Promise<number> {
  const { made, expired } = await stateOf(sql, reader)
  if (after === undefined) return expired
  if (after === 'latest') return made
  const number = numberOf(await feed(ctx, reader), after)
  if (number === null) {
    throw new AppError('BAD_REQUEST', { details: [{ field, code: 'INVALID_CURSOR' }] })
  }
  // A number that was never given can only be of a database that has since been set back.
  if (number === 'other' || number > made) throw new AppError('EVENTS_OTHER_FEED')
  if (number < expired) throw await expiredError(ctx, reader)
  return number
}

/**
 * A position before all events from a time on, at most a minute of events earlier: their times are
 * only about in order. Found by halving the range of entries.
 * @throws AppError EVENTS_EXPIRED
 */
async function positionBefore(
  ctx: EventContext,
  reader: Reader,
  time: number,
  sql: Sql,
): Promise<number> {
  const { made, expired } = await stateOf(sql, reader)
  const entryAfter = async (number: number) =>
    (await timesAfter(sql, reader.workspace.no, number, 1))[0]
  const lastExpired = expired === 0 ? undefined : await entryAfter(expired - 1)
  if (lastExpired !== undefined && lastExpired.at >= time) throw await expiredError(ctx, reader)
  let low = expired
  let high = made
  while (low < high) {
    const middle = Math.floor((low + high) / 2)
    const next = await entryAfter(middle)
    if (next !== undefined && next.at < time - CLOCKS_APART_MS) low = entryNumber(next)
    else high = middle
  }
  return low
}

async function expiredError(ctx: EventContext, reader: Reader): Promise<AppError> {
  const { made, expired } = await stateOf(ctx.storage.read, reader)
  const { events } = await read(ctx, reader, { after: expired, upTo: made }, { limit: 1 })
  return new AppError('EVENTS_EXPIRED', { oldest: events[0]?.id ?? null })
}

async function stateOf(sql: Sql, { workspace }: Reader) {
  const state = await feedState(sql, workspace.no)
  if (state === undefined) throw new AppError('NOT_FOUND')
  return state
}

/** Events after a position, in order. @throws AppError EVENTS_EXPIRED */
async function page(
  ctx: EventContext,
  reader: Reader,
  after: number,
  query: EventQuery,
): Promise<EventPage> {
  const { made, expired } = await stateOf(ctx.storage.read, reader)
  if (after < expired) throw await expiredError(ctx, reader)
  const upTo = query.types === undefined ? Math.min(made, after + WINDOW) : made
  const found = await read(ctx, reader, { after, upTo }, query)
  return { ...found, hasMore: found.position < made }
}

async function read(
  ctx: EventContext,
  reader: Reader,
  { after, upTo }: { after: number; upTo: number },
  { types, limit }: EventQuery,
): Promise<Omit<EventPage, 'hasMore'>> {
  if (after >= upTo) return { events: [], numbers: [], position: after }
  const { reports } = ctx.storage
  const actions = types === undefined ? null : actionsOf(types)
  const range = { workspaceNo: reader.workspace.no, after, upTo }
  const { rows, isCut } = await eventsIn(reports, range, actions, limit)
  const last = rows.at(-1)
  const position = last !== undefined && isCut ? entryNumber(last) : upTo
  return { ...(await visible(ctx, reader, rows)), position }
}

/** The events of some numbers of entries, as far as they are kept and the reader can see them. */
async function visibleOf(
  ctx: EventContext,
  reader: Reader,
  numbers: readonly number[],
): Promise<Map<number, FeedEvent>> {
  if (numbers.length === 0) return new Map()
  const rows = await eventsOf(ctx.storage.reports, reader.workspace.no, numbers)
  const found = await visible(ctx, reader, rows)
  return new Map(found.events.map((event, i) => [found.numbers[i] as number, event]))
}

async function visible(
  ctx: EventContext,
  reader: Reader,
  rows: readonly AuditRow[],
): Promise<Pick<EventPage, 'events' | 'numbers'>> {
  const { reports } = ctx.storage
  const named = await withPeople(reports, rows)
  const ofFeed = await feed(ctx, reader)
  const numbers = new Map(named.map((row) => [eventOf(ofFeed, row), entryNumber(row)]))
  const events = await visibleEvents(reports, reader, [...numbers.keys()])
  return { events, numbers: events.map((event) => numbers.get(event) as number) }
}

/** An entry with its object. */
type NamedRow = AuditRow & { parsed: Record<string, unknown> }

/** Who made an object; without a name if it is a person. */
type Maker = { type: string; id: string | null; name?: string }

const NOBODY: Maker = { type: 'system', id: null }

/** The entries with the names that people have now: none is stored, so that it can be erased. */
async function withPeople(sql: Sql, rows: readonly AuditRow[]): Promise<NamedRow[]> {
  const parsed = rows.map((row) => JSON.parse(row.object ?? '{}') as Record<string, unknown>)
  const people = rows.flatMap(({ actor_type, actor_id, actor_label }, i) => {
    const { user_id, created_by } = parsed[i] ?? {}
    const maker = (created_by ?? NOBODY) as Maker
    return [
      { type: actor_type as string, id: actor_id, name: actor_label },
      { type: 'user', id: typeof user_id === 'string' ? user_id : null, name: '' },
      { ...maker, name: maker.name ?? '' },
    ]
  })
  const named = await withoutAddresses(sql, people)
  return rows.map((row, i) => {
    const [actor, member, maker] = named.slice(3 * i, 3 * i + 3)
    const object = { ...parsed[i] }
    if ('user_id' in object) object.name = member?.name ?? ''
    if (object.created_by) object.created_by = maker
    return { ...row, actor_label: actor?.name ?? '', parsed: object }
  })
}

/** Events of these types are about the whole object. */
const WHOLE = /\.(?:created|deleted|added|removed)$/

function eventOf(ofFeed: Feed, row: NamedRow): FeedEvent {
  const type = typeOf(row.action)
  return {
    id: eventIdOf(ofFeed, entryNumber(row)),
    sequence: row.sequence ?? 0,
    type,
    at: new Date(row.at).toISOString(),
    actor: { type: row.actor_type, id: row.actor_id, name: row.actor_label },
    object: row.parsed,
    previous: WHOLE.test(type) ? {} : previousOf(row),
  }
}

function previousOf({ before, parsed }: NamedRow): Record<string, unknown> {
  const fields = JSON.parse(before) as Record<string, unknown>
  // The log's form of the member `block` of a link.
  const { blocked, reason } = fields
  if (blocked !== undefined) return { block: blocked ? { reason: reason ?? null } : null }
  return Object.fromEntries(Object.entries(fields).filter(([name]) => name in parsed))
}

/** Returns the workspace to go on after. */
async function purgeSome({ storage, clock }: EventContext, above: number): Promise<number> {
  const before = clock.now() - KEPT_MS
  const workspaces = await workspacesWithEvents(storage.read, above, WORKSPACES)
  for (const { no: workspaceNo, expired } of workspaces) {
    const entries = await timesAfter(storage.read, workspaceNo, expired, STEP)
    const kept = entries.findIndex(({ at }) => at >= before)
    const last = entries.slice(0, kept === -1 ? entries.length : kept).at(-1)
    if (last === undefined) continue
    const range = { workspaceNo, after: expired, upTo: entryNumber(last) }
    await storage.write((tx) => expireEvents(tx, range), { workspaceNo, survives: 'process' })
  }
  return workspaces.length < WORKSPACES ? 0 : (workspaces.at(-1)?.no ?? 0)
}
