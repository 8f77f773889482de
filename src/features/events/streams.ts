import { setTimeout } from 'node:timers/promises'
import type { Caller } from '../../http/callers.ts'
import { createEventStream, type StreamEvent } from '../../http/event-stream.ts'
import { createOpenLimit } from '../../platform/limits/index.ts'
import type { EventSignal, Storage } from '../../platform/storage/index.ts'
import type { EventService } from './service.ts'
import type { EventType } from './types.ts'
import { createWatch, type Subscription } from './watch.ts'

/** The most streams that a workspace, or a person, may have open, and all together. */
export const STREAMS_PER_WORKSPACE = 20
const STREAMS_MAX = 1_000
/** Events that are read together. */
const PAGE = 100
/** A stream reads at most this often: events that are committed meanwhile are read together. */
const PAUSE_MS = 50
/** With many streams each reads less often, so that all together read 500 times a second. */
const PAUSE_PER_STREAM_MS = 2
/** Many proxies close a connection that is silent for 30 to 60 seconds. */
const HEARTBEAT_MS = 15_000

/** What a stream sends: the events of these types after a position. */
interface StreamQuery {
  position: number
  types?: readonly EventType[] | undefined
}

export type EventStreams = ReturnType<typeof createEventStreams>

/**
 * Streams of events. All are read from the feed by position, old and new ones alike, so there is no
 * gap and no repeat where a stream that resumes reaches the present.
 */
export function createEventStreams(deps: {
  storage: Pick<Storage, 'read'>
  events: Pick<EventService, 'page' | 'idOf'>
  eventSignal: Pick<EventSignal, 'listen'>
  heartbeatMs?: number
}) {
  const { events, storage, heartbeatMs = HEARTBEAT_MS } = deps
  const limit = createOpenLimit(STREAMS_PER_WORKSPACE, STREAMS_MAX)
  const watch = createWatch(storage, deps.eventSignal)
  const streams = new Set<ReturnType<typeof createEventStream>>()

  async function* follow(
    caller: Caller,
    query: StreamQuery,
    subscription: Subscription,
    aborted: AbortSignal,
  ): AsyncGenerator<StreamEvent> {
    const { types } = query
    let { position } = query
    let spokeAt = performance.now()
    while (!aborted.aborted) {
      const readAt = performance.now()
      subscription.reading()
      const page = await events.page(caller, position, { types, limit: PAGE })
      for (const event of page.events) {
        yield { id: event.id, data: JSON.stringify(event) }
        spokeAt = performance.now()
      }
      position = page.position
      if (page.hasMore) continue
      if (performance.now() - spokeAt >= heartbeatMs) {
        // With the position: events that aren't sent needn't be read again.
        yield { id: await events.idOf(caller, position) }
        spokeAt = performance.now()
      }
      const restOfSilenceMs = heartbeatMs - (performance.now() - spokeAt)
      await subscription.wait(position, Math.max(1, restOfSilenceMs), aborted)
      const pauseMs = Math.max(PAUSE_MS, limit.open * PAUSE_PER_STREAM_MS)
      const restMs = readAt + pauseMs - performance.now()
      if (restMs > 0) await setTimeout(restMs, undefined, { signal: aborted }).catch(() => {})
    }
  }

  return {
    /** @throws AppError RATE_LIMITED */
    async open(
      caller: Caller,
      query: StreamQuery,
      permitted: () => Promise<boolean>,
    ): Promise<ReadableStream<Uint8Array>> {
      const startId = await events.idOf(caller, query.position)
      const release = limit.take(caller)
      const subscription = watch.subscribe(caller.workspace.no)
      const stream = createEventStream({
        events: (aborted) => follow(caller, query, subscription, aborted),
        startId,
        permitted,
        ended() {
          streams.delete(stream)
          subscription.close()
          release()
        },
      })
      streams.add(stream)
      return stream.body
    },
    /** How many are open. */
    count: () => streams.size,
    /** Ends all of them. Their readers reconnect, to another node if there is one. */
    endAll(): void {
      for (const stream of [...streams]) stream.end()
    },
  }
}
