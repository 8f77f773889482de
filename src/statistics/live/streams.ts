import { createEventStream, type StreamEvent } from '../../http/event-stream.ts'
import { viewOf } from '../../lib/base/view.ts'
import { AppError } from '../../lib/errors/index.ts'
import { createOpenLimit } from '../../platform/limits/index.ts'
import { idOf, positionOf, renderClick } from '../clicks.ts'
import type { ClicksQuery } from '../query.ts'
import {
  folderIds,
  type StatisticsContext,
  type StatisticsReader,
  select,
  selectedRange,
  tagKeys,
} from '../selection.ts'
import { findLinkIds, isInGroup } from '../store.ts'
import type { AskableReports, ClickPosition } from '../types.ts'
import { followClicks } from './follow.ts'

/** What live streams work with. Times in milliseconds. */
export interface LiveOptions extends StatisticsContext {
  reports: AskableReports
  /** How much later than newer clicks a click may be stored; 0: in order. */
  liveLateMs?: number
  /** How often a stream looks for clicks; for tests. */
  livePauseMs?: number
}

/** Where a reader wants to resume: the header `Last-Event-ID`, and the parameter. */
type Resume = { header: string | null; parameter: string | undefined }

/** The most streams that a workspace, or a person, may have open, and all together. */
export const STREAMS_PER_WORKSPACE = 20
const STREAMS_MAX = 1_000
/** How often a stream looks for clicks. */
const PAUSE_MS = 1_000
/** With many streams each looks less often, so that all together ask 50 questions a second. */
const PAUSE_PER_STREAM_MS = 20

/** Opens streams of clicks, for server-sent events. */
export function createLiveStreams(deps: LiveOptions) {
  const { reports, storage, domains, clock, liveLateMs = 0, livePauseMs = PAUSE_MS } = deps
  const limit = createOpenLimit(STREAMS_PER_WORKSPACE, STREAMS_MAX)
  const streams = new Set<ReturnType<typeof createEventStream>>()

  /** The selection of a range. Tags and folders are checked per click: they may have 100,000 links. */
  async function selectionsOf(caller: StatisticsReader, query: ClicksQuery) {
    const now = clock.now()
    const question = { caller, linkId: null, query: { ...query, tags: [], folder: undefined } }
    const asked = await select({ storage, clock }, question, { from: now, to: now + 1 })
    const { view: _, ...selection } = asked
    return (range: { from: number; to: number }) => ({
      ...selection,
      ...selectedRange(range, query.zone, clock.now()),
    })
  }

  return {
    /** @throws AppError BAD_REQUEST, RATE_LIMITED, SERVICE_UNAVAILABLE */
    async open(
      caller: StatisticsReader,
      query: ClicksQuery,
      resume: Resume,
      permitted: () => Promise<boolean>,
    ): Promise<ReadableStream<Uint8Array>> {
      const { no } = caller.workspace
      const after = resumeAfter(resume) ?? { time: clock.now(), n: 0 }
      const selectionOf = await selectionsOf(caller, query)
      const group = {
        tags: tagKeys(query.tags),
        folder: await folderIds(storage, caller, query.folder),
        view: viewOf(caller),
      }
      const release = limit.take(caller)
      try {
        // An instance without statistics answers 503 instead of an empty stream.
        const now = clock.now()
        await reports.clicks(selectionOf({ from: now, to: now + 1 }), { limit: 1 })
      } catch (error) {
        release()
        throw error
      }
      const pauseMs = () => Math.max(livePauseMs, limit.open * PAUSE_PER_STREAM_MS)
      const options = { reports, clock, after, selectionOf, lateMs: liveLateMs, pauseMs }

      async function* events(signal: AbortSignal): AsyncGenerator<StreamEvent | null> {
        for await (const followed of followClicks(options, signal)) {
          if (followed === null) {
            yield null
            continue
          }
          const { click, position } = followed
          const { linkSeq } = click
          if (!(await isInGroup(storage.read, no, linkSeq, group))) continue
          const id = (await findLinkIds(storage.read, [linkSeq])).get(linkSeq) ?? null
          yield { id: idOf(position), data: JSON.stringify(renderClick(click, id, domains)) }
        }
      }

      const stream = createEventStream({
        events,
        startId: idOf(after),
        permitted,
        ended() {
          streams.delete(stream)
          release()
        },
      })
      streams.add(stream)
      return stream.body
    },
    /** How many are open. */
    count: () => streams.size,
    /** Ends all of them. Their readers reconnect. */
    endAll(): void {
      for (const stream of [...streams]) stream.end()
    },
  }
}

/** @throws AppError BAD_REQUEST */
function resumeAfter({ header, parameter }: Resume): ClickPosition | undefined {
  // A reader that has received no id sends none, or an empty one.
  const id = header || parameter
  if (id === undefined || id === '') return undefined
  const position = positionOf(id)
  if (position !== undefined) return position
  throw new AppError('BAD_REQUEST', {
    details: [
      header
        ? { field: 'Last-Event-ID', code: 'INVALID_HEADER', params: { expected: 'clicked_at-no' } }
        : { field: 'last_event_id', code: 'INVALID_CURSOR' },
    ],
  })
}
