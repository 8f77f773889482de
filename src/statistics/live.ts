import type { Clock } from '../base/clock.ts'
import type { Domains } from '../domains/index.ts'
import { AppError } from '../errors/index.ts'
import type { Storage } from '../storage/index.ts'
import { ask } from './ask.ts'
import { createEventStream, type EventStream, type StreamEvent } from './event-stream.ts'
import { matches } from './live-filter.ts'
import type { LinkNames } from './names.ts'
import type { Asked } from './query.ts'
import { idOf, positionOf, renderClick } from './render.ts'
import { botsOf, resolveFilters, type StatisticsCaller, tagKeys } from './selection.ts'
import { hasTags } from './store.ts'
import type { ClickPosition, ClickReports, LiveClicks } from './types.ts'

/** What live streams work with. */
export interface LiveContext {
  reports: Pick<ClickReports, 'clicks'> & LiveClicks
  storage: Pick<Storage, 'read' | 'reports'>
  names: LinkNames
  domains: Domains
  clock: Clock
}

/** Where a reader wants to go on, as it said so. */
export interface Resume {
  /** The header `Last-Event-ID`; null: it sent none. */
  header: string | null
  /** The parameter `last_event_id`. */
  parameter: string | undefined
}

/** The streams that are open. */
export interface LiveStreams {
  /** @throws AppError BAD_REQUEST, LINK_NOT_FOUND, RATE_LIMITED, SERVICE_UNAVAILABLE */
  open(
    caller: StatisticsCaller,
    asked: Asked,
    resume: Resume,
    permitted: () => Promise<boolean>,
  ): Promise<ReadableStream<Uint8Array>>
  /** Ends all; their readers come back to whoever listens then. */
  endAll(): void
}

/** How many streams a workspace may have open, and all together. */
export const STREAMS_PER_WORKSPACE = 20
const STREAMS_MAX = 1_000
/** When to come back, in seconds, for whom no stream is left. */
const FULL_RETRY_SECONDS = 10

/** Opens streams of clicks and counts them. */
export function createLiveStreams(ctx: LiveContext): LiveStreams {
  const { reports, storage, names, domains, clock } = ctx
  const open = new Map<number, Set<EventStream>>()
  let total = 0

  function assertRoom(workspaceNo: number): void {
    if (total < STREAMS_MAX && (open.get(workspaceNo)?.size ?? 0) < STREAMS_PER_WORKSPACE) return
    throw new AppError('RATE_LIMITED', {
      params: { seconds: FULL_RETRY_SECONDS },
      headers: { 'Retry-After': String(FULL_RETRY_SECONDS) },
    })
  }

  function add(workspaceNo: number, stream: EventStream): void {
    const streams = open.get(workspaceNo) ?? new Set()
    open.set(workspaceNo, streams.add(stream))
    total++
  }

  function remove(workspaceNo: number, stream: EventStream): void {
    const streams = open.get(workspaceNo)
    if (streams?.delete(stream) !== true) return
    total--
    if (streams.size === 0) open.delete(workspaceNo)
  }

  /** Whether anybody answers: so that who asks is told so, instead of an empty stream. */
  async function assertAvailable(workspaceNo: number): Promise<void> {
    const now = clock.now()
    const selection = {
      workspaceNo,
      linkSeq: null,
      linkSeqs: null,
      from: now,
      to: now + 1,
      filters: [],
      bots: 'include',
      offsets: [{ from: now, offsetMs: 0 }],
    } as const
    await ask(reports.clicks(selection, { limit: 1 }))
  }

  return {
    async open({ workspace }, asked, resume, permitted) {
      // Clicks that are answered from now on, stored already or not.
      const after = resumeAfter(resume) ?? { time: clock.now(), n: 0 }
      const filter = {
        filters: await resolveFilters({ storage, clock }, workspace.no, asked.filters),
        bots: botsOf(asked, 'include'),
        zone: asked.zone,
      }
      const tags = tagKeys(asked.tags)
      assertRoom(workspace.no)
      await assertAvailable(workspace.no)
      assertRoom(workspace.no)

      async function* events(signal: AbortSignal): AsyncGenerator<StreamEvent> {
        for await (const click of reports.live(workspace.no, after, signal)) {
          if (!matches(click, filter)) continue
          const { linkSeq } = click
          if (!(await hasTags(storage.read, workspace.no, linkSeq, tags))) continue
          const id = (await names.of([linkSeq])).get(linkSeq)?.id ?? null
          yield { id: idOf(click), data: JSON.stringify(renderClick(click, id, domains)) }
        }
      }

      const stream = createEventStream({
        events,
        startId: idOf(after),
        permitted,
        ended: () => remove(workspace.no, stream),
      })
      add(workspace.no, stream)
      return stream.body
    },
    endAll() {
      for (const streams of [...open.values()]) for (const stream of [...streams]) stream.end()
    },
  }
}

function resumeAfter({ header, parameter }: Resume): ClickPosition | undefined {
  // A reader that never got an id sends none, or an empty one.
  const id = header || parameter
  if (id === undefined || id === '') return undefined
  const position = positionOf(id)
  if (position !== undefined) return position
  throw new AppError('BAD_REQUEST', {
    details: [
      header
        ? {
            field: 'Last-Event-ID',
            code: 'INVALID_HEADER',
            params: { expected: 'clk_[0-9a-z]+' },
          }
        : { field: 'last_event_id', code: 'INVALID_CURSOR' },
    ],
  })
}
