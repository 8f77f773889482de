import { fromWire, toWire, type WireClick } from '../process/wire.ts'
import type { ClickPosition, StoredClick } from '../types.ts'

/** Messages between the nodes' statistics processes; at most once. `cluster/bus.ts` is one. */
export interface ClickBus {
  publish(channel: string, message: string): Promise<unknown>
  subscribe(channel: string, handler: (message: string) => void): () => void
}

/** A click as it goes to a watcher. */
export interface Line {
  key: string
  text: string
}

/** What is kept of a workspace while somebody watches it here. */
export interface Channel {
  /** The newest lines; the first one is number `from` of all that ever came. */
  lines: Line[]
  from: number
  /** Called when there are more. */
  wake: Set<() => void>
  watchers: number
  leave(): void
}

/** Workspaces that are watched: at this node, and at the others. */
export interface Channels {
  /** A watcher has come, or gone. */
  join(workspaceNo: number): Channel
  leave(workspaceNo: number, channel: Channel): void
  /** Whether a workspace's clicks are to be sent; null: any one's. */
  isWatched(workspaceNo: number | null): boolean
  send(workspaceNo: number, clicks: readonly WireClick[]): void
  close(): void
}

/** Times in milliseconds. */
export interface ChannelsOptions {
  bus: ClickBus
  /** How often a node says which workspaces are watched at it. */
  tellEveryMs?: number
  /** So long after its start a node sends the clicks of all workspaces. */
  startMs?: number
}

/** Lines kept of each workspace that somebody watches here. */
const KEPT = 2_000
/** Clicks of one message. */
const CLICKS_AT_ONCE = 200
/** The channel on which nodes say which workspaces are watched. */
const WATCHED = 'live:watched'

const channelOf = (workspaceNo: number) => `live:${workspaceNo}`

/** What tells clicks apart. */
export const keyOf = ({ time, n }: ClickPosition) => `${time}-${n}`

export function lineOf(click: StoredClick): string {
  return `${JSON.stringify(toWire(click))}\n`
}

/** Nodes tell each other which workspaces are watched, and send the clicks of those alone. */
export function createChannels(options: ChannelsOptions): Channels {
  const { bus, tellEveryMs = 5_000 } = options
  /** Until then it may not have been told yet, and sends everything. */
  const { startMs = 1.5 * tellEveryMs } = options
  const startedAt = performance.now()
  const channels = new Map<number, Channel>()
  /** Workspaces that are watched somewhere, and until when that holds. */
  const watched = new Map<number, number>()

  const unsubscribe = bus.subscribe(WATCHED, (message) => {
    for (const workspaceNo of JSON.parse(message) as number[]) {
      watched.set(workspaceNo, performance.now() + 3 * tellEveryMs)
    }
  })
  const telling = setInterval(() => {
    const now = performance.now()
    for (const [workspaceNo, until] of watched) if (until < now) watched.delete(workspaceNo)
    if (channels.size > 0) tell([...channels.keys()])
  }, tellEveryMs)
  telling.unref?.()

  function tell(workspaces: readonly number[]): void {
    void bus.publish(WATCHED, JSON.stringify(workspaces))
  }

  function add(channel: Channel, clicks: readonly StoredClick[]): void {
    for (const click of clicks) channel.lines.push({ key: keyOf(click), text: lineOf(click) })
    const excess = channel.lines.length - KEPT
    if (excess > 0) {
      channel.lines.splice(0, excess)
      channel.from += excess
    }
    for (const wake of [...channel.wake]) wake()
  }

  return {
    join(workspaceNo) {
      let channel = channels.get(workspaceNo)
      if (channel === undefined) {
        const made: Channel = { lines: [], from: 0, wake: new Set(), watchers: 0, leave() {} }
        made.leave = bus.subscribe(channelOf(workspaceNo), (message) => {
          add(made, (JSON.parse(message) as WireClick[]).map(fromWire))
        })
        channels.set(workspaceNo, made)
        channel = made
        tell([workspaceNo])
      }
      channel.watchers++
      return channel
    },
    leave(workspaceNo, channel) {
      if (--channel.watchers > 0) return
      channel.leave()
      channels.delete(workspaceNo)
    },
    isWatched(workspaceNo) {
      if (performance.now() - startedAt < startMs) return true
      return workspaceNo === null ? watched.size > 0 : watched.has(workspaceNo)
    },
    send(workspaceNo, all) {
      // Whoever watches keeps no more than the last ones.
      const clicks = all.slice(-KEPT)
      for (let at = 0; at < clicks.length; at += CLICKS_AT_ONCE) {
        const some = JSON.stringify(clicks.slice(at, at + CLICKS_AT_ONCE))
        void bus.publish(channelOf(workspaceNo), some)
      }
    },
    close() {
      clearInterval(telling)
      unsubscribe()
      for (const channel of channels.values()) {
        channel.leave()
        for (const wake of [...channel.wake]) wake()
      }
    },
  }
}
