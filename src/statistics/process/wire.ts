import type { Click, ClickPosition, StoredClick } from '../types.ts'

/** Paths that the statistics process answers: those of `ClickReports` and its own. */
export type Question =
  | 'totals'
  | 'series'
  | 'top'
  | 'clicks'
  | 'daily'
  | 'export'
  | 'hold'
  | 'recount'
  | 'end'

/** A header of streamed answers: what to ask {@link Question} `end` for, which is answered when they are over. */
export const STREAM_HEADER = 'x-stream'

/** A stored click as JSON: its visitor, of 64 bits, as digits. */
export type WireClick = Omit<Click, 'visitor'> & ClickPosition & { visitor: string | null }

/** For JSON. */
export function toWire(click: StoredClick): WireClick {
  return { ...click, visitor: click.visitor === null ? null : String(click.visitor) }
}

/** Back from JSON. */
export function fromWire(click: WireClick): StoredClick {
  return { ...click, visitor: click.visitor === null ? null : BigInt(click.visitor) }
}

/** A link's numbers by its raw clicks and what is left of purged ones. */
export type LinkNumbers = [
  linkSeq: number,
  human: number,
  bot: number,
  unique: number,
  lastClickedAt: number,
]

/** Lines of a streamed body, empty ones left out. */
export async function* linesOf(body: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  let rest = ''
  for await (const bytes of body) {
    const lines = (rest + decoder.decode(bytes, { stream: true })).split('\n')
    rest = lines.pop() as string
    for (const line of lines) if (line !== '') yield line
  }
}
