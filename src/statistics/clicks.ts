import type { Domains } from '../domains/index.ts'
import type { Cursors } from '../http/cursor.ts'
import { ask } from './ask.ts'
import type { LinkNames } from './names.ts'
import { type Asked, CLICKS_LIMIT_DEFAULT } from './query.ts'
import { listRange } from './range.ts'
import { renderClick } from './render.ts'
import type { ClickView } from './schemas.ts'
import { botsOf, type SelectionContext, type StatisticsCaller, select } from './selection.ts'
import type { ClickPosition, ClickReports, ExportFormat, Selection } from './types.ts'

/** What lists of single clicks work with. */
export interface ClicksContext extends SelectionContext {
  reports: ClickReports
  names: LinkNames
  cursors: Cursors
  domains: Domains
}

/** One page of clicks, newest first. */
export interface ClickList {
  data: ClickView[]
  pagination: { limit: number; has_more: boolean; next_cursor: string | null }
}

/**
 * Single clicks, newest first.
 * @throws AppError BAD_REQUEST (INVALID_CURSOR), VALIDATION_FAILED, LINK_NOT_FOUND,
 *   SERVICE_UNAVAILABLE
 */
export async function clicks(
  ctx: ClicksContext,
  caller: StatisticsCaller,
  linkId: string | null,
  asked: Asked & { limit?: number | undefined; cursor?: string | undefined },
): Promise<ClickList> {
  const { names, cursors, domains } = ctx
  const selection = await selectClicks(ctx, caller, linkId, asked)
  const limit = asked.limit ?? CLICKS_LIMIT_DEFAULT
  const binding = bindingOf(selection, asked)
  const before = asked.cursor === undefined ? null : positionAt(cursors, asked.cursor, binding)
  const found = await ask(ctx.reports.clicks(selection, { before, limit: limit + 1 }))
  const page = found.slice(0, limit)
  const known = await names.of([...new Set(page.map(({ linkSeq }) => linkSeq))])
  const last = found.length > limit ? page.at(-1) : undefined
  return {
    data: page.map((click) => renderClick(click, known.get(click.linkSeq)?.id ?? null, domains)),
    pagination: {
      limit,
      has_more: last !== undefined,
      next_cursor:
        last === undefined ? null : cursors.encode(['click', last.time, last.n], binding),
    },
  }
}

/**
 * All clicks, in a form, from when they are asked for.
 * @throws AppError VALIDATION_FAILED, LINK_NOT_FOUND; asked for, SERVICE_UNAVAILABLE
 */
export async function exportClicks(
  ctx: ClicksContext,
  caller: StatisticsCaller,
  linkId: string | null,
  asked: Asked,
  format: ExportFormat,
): Promise<() => Promise<ReadableStream<Uint8Array>>> {
  const selection = await selectClicks(ctx, caller, linkId, asked)
  return () => ask(ctx.reports.export(selection, format))
}

/** Bots are in unless they are unwanted: every click says what it is. */
export function selectClicks(
  ctx: SelectionContext,
  caller: StatisticsCaller,
  linkId: string | null,
  asked: Asked,
): Promise<Selection> {
  const bots = botsOf(asked, 'include')
  return select(ctx, caller, linkId, asked, listRange(asked, asked.zone), bots)
}

/** What a cursor is good for; links may get and lose tags meanwhile. */
function bindingOf({ offsets: _, ...selection }: Selection, { zone }: Asked): string {
  return JSON.stringify(['clicks', selection, zone])
}

function positionAt(cursors: Cursors, cursor: string, binding: string): ClickPosition {
  const [, time, n] = cursors.decode(cursor, binding)
  return { time: time as number, n: n as number }
}
