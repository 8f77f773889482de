import { SEQS_PER_WORKSPACE } from '../../storage/index.ts'
import type { Live } from '../process/live.ts'
import { toWire, type WireClick } from '../process/wire.ts'
import type { Batch } from '../store/batch.ts'
import { type ClicksAfter, woken } from '../watching.ts'
import { type ChannelsOptions, createChannels, keyOf, type Line, lineOf } from './live-channels.ts'

export type { ClickBus } from './live-channels.ts'

/** Clicks of all nodes, for those that watch at this one. */
export interface SharedLive extends Pick<Live, 'watchers' | 'watch' | 'close'> {
  /** This node has stored a batch. */
  stored(batch: Batch, numbers: Float64Array): void
}

/** What {@link createSharedLive} works with. Times in milliseconds. */
export interface SharedLiveOptions extends ChannelsOptions {
  clicksAfter: ClicksAfter
  /** After so long clicks are looked for once more that came while the others weren't told yet. */
  lookAgainMs?: number
}

/** Clicks asked for at once, for whoever is behind. */
const PAGE = 500
/** Clicks that a watcher remembers to have been given. */
const REMEMBERED = 10_000
const HEARTBEAT_MS = 15_000

/**
 * Clicks are sent as they are stored. A watcher reads what is behind its position from the store
 * first, and takes from the messages what it hasn't been given yet, in whichever order nodes store
 * it. What was sent while this node didn't hear the others is missing; it is in the list of clicks.
 */
export function createSharedLive(options: SharedLiveOptions): SharedLive {
  const { clicksAfter, lookAgainMs = 1_500 } = options
  const channels = createChannels(options)
  const encoder = new TextEncoder()
  let watchers = 0
  let closed = false

  return {
    get watchers() {
      return watchers
    },
    stored(batch, numbers) {
      if (!channels.isWatched(null)) return
      const found = new Map<number, WireClick[]>()
      for (let at = 0; at < batch.size; at++) {
        const workspaceNo = Math.floor((batch.link[at] as number) / SEQS_PER_WORKSPACE)
        if (!channels.isWatched(workspaceNo)) continue
        const click = toWire({ ...batch.clickAt(at), n: numbers[at] as number })
        const list = found.get(workspaceNo)
        if (list === undefined) found.set(workspaceNo, [click])
        else list.push(click)
      }
      for (const [workspaceNo, clicks] of found) channels.send(workspaceNo, clicks)
    },
    watch(workspaceNo, after) {
      const channel = channels.join(workspaceNo)
      watchers++
      const given = new Set<string>()
      const startedAt = performance.now()
      let position = after
      let at = channel.from + channel.lines.length
      let behind = after !== null
      let hasLookedAgain = after === null
      let cancelled = false
      let left = false
      const end = () => {
        cancelled = true
        if (!left) {
          watchers--
          channels.leave(workspaceNo, channel)
        }
        left = true
        for (const wake of [...channel.wake]) wake()
      }

      /** What of these it hasn't been given yet. */
      function fresh(lines: readonly Line[]): string {
        let text = ''
        for (const line of lines) {
          if (given.has(line.key)) continue
          given.add(line.key)
          text += line.text
        }
        while (given.size > REMEMBERED) given.delete(given.values().next().value as string)
        return text
      }

      async function page(): Promise<string> {
        if (behind && position !== null) {
          const clicks = await clicksAfter(workspaceNo, position, PAGE)
          const last = clicks.at(-1)
          if (last !== undefined) position = { time: last.time, n: last.n }
          if (clicks.length < PAGE) behind = false
          return fresh(clicks.map((click) => ({ key: keyOf(click), text: lineOf(click) })))
        }
        if (!hasLookedAgain && performance.now() - startedAt >= lookAgainMs) {
          // From where it began: others may have stored earlier clicks since.
          hasLookedAgain = true
          position = after
          behind = true
          return ''
        }
        if (at < channel.from) at = channel.from
        const lines = channel.lines.slice(at - channel.from)
        at += lines.length
        return fresh(lines)
      }

      return new ReadableStream<Uint8Array>({
        async pull(controller) {
          try {
            for (;;) {
              if (cancelled || closed) return controller.close()
              const text = await page()
              if (text !== '') return controller.enqueue(encoder.encode(text))
              if (behind || at < channel.from + channel.lines.length) continue
              const wait = hasLookedAgain
                ? HEARTBEAT_MS
                : Math.max(0, startedAt + lookAgainMs - performance.now())
              await woken(channel.wake, wait, () => cancelled || closed)
              if (cancelled || closed) return controller.close()
              // So that whoever has gone is noticed.
              if (hasLookedAgain && at === channel.from + channel.lines.length) {
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
      channels.close()
    },
  }
}
