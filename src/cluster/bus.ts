import type { Redis } from 'ioredis'
import { within } from './deadline.ts'
import { isReady } from './redis.ts'

/** What happens to a bus, for those that must know when messages may be missing. */
export interface BusListener {
  /** Messages may have been lost up to now; from now on they arrive. */
  connected(): void
  /** Whether what is published arrives here. It is only late where no `connected` follows. */
  hearing(heard: boolean): void
  /** A message has made the whole way, so that what couldn't be sent can be: several times a second. */
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

/** How the bus does. */
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
  /** Stands before every channel. */
  prefix: string
  nodeId: string
  /** How often this node sends a message to itself. */
  echoMs?: number
  /** Without an echo for so long, it counts as deaf. */
  deafMs?: number
  /** Without one for so long, the connections are made anew: a cut network doesn't close them. */
  hopelessMs?: number
  publishWithinMs?: number
}

/**
 * Opens a bus over two connections: Redis keeps the subscriber's to itself. Whether messages arrive
 * is known by an echo: each node sends itself one again and again, the way that all of them take.
 */
export function openBus(publisher: Redis, subscriber: Redis, options: BusOptions): Bus {
  const { prefix, nodeId, echoMs = 200, deafMs = 600, hopelessMs = 3_000 } = options
  const { publishWithinMs = 1_000 } = options
  const echo = `${prefix}echo:${nodeId}`
  const handlers = new Map<string, Set<(message: string) => void>>()
  const listeners: BusListener[] = []
  const counts = { received: 0, unsent: 0, losses: 0 }
  let heard = false
  let subscribed = false
  let lagMs = 0
  /** When the echo was sent that hasn't come back; the monotonic clock. */
  let waitingSince: number | undefined

  function hearing(now: boolean): void {
    if (heard === now) return
    heard = now
    for (const listener of listeners) listener.hearing(now)
  }

  async function resubscribe(): Promise<void> {
    try {
      await subscriber.subscribe(echo, ...handlers.keys())
    } catch {
      // The connection is gone again, or the server refuses: another one is tried.
      subscriber.disconnect(true)
      return
    }
    subscribed = true
    waitingSince = undefined
    for (const listener of listeners) listener.connected()
    sendEcho()
  }

  function lost(): void {
    if (subscribed) counts.losses++
    subscribed = false
    hearing(false)
  }

  function onMessage(channel: string, message: string): void {
    if (channel === echo) {
      lagMs = performance.now() - Number(message)
      waitingSince = undefined
      if (!subscribed) return
      hearing(true)
      for (const listener of listeners) listener.echoed?.()
      return
    }
    counts.received++
    for (const handler of handlers.get(channel) ?? []) handler(message)
  }

  function sendEcho(): void {
    const now = performance.now()
    waitingSince ??= now
    publisher.publish(echo, String(now)).catch(() => {})
  }

  /** The connection that sends may be ready after the one that hears. */
  function onPublisherReady(): void {
    if (subscribed && !heard) sendEcho()
  }

  function tick(): void {
    if (waitingSince === undefined) {
      if (subscribed) sendEcho()
      return
    }
    // What has arrived while this process was busy is read first.
    setImmediate(() => setImmediate(judge))
  }

  function judge(): void {
    if (waitingSince === undefined) return
    const silentMs = performance.now() - waitingSince
    if (silentMs > deafMs) hearing(false)
    if (silentMs > hopelessMs) {
      waitingSince = undefined
      lost()
      publisher.disconnect(true)
      subscriber.disconnect(true)
    } else if (silentMs > deafMs) {
      // The one that was sent may have been lost on the way to the server.
      sendEcho()
    }
  }

  subscriber.on('ready', resubscribe)
  subscriber.on('close', lost)
  subscriber.on('message', onMessage)
  publisher.on('ready', onPublisherReady)
  if (isReady(subscriber)) void resubscribe()
  const timer = setInterval(tick, echoMs).unref()

  return {
    async publish(channel, message) {
      try {
        if (!isReady(publisher)) throw new Error('Not connected')
        await within(publisher.publish(prefix + channel, message), publishWithinMs)
        return true
      } catch {
        counts.unsent++
        return false
      }
    },
    subscribe(channel, handler) {
      const name = prefix + channel
      let set = handlers.get(name)
      if (set === undefined) {
        set = new Set()
        handlers.set(name, set)
        if (subscribed) subscriber.subscribe(name).catch(() => subscriber.disconnect(true))
      }
      set.add(handler)
      return () => {
        set.delete(handler)
        if (set.size > 0 || handlers.get(name) !== set) return
        handlers.delete(name)
        if (subscribed) subscriber.unsubscribe(name).catch(() => {})
      }
    },
    listen(listener) {
      listeners.push(listener)
      if (heard) {
        listener.connected()
        listener.hearing(true)
      }
    },
    state: () => ({ ...counts, heard, lagMs }),
    close() {
      clearInterval(timer)
      subscriber.off('ready', resubscribe)
      subscriber.off('close', lost)
      subscriber.off('message', onMessage)
      publisher.off('ready', onPublisherReady)
    },
  }
}
