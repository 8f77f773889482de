/**
 * A program that follows the feed of events, and may be killed at any time: what it has processed is in
 * a file, a line for each event, and the last whole line is where it goes on. An interrupted request is
 * repeated at the next node.
 * Usage: events-reader.ts page|stream FILE NODE… (the key is in `KEY`)
 */
import { closeSync, ftruncateSync, openSync, readFileSync, writeSync } from 'node:fs'
import type { EventList, FeedEvent } from '../../src/features/events/types.ts'
import { eventLine } from './events-run.ts'

const [mode, file = '', ...nodes] = process.argv.slice(2)
const headers = { authorization: `Bearer ${process.env.KEY}` }
const PAUSE_MS = 50
/** A node that is frozen answers nothing. */
const SILENCE_MS = 30_000

class OperatorError extends Error {}

const written = openSync(file, 'a+')
let after = resume()
for (let at = 0; ; at++) {
  const node = nodes[at % nodes.length] as string
  try {
    await (mode === 'page' ? readPages(node) : readStream(node))
  } catch (error) {
    if (error instanceof OperatorError) throw error
    await Bun.sleep(PAUSE_MS)
  }
}

/** The id of the last processed event. A line that was cut off wasn't processed. */
function resume(): string | undefined {
  const bytes = readFileSync(file)
  const end = bytes.lastIndexOf(10) + 1
  ftruncateSync(written, end)
  return bytes.toString('utf8', 0, end).trimEnd().split('\n').at(-1)?.split(' ')[1]
}

function keep(events: readonly FeedEvent[]): void {
  const last = events.at(-1)
  if (last === undefined) return
  writeSync(written, events.map(eventLine).join(''))
  after = last.id
}

async function readPages(node: string): Promise<void> {
  for (;;) {
    const query = new URLSearchParams({ limit: '100', ...(after !== undefined && { after }) })
    const answer = await fetch(`${node}/api/v1/events?${query}`, {
      headers,
      signal: AbortSignal.timeout(SILENCE_MS),
    })
    check(answer)
    const { data, pagination } = (await answer.json()) as EventList
    keep(data)
    if (!pagination.has_more) await Bun.sleep(PAUSE_MS)
  }
}

async function readStream(node: string): Promise<void> {
  const silence = new AbortController()
  let timer = setTimeout(() => silence.abort(), SILENCE_MS)
  try {
    const answer = await fetch(`${node}/api/v1/events/stream`, {
      headers: { ...headers, ...(after !== undefined && { 'last-event-id': after }) },
      signal: silence.signal,
    })
    check(answer)
    const decoder = new TextDecoder()
    let text = ''
    for await (const bytes of answer.body as ReadableStream<Uint8Array>) {
      clearTimeout(timer)
      timer = setTimeout(() => silence.abort(), SILENCE_MS)
      text += decoder.decode(bytes, { stream: true })
      const parts = text.split('\n\n')
      text = parts.pop() ?? ''
      const data = parts.flatMap((part) => /^data: (\{.*)$/m.exec(part)?.[1] ?? [])
      keep(data.map((json) => JSON.parse(json)))
    }
  } finally {
    clearTimeout(timer)
  }
}

/** Something else than an interruption ends the program: the run counts that as a fault. */
function check({ ok, status }: Response): void {
  if (ok) return
  if (status < 500 && status !== 429) {
    closeSync(written)
    throw new OperatorError(`${mode}: ${status}`)
  }
  throw new Error(String(status))
}
