import { SEQS_PER_WORKSPACE } from '../../storage/index.ts'
import type { Batch } from '../store/batch.ts'
import type { ClickPosition } from '../types.ts'
import { type ClicksAfter, woken } from '../watching.ts'
import { toWire } from './wire.ts'

/** Lines kept of each workspace that somebody watches. */
const KEPT = 2_000
/** Clicks asked for at once, for whoever is behind. */
const PAGE = 500
/** So that whoever has gone is noticed. */
const HEARTBEAT_MS = 15_000

/** Hands newly stored clicks to those who watch a workspace. */
export interface Live {
  readonly watchers: number
  /** A batch was stored. */
  publish(batch: Batch): void
  /** Lines of JSON, without end: see `LiveClicks`. */
  watch(workspaceNo: number, after: ClickPosition | null): ReadableStream<Uint8Array>
  close(): void
}

interface Line {
  position: ClickPosition
  text: string
}

/** What is kept of a workspace while somebody watches it. */
interface Channel {
  /** The newest lines; the first one is number `from` of all. */
  lines: Line[]
  from: number
  wake: Set<() => void>
  watchers: number
}

/**
 * Nothing is buffered for anyone: all watchers of a workspace read the same last lines, each at its
 * own pace. Whoever is too slow for them goes on from the file, from where it had come.
 */
export function createLive(clicksAfter: ClicksAfter): Live {
  const channels = new Map<number, Channel>()
  const encoder = new TextEncoder()
  let watchers = 0
  let closed = false

  function join(workspaceNo: number): Channel {
    let channel = channels.get(workspaceNo)
    if (channel === undefined) {
      channel = { lines: [], from: 0, wake: new Set(), watchers: 0 }
      channels.set(workspaceNo, channel)
    }
    channel.watchers++
    watchers++
    return channel
  }

  function leave(workspaceNo: number, channel: Channel): void {
    watchers--
    if (--channel.watchers === 0) channels.delete(workspaceNo)
  }

  return {
    get watchers() {
      return watchers
    },
    publish(batch) {
      if (watchers === 0) return
      const touched = new Set<Channel>()
      for (let at = 0; at < batch.size; at++) {
        const workspaceNo = Math.floor((batch.link[at] as number) / SEQS_PER_WORKSPACE)
        const channel = channels.get(workspaceNo)
        if (channel === undefined) continue
        const click = batch.clickAt(at)
        channel.lines.push({
          position: { time: click.time, n: click.n },
          text: `${JSON.stringify(toWire(click))}\n`,
        })
        touched.add(channel)
      }
      for (const channel of touched) {
        const excess = channel.lines.length - KEPT
        if (excess > 0) {
          channel.lines.splice(0, excess)
          channel.from += excess
        }
        for (const wake of [...channel.wake]) wake()
      }
    },
    watch(workspaceNo, after) {
      const channel = join(workspaceNo)
      let position = after
      // Joined first: what is stored while the file is read is seen in the lines, and told apart
      // from what the file gave by its position.
      let at = channel.from + channel.lines.length
      let behind = after !== null
      let caughtUpTo = after
      let cancelled = false
      let left = false
      const end = () => {
        cancelled = true
        if (!left) leave(workspaceNo, channel)
        left = true
        for (const wake of [...channel.wake]) wake()
      }

      async function page(): Promise<string> {
        if (behind && position !== null) {
          const mark = channel.from + channel.lines.length
          const clicks = await clicksAfter(workspaceNo, position, PAGE)
          const last = clicks.at(-1)
          if (last !== undefined) {
            position = { time: last.time, n: last.n }
            caughtUpTo = position
          }
          if (clicks.length < PAGE) {
            behind = false
            // All that was published before the question is in its answer.
            at = Math.max(at, mark)
          }
          return clicks.map((click) => `${JSON.stringify(toWire(click))}\n`).join('')
        }
        if (at < channel.from) {
          behind = position !== null
          at = channel.from
          return ''
        }
        const lines = channel.lines.slice(at - channel.from)
        at += lines.length
        const fresh = lines.filter((line) => isAfter(line.position, caughtUpTo))
        const last = lines.at(-1)
        if (last !== undefined) position = later(position, last.position)
        return fresh.map((line) => line.text).join('')
      }

      return new ReadableStream<Uint8Array>({
        async pull(controller) {
          try {
            for (;;) {
              if (cancelled || closed) return controller.close()
              const text = await page()
              if (text !== '') return controller.enqueue(encoder.encode(text))
              if (behind || at < channel.from + channel.lines.length) continue
              await woken(channel.wake, HEARTBEAT_MS, () => cancelled || closed)
              if (cancelled || closed) return controller.close()
              if (at === channel.from + channel.lines.length) {
                return controller.enqueue(encoder.encode('\n'))
              }
            }
          } catch (error) {
            end()
            controller.error(error)
          }
        },
        cancel: end,
      })
    },
    close() {
      closed = true
      for (const channel of channels.values()) for (const wake of [...channel.wake]) wake()
    },
  }
}

function isAfter(position: ClickPosition, mark: ClickPosition | null): boolean {
  if (mark === null) return true
  return position.time > mark.time || (position.time === mark.time && position.n > mark.n)
}

function later(a: ClickPosition | null, b: ClickPosition): ClickPosition {
  return a !== null && isAfter(a, b) ? a : b
}
