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
  /** A node has published this, perhaps this one. */
  received?(message: string): void
}

/** How often this node sends a message to itself. */
const ECHO_MS = 200
/** Without an echo for so long, messages count as missing. */
const DEAF_MS = 600
/** Without one for so long, it reconnects: a cut network doesn't close connections. */
const HOPELESS_MS = 3_000
const PUBLISH_WITHIN_MS = 1_000

/** Messages between the nodes, as Redis's pub/sub delivers them: at most once. */
export type Bus = ReturnType<typeof openBus>
export type BusState = ReturnType<Bus['state']>

/**
 * Opens a bus over two connections: Redis keeps the subscriber's to itself. Whether messages arrive
 * is known by an echo: each node sends itself one again and again, the way that all of them take.
 * `prefix` stands before both channels.
 */
export function openBus(
  publisher: Redis,
  subscriber: Redis,
  { prefix, nodeId }: { prefix: string; nodeId: string },
) {
  const channel = `${prefix}links`
  const echo = `${prefix}echo:${nodeId}`
  const listeners: BusListener[] = []
  const counts = {
    /** Messages that came in. */
    received: 0,
    /** Messages that the server didn't take. */
    unsent: 0,
    /** How often the subscription was lost. */
    losses: 0,
  }
  let heard = false
  let isSubscribed = false
  let lagMs = 0
  /** When the echo was sent that hasn't come back; the monotonic clock. */
  let waitingSince: number | undefined

  function setHeard(now: boolean): void {
    if (heard === now) return
    heard = now
    for (const listener of listeners) listener.hearing(now)
  }

  async function resubscribe(): Promise<void> {
    try {
      await subscriber.subscribe(echo, channel)
    } catch {
      // The connection is gone again, or the server refuses: it reconnects.
      subscriber.disconnect(true)
      return
    }
    isSubscribed = true
    waitingSince = undefined
    for (const listener of listeners) listener.connected()
    sendEcho()
  }

  function lost(): void {
    if (isSubscribed) counts.losses++
    isSubscribed = false
    setHeard(false)
  }

  function onMessage(from: string, message: string): void {
    if (from !== echo) {
      counts.received++
      for (const listener of listeners) listener.received?.(message)
      return
    }
    lagMs = performance.now() - Number(message)
    waitingSince = undefined
    if (!isSubscribed) return
    setHeard(true)
    for (const listener of listeners) listener.echoed?.()
  }

  /** The connection that sends may be ready after the one that hears. */
  function onPublisherReady(): void {
    if (isSubscribed && !heard) sendEcho()
  }

  function sendEcho(): void {
    const now = performance.now()
    waitingSince ??= now
    publisher.publish(echo, String(now)).catch(() => {})
  }

  function tick(): void {
    if (waitingSince !== undefined) {
      // What has arrived while this process was busy is read first.
      setImmediate(() => setImmediate(judge))
    } else if (isSubscribed) sendEcho()
  }

  function judge(): void {
    if (waitingSince === undefined) return
    const silentMs = performance.now() - waitingSince
    if (silentMs <= DEAF_MS) return
    setHeard(false)
    if (silentMs <= HOPELESS_MS) {
      // The one that was sent may have been lost on the way to the server.
      sendEcho()
      return
    }
    waitingSince = undefined
    lost()
    publisher.disconnect(true)
    subscriber.disconnect(true)
  }

  subscriber.on('ready', resubscribe)
  subscriber.on('close', lost)
  subscriber.on('message', onMessage)
  publisher.on('ready', onPublisherReady)
  if (isReady(subscriber)) void resubscribe()
  const timer = setInterval(tick, ECHO_MS).unref()

  return {
    /** True: the server has it. Never rejects. */
    async publish(message: string): Promise<boolean> {
      try {
        if (!isReady(publisher)) throw new Error('Not connected')
        await within(publisher.publish(channel, message), PUBLISH_WITHIN_MS)
        return true
      } catch {
        counts.unsent++
        return false
      }
    },
    listen(listener: BusListener): void {
      listeners.push(listener)
      if (!heard) return
      listener.connected()
      listener.hearing(true)
    },
    /** `lagMs`: how long the last message took to come back to this node, in milliseconds. */
    state: () => ({ ...counts, heard, lagMs }),
    close(): void {
      clearInterval(timer)
      subscriber.off('ready', resubscribe)
      subscriber.off('close', lost)
      subscriber.off('message', onMessage)
      publisher.off('ready', onPublisherReady)
    },
  }
}
