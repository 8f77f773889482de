import type { Redis } from 'ioredis'
import { withTimeout } from '../../lib/base/with-timeout.ts'
import { isReady } from './redis.ts'

/** What a component wants to know. */
interface BusListener {
  /** Whether published messages arrive here. */
  hearing?(subscribed: boolean): void
  /** A message published by any node, including this one. */
  received?(message: string): void
}

/** How often this node sends a message to itself. */
const ECHO_MS = 200
/** Without an echo for this long, messages count as missing. */
const DEAF_MS = 600
/** Without an echo for this long, it reconnects: a cut network doesn't close connections. */
const HOPELESS_MS = 3_000
const PUBLISH_WITHIN_MS = 1_000

/**
 * Messages between the nodes over Redis pub/sub: at-most-once delivery. It needs two connections,
 * because Redis dedicates the subscriber's. Delivery is monitored by an echo: each node sends
 * itself a message periodically, on the same path as all others.
 */
export class Bus {
  readonly #publisher: Redis
  readonly #subscriber: Redis
  readonly #channel: string
  readonly #echo: string
  readonly #listeners: BusListener[] = []
  readonly #counts = {
    /** Received messages. */
    received: 0,
    /** Messages that couldn't be sent. */
    unsent: 0,
    /** How often the subscription was lost. */
    losses: 0,
  }
  readonly #timer: Timer
  #subscribed = false
  #isSubscribed = false
  #lagMs = 0
  /** When the pending echo was sent; the monotonic clock. */
  #waitingSince: number | undefined

  /** `prefix` is prepended to both channels. */
  constructor(
    publisher: Redis,
    subscriber: Redis,
    { prefix, nodeId }: { prefix: string; nodeId: string },
  ) {
    this.#publisher = publisher
    this.#subscriber = subscriber
    this.#channel = `${prefix}links`
    this.#echo = `${prefix}echo:${nodeId}`
    subscriber.on('ready', this.#resubscribe)
    subscriber.on('close', this.#lost)
    subscriber.on('message', this.#onMessage)
    publisher.on('ready', this.#onPublisherReady)
    if (isReady(subscriber)) void this.#resubscribe()
    this.#timer = setInterval(() => this.#tick(), ECHO_MS).unref()
  }

  /** True: the server has it. Never rejects. */
  async publish(message: string): Promise<boolean> {
    const send = async () => (await this.#publisher.publish(this.#channel, message)) >= 0
    const isSent =
      isReady(this.#publisher) &&
      (await withTimeout(PUBLISH_WITHIN_MS, send, false).catch(() => false))
    if (!isSent) this.#counts.unsent++
    return isSent
  }

  listen(listener: BusListener): void {
    this.#listeners.push(listener)
    if (this.#subscribed) listener.hearing?.(true)
  }

  /** `lagMs`: how long the last echo took, in milliseconds. */
  state() {
    return { ...this.#counts, subscribed: this.#subscribed, lagMs: this.#lagMs }
  }

  close(): void {
    clearInterval(this.#timer)
    this.#subscriber.off('ready', this.#resubscribe)
    this.#subscriber.off('close', this.#lost)
    this.#subscriber.off('message', this.#onMessage)
    this.#publisher.off('ready', this.#onPublisherReady)
  }

  #setSubscribed(subscribed: boolean): void {
    if (this.#subscribed === subscribed) return
    this.#subscribed = subscribed
    for (const listener of this.#listeners) listener.hearing?.(subscribed)
  }

  readonly #resubscribe = async (): Promise<void> => {
    try {
      await this.#subscriber.subscribe(this.#echo, this.#channel)
    } catch {
      // The connection is lost again, or the server refuses: it reconnects.
      this.#subscriber.disconnect(true)
      return
    }
    this.#isSubscribed = true
    this.#waitingSince = undefined
    this.#sendEcho()
  }

  readonly #lost = (): void => {
    if (this.#isSubscribed) this.#counts.losses++
    this.#isSubscribed = false
    this.#setSubscribed(false)
  }

  readonly #onMessage = (channel: string, message: string): void => {
    if (channel !== this.#echo) {
      this.#counts.received++
      for (const listener of this.#listeners) listener.received?.(message)
      return
    }
    this.#lagMs = performance.now() - Number(message)
    this.#waitingSince = undefined
    if (this.#isSubscribed) this.#setSubscribed(true)
  }

  /** The publisher may become ready after the subscriber. */
  readonly #onPublisherReady = (): void => {
    if (this.#isSubscribed && !this.#subscribed) this.#sendEcho()
  }

  #sendEcho(): void {
    const now = performance.now()
    this.#waitingSince ??= now
    this.#publisher.publish(this.#echo, String(now)).catch(() => {})
  }

  #tick(): void {
    if (this.#waitingSince === undefined) {
      if (this.#isSubscribed) this.#sendEcho()
      return
    }
    // Messages that arrived while this process was busy are read first.
    setImmediate(() => setImmediate(() => this.#judge()))
  }

  #judge(): void {
    if (this.#waitingSince === undefined) return
    const silentMs = performance.now() - this.#waitingSince
    if (silentMs <= DEAF_MS) return
    this.#setSubscribed(false)
    if (silentMs <= HOPELESS_MS) {
      // The pending one may have been lost on the way to the server.
      this.#sendEcho()
      return
    }
    this.#waitingSince = undefined
    this.#lost()
    this.#publisher.disconnect(true)
    this.#subscriber.disconnect(true)
  }
}
