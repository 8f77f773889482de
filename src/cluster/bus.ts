import type { Redis } from 'ioredis'
import { within } from './deadline.ts'
import { isReady } from './redis.ts'

/** What happens to a bus, for those that must know when messages may be missing. */
export interface BusListener {
  /** Messages may have been lost up to now; from now on they arrive. */
  connected(): void
  /** Whether what is published arrives here. It is only late where no `connected` follows. */
  hearing(heard: boolean): void
  /** An echo has arrived, so messages can be sent: several times a second. */
  echoed?(): void
}

/** Messages between the nodes, as Redis's pub/sub delivers them: at most once. */
export interface Bus {
  /** True: the server has it. Never rejects. */
  publish(channel: string, message: string): Promise<boolean>
  /** Calls `handler` with each message from now on; returns what ends that. */
  subscribe(channel: string, handler: (message: string) => void): () => void
  listen(listener: BusListener): void
  state(): BusState
  close(): void
}

/** State of the bus. */
export interface BusState {
  heard: boolean
  /** How long the last message took to come back to this node, in milliseconds. */
  lagMs: number
  /** Messages that came in. */
  received: number
  /** Messages that the server didn't take. */
  unsent: number
  /** How often the subscription was lost. */
  losses: number
}

/** Times are milliseconds. */
export interface BusOptions {
  /** Prefix of every channel. */
  prefix: string
  nodeId: string
  /** How often this node sends a message to itself. */
  echoMs?: number
  /** Without an echo for so long, messages count as missing. */
  deafMs?: number
  /** Without one for so long, it reconnects: a cut network doesn't close connections. */
  hopelessMs?: number
  publishWithinMs?: number
}

/**
 * Opens a bus over two connections: Redis keeps the subscriber's to itself. Whether messages arrive
 * is known by an echo: each node sends itself one again and again, the way that all of them take.
 */
export function openBus(publisher: Redis, subscriber: Redis, options: BusOptions): Bus {
  return new RedisBus(publisher, subscriber, options)
}

class RedisBus implements Bus {
  readonly #publisher: Redis
  readonly #subscriber: Redis
  readonly #options: Required<BusOptions>
  readonly #echo: string
  readonly #handlers = new Map<string, Set<(message: string) => void>>()
  readonly #listeners: BusListener[] = []
  readonly #counts = { received: 0, unsent: 0, losses: 0 }
  readonly #timer: Timer
  #heard = false
  #isSubscribed = false
  #lagMs = 0
  /** When the echo was sent that hasn't come back; the monotonic clock. */
  #waitingSince: number | undefined

  constructor(publisher: Redis, subscriber: Redis, options: BusOptions) {
    this.#publisher = publisher
    this.#subscriber = subscriber
    this.#options = {
      echoMs: 200,
      deafMs: 600,
      hopelessMs: 3_000,
      publishWithinMs: 1_000,
      ...options,
    }
    this.#echo = `${options.prefix}echo:${options.nodeId}`
    subscriber.on('ready', this.#resubscribe)
    subscriber.on('close', this.#lost)
    subscriber.on('message', this.#onMessage)
    publisher.on('ready', this.#onPublisherReady)
    if (isReady(subscriber)) void this.#resubscribe()
    this.#timer = setInterval(() => this.#tick(), this.#options.echoMs).unref()
  }

  async publish(channel: string, message: string): Promise<boolean> {
    const { prefix, publishWithinMs } = this.#options
    try {
      if (!isReady(this.#publisher)) throw new Error('Not connected')
      await within(this.#publisher.publish(prefix + channel, message), publishWithinMs)
      return true
    } catch {
      this.#counts.unsent++
      return false
    }
  }

  subscribe(channel: string, handler: (message: string) => void): () => void {
    const name = this.#options.prefix + channel
    const known = this.#handlers.get(name)
    const set = known ?? new Set()
    if (known === undefined) {
      this.#handlers.set(name, set)
      if (this.#isSubscribed) {
        this.#subscriber.subscribe(name).catch(() => this.#subscriber.disconnect(true))
      }
    }
    set.add(handler)
    return () => {
      set.delete(handler)
      if (set.size > 0 || this.#handlers.get(name) !== set) return
      this.#handlers.delete(name)
      if (this.#isSubscribed) this.#subscriber.unsubscribe(name).catch(() => {})
    }
  }

  listen(listener: BusListener): void {
    this.#listeners.push(listener)
    if (!this.#heard) return
    listener.connected()
    listener.hearing(true)
  }

  state(): BusState {
    return { ...this.#counts, heard: this.#heard, lagMs: this.#lagMs }
  }

  close(): void {
    clearInterval(this.#timer)
    this.#subscriber.off('ready', this.#resubscribe)
    this.#subscriber.off('close', this.#lost)
    this.#subscriber.off('message', this.#onMessage)
    this.#publisher.off('ready', this.#onPublisherReady)
  }

  #setHeard(heard: boolean): void {
    if (this.#heard === heard) return
    this.#heard = heard
    for (const listener of this.#listeners) listener.hearing(heard)
  }

  readonly #resubscribe = async (): Promise<void> => {
    try {
      await this.#subscriber.subscribe(this.#echo, ...this.#handlers.keys())
    } catch {
      // The connection is gone again, or the server refuses: it reconnects.
      this.#subscriber.disconnect(true)
      return
    }
    this.#isSubscribed = true
    this.#waitingSince = undefined
    for (const listener of this.#listeners) listener.connected()
    this.#sendEcho()
  }

  readonly #lost = (): void => {
    if (this.#isSubscribed) this.#counts.losses++
    this.#isSubscribed = false
    this.#setHeard(false)
  }

  readonly #onMessage = (channel: string, message: string): void => {
    if (channel !== this.#echo) {
      this.#counts.received++
      for (const handler of this.#handlers.get(channel) ?? []) handler(message)
      return
    }
    this.#lagMs = performance.now() - Number(message)
    this.#waitingSince = undefined
    if (!this.#isSubscribed) return
    this.#setHeard(true)
    for (const listener of this.#listeners) listener.echoed?.()
  }

  /** The connection that sends may be ready after the one that hears. */
  readonly #onPublisherReady = (): void => {
    if (this.#isSubscribed && !this.#heard) this.#sendEcho()
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
    // What has arrived while this process was busy is read first.
    setImmediate(() => setImmediate(() => this.#judge()))
  }

  #judge(): void {
    if (this.#waitingSince === undefined) return
    const silentMs = performance.now() - this.#waitingSince
    const { deafMs, hopelessMs } = this.#options
    if (silentMs <= deafMs) return
    this.#setHeard(false)
    if (silentMs <= hopelessMs) {
      // The one that was sent may have been lost on the way to the server.
      this.#sendEcho()
      return
    }
    this.#waitingSince = undefined
    this.#lost()
    this.#publisher.disconnect(true)
    this.#subscriber.disconnect(true)
  }
}
