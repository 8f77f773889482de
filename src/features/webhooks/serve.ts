import { AppError } from '../../lib/errors/index.ts'
import type { Writer } from '../audit/index.ts'
import { attempt, nextAttemptAt, type Outcome } from './attempt.ts'
import { clicksBody, nextClicks, positionText } from './clicks.ts'
import type { SenderDeps } from './context.ts'
import { bodyOf, newDelivery } from './deliveries.ts'
import { disable } from './disable.ts'
import { makerOf, matchingPage } from './maker.ts'
import { keysOf, typesOf } from './rows.ts'
import { type Attempt, CLICKS } from './schemas.ts'
import { dueDeliveries, nextDueAt, releaseLease, servedWebhook } from './sending-store.ts'
import { type SigningKeys, signedHeaders, signingKeys } from './sign.ts'
import {
  changeDelivery,
  changeWebhook,
  type DeliveryRow,
  insertDeliveries,
  type WebhookRow,
} from './store.ts'

/** The most concurrent requests to a webhook, and to one that is failing. */
const IN_FLIGHT = 5
const IN_FLIGHT_FAILING = 1
/** Deliveries that are read together. */
const BATCH = 20
/** Events that are read together. */
const PAGE = 100
/** After so many audit entries without deliveries, the position is stored anyway. */
const UNSTORED_MAX = 1_000
/** How often a webhook is read again while it waits, and how long without work until its lease ends. */
const WAIT_MS = 1_000
const IDLE_MS = 3_000
/** How often clicks are looked for. */
const CLICKS_EVERY_MS = 5_000
const FAILING_MAX_MS = 5 * 24 * 3_600_000
const ATTEMPTS_KEPT = 20
/** Transactions that share commits. */
const QUEUE = { survives: 'process', queue: 'webhooks' } as const

/** `old`: the previous keys, which also sign until `old_until`. */
interface Keys {
  current: SigningKeys
  old: SigningKeys | null
}

type Deps = SenderDeps & { owner: string; counts: { succeeded: number; failed: number } }

/** Serves one webhook: makes deliveries of events, and sends them, as long as it has the lease. */
export class WebhookWorker {
  readonly #inFlight = new Map<string, Promise<void>>()
  /** The position as of a version of the webhook; it is stored now and then. */
  #reached = { version: -1, position: 0 }
  #isWoken = false
  #clicksAt = Number.NEGATIVE_INFINITY
  #endWait = () => {}

  constructor(
    readonly deps: Deps,
    readonly id: string,
    readonly workspaceNo: number,
    readonly stopping: AbortSignal,
  ) {}

  /** There may be something new. */
  wake(): void {
    this.#isWoken = true
    this.#endWait()
  }

  /** Until there is nothing left to send, the lease is lost, or the node stops. */
  async run(): Promise<void> {
    for (let idleAt = performance.now(); !this.stopping.aborted; ) {
      this.#isWoken = false
      const row = await this.#read()
      if (row === undefined || row.enabled === 0) break
      if (this.#reached.version !== row.version) this.#reached = { ...row }
      if (row.next_at !== null) await this.#change({ next_at: null }, { next_at: row.next_at })
      const maker = await this.#makerNow(row)
      if (maker === null) break
      const due = await this.#due(row, maker)
      await this.#send(row, maker, due)
      if (due.length > 0 || this.#inFlight.size > 0) idleAt = performance.now()
      if (due.length > 0 || this.#isWoken) continue
      await this.#wait()
      // No signal tells of clicks, so those who get them are served all the time.
      if (typesOf(row).includes(CLICKS)) continue
      const isIdle = this.#inFlight.size === 0 && performance.now() - idleAt >= IDLE_MS
      if (isIdle && !this.#isWoken && (await this.#release())) return
    }
    await Promise.all(this.#inFlight.values())
    await this.#release(this.deps.clock.now())
  }

  #read() {
    return servedWebhook(this.deps.storage.read, this.id, this.deps.owner)
  }

  #change(changes: Partial<WebhookRow>, when: Partial<WebhookRow> = {}) {
    return this.deps.storage.write((tx) => changeWebhook(tx, this.id, changes, when), QUEUE)
  }

  /** `next`: when a node has to look for what is due; absent: when the next delivery is. */
  #release(next?: number): Promise<boolean> {
    const state = { id: this.id, position: this.#reached.position, next }
    return this.deps.storage.write((tx) => releaseLease(tx, state, this.deps.owner), QUEUE)
  }

  /** Until a request ends, something is new or due, or a while is over. */
  async #wait(): Promise<void> {
    const { storage, clock } = this.deps
    const next = await nextDueAt(storage.read, this.id, [...this.#inFlight.keys()])
    if (this.#isWoken || this.stopping.aborted) return
    const ms = next === null ? WAIT_MS : Math.min(WAIT_MS, next - clock.now())
    const { promise, resolve } = Promise.withResolvers<void>()
    const end = () => resolve()
    const timer = setTimeout(end, Math.max(1, ms))
    this.#endWait = end
    this.stopping.addEventListener('abort', end)
    await Promise.race([promise, ...this.#inFlight.values()])
    this.stopping.removeEventListener('abort', end)
    clearTimeout(timer)
  }

  /** Who the webhook acts for now. Null: they may no longer, so it is disabled. */
  async #makerNow(row: WebhookRow): Promise<Writer | null> {
    try {
      return await makerOf(this.deps.storage.read, this.deps.callerOf, row)
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      await disable(this.deps, row, 'not_permitted')
      return null
    }
  }

  async #due(row: WebhookRow, maker: Writer): Promise<DeliveryRow[]> {
    const { storage, clock } = this.deps
    const find = () => {
      const without = [...this.#inFlight.keys()]
      return dueDeliveries(storage.read, this.id, { now: clock.now(), without, limit: BATCH })
    }
    await this.#takeClicks(row, maker)
    const due = await find()
    // Events wait in the feed while deliveries do.
    if (due.length === BATCH || !(await this.#takeEvents(row, maker))) return due
    return find()
  }

  /** Makes deliveries of the next events. False: none. */
  async #takeEvents(row: WebhookRow, maker: Writer): Promise<boolean> {
    const { deps, id } = this
    const { version } = row
    const { position } = this.#reached
    const page = await matchingPage(deps, maker, row, position, PAGE).catch(async (error) => {
      if (!(error instanceof AppError) || error.code !== 'EVENTS_EXPIRED') throw error
      const oldest = await deps.events.positionOf(maker, undefined)
      return { events: [], position: oldest, hasMore: true }
    })
    if (page.events.length > 0 || page.position - row.position >= UNSTORED_MAX) {
      await deps.storage.write(async (tx) => {
        const held = { version, lease_owner: deps.owner }
        // Otherwise it was changed, or taken over: the next round sees that.
        if (!(await changeWebhook(tx, id, { position: page.position }, held))) return
        const rows = page.events.map((event) => newDelivery(deps, row, event))
        await insertDeliveries(tx, rows)
      }, QUEUE)
    }
    this.#reached = { version, position: page.position }
    if (page.hasMore) this.#isWoken = true
    return page.events.length > 0
  }

  /** Makes a delivery of the next clicks. */
  async #takeClicks(row: WebhookRow, maker: Writer): Promise<void> {
    const { deps, id } = this
    const isTime = performance.now() - this.#clicksAt >= CLICKS_EVERY_MS
    if (!isTime || !typesOf(row).includes(CLICKS)) return
    this.#clicksAt = performance.now()
    if (row.clicks_position === null) {
      const now = positionText({ time: deps.clock.now(), n: 0 })
      await this.#change({ clicks_position: now }, { clicks_position: null })
      return
    }
    const next = await nextClicks(deps.readClicks, deps.storage.read, maker, row)
    if (next === null) return
    const { position, clicks } = next
    const before = { version: row.version, lease_owner: deps.owner }
    await deps.storage.write(async (tx) => {
      if (!(await changeWebhook(tx, id, { clicks_position: position }, before))) return
      if (clicks === null) return
      const event = { id: deps.ids.next('evt'), type: CLICKS, number: null }
      await insertDeliveries(tx, [{ ...newDelivery(deps, row, event), clicks }])
    }, QUEUE)
  }

  /** Sends deliveries, some at the same time. */
  async #send(row: WebhookRow, maker: Writer, due: readonly DeliveryRow[]): Promise<void> {
    const { events, logger, readClicks, storage } = this.deps
    const limit = row.failing_since === null ? IN_FLIGHT : IN_FLIGHT_FAILING
    const numbers = due.flatMap(({ event_no }) => event_no ?? [])
    const found = await events.visibleOf(maker, numbers)
    // The same as long as the version is.
    const keys = this.#keys(row)
    for (const delivery of due) {
      while (this.#inFlight.size >= limit) await Promise.race(this.#inFlight.values())
      if (this.stopping.aborted) return
      // A change applies from the next request on.
      const now = await this.#read()
      if (now?.version !== row.version) return
      const about = { row: now, delivery }
      const event =
        delivery.clicks === null
          ? bodyOf(delivery, found)
          : await clicksBody(readClicks, storage.read, maker, about)
      if (event === undefined) {
        // Other deliveries don't wait for the clicks to be readable.
        await this.#postpone(delivery)
        continue
      }
      const sending =
        event === null ? this.#skip(delivery) : this.#post(now, delivery, { event, keys })
      const { id } = delivery
      const ended = sending
        .catch((err) => logger.warn({ err, delivery: id }, 'A delivery was not recorded'))
        .finally(() => this.#inFlight.delete(id))
      this.#inFlight.set(id, ended)
    }
  }

  #keys(row: WebhookRow): Keys {
    const { deps, id } = this
    const old = row.old_salt && signingKeys(deps.secrets.webhooks, id, row.old_salt)
    return { current: keysOf(deps, row), old: old || null }
  }

  async #post(
    row: WebhookRow,
    delivery: DeliveryRow,
    { event, keys: { current, old } }: { event: object; keys: Keys },
  ): Promise<void> {
    const { deps } = this
    const body = JSON.stringify(event)
    const now = deps.clock.now()
    const keys = old !== null && now < (row.old_until ?? 0) ? [current, old] : [current]
    const headers = signedHeaders(keys, { id: delivery.event_id, now, body })
    const outcome = await attempt(deps, { url: row.url, headers, body }, this.stopping)
    if (outcome === null) return
    deps.counts[outcome.isSuccess ? 'succeeded' : 'failed']++
    await this.#recordOutcome(row, delivery, outcome)
  }

  /** Stores the outcome, and what it says about the webhook. */
  async #recordOutcome(row: WebhookRow, delivery: DeliveryRow, outcome: Outcome): Promise<void> {
    const { isSuccess, retryAfterMs, attempt: made } = outcome
    const tries = delivery.tries + 1
    const isTest = delivery.body !== null
    const due_at = isSuccess || isTest ? null : nextAttemptAt(this.deps, tries, retryAfterMs)
    const status = isSuccess ? 'succeeded' : due_at === null ? 'failed' : 'pending'
    await this.#storeAttempt(delivery, { status, tries, due_at }, made)
    if (made.status === 410) return disable(this.deps, row, 'gone')
    if (isTest && !isSuccess) return
    const { failing_since } = (await this.#read()) ?? row
    const now = this.deps.clock.now()
    if (isSuccess && failing_since !== null) await this.#change({ failing_since: null })
    if (isSuccess) return
    if (failing_since === null) {
      await this.#change({ failing_since: now }, { failing_since: null, version: row.version })
    } else if (now - failing_since >= FAILING_MAX_MS) await disable(this.deps, row, 'failing')
  }

  /** What the webhook's maker can no longer see isn't sent. */
  #skip(delivery: DeliveryRow): Promise<void> {
    const at = new Date(this.deps.clock.now()).toISOString()
    const none = { status: null, duration_ms: 0, response: null }
    const ended = { status: 'failed', due_at: null }
    return this.#storeAttempt(delivery, ended, { at, ...none, error: 'not_permitted' })
  }

  #postpone(delivery: DeliveryRow): Promise<void> {
    const due_at = this.deps.clock.now() + CLICKS_EVERY_MS
    return this.deps.storage.write((tx) => changeDelivery(tx, delivery, { due_at }), QUEUE)
  }

  #storeAttempt(
    delivery: DeliveryRow,
    changes: Partial<DeliveryRow>,
    made: Attempt,
  ): Promise<void> {
    const all = [...(JSON.parse(delivery.attempts) as Attempt[]), made]
    const attempts = JSON.stringify(all.slice(-ATTEMPTS_KEPT))
    const changed = { ...changes, attempts }
    return this.deps.storage.write((tx) => changeDelivery(tx, delivery, changed), QUEUE)
  }
}
