import { once } from 'node:events'
import type { Writable } from 'node:stream'
import type pg from 'pg'

/** What of the driver's connection the protocol of COPY needs. */
interface Wire {
  stream: Writable
  query(text: string): void
  sendCopyFromChunk(chunk: Uint8Array): void
  endCopyFrom(): void
  sendCopyFail(reason: string): void
}

/**
 * `COPY … FROM STDIN` (https://www.postgresql.org/docs/current/protocol-flow.html#PROTOCOL-COPY),
 * which the driver leaves to others: all of it is stored, or nothing.
 * @param chunks the data as the statement's format has it, in pieces of some size
 */
export function copyIn(
  client: pg.Client,
  statement: string,
  chunks: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  let failed: unknown

  async function send(wire: Wire): Promise<void> {
    try {
      for await (const chunk of chunks) {
        wire.sendCopyFromChunk(chunk)
        // A connection that is lost drains no more: the driver tells `handleError`.
        if (wire.stream.writableNeedDrain) {
          await Promise.race([once(wire.stream, 'drain'), promise.catch(() => {})])
        }
        if (failed !== undefined) return
      }
      wire.endCopyFrom()
    } catch (error) {
      failed ??= error
      wire.sendCopyFail('the source failed')
    }
  }

  // What the driver asks of a query, and no more.
  const query = {
    submit(wire: Wire) {
      wire.query(statement)
      return null
    },
    handleCopyInResponse: (wire: Wire) => void send(wire),
    handleError(error: unknown) {
      failed ??= error
      reject(failed)
    },
    handleCommandComplete() {},
    handleReadyForQuery: () => resolve(),
    handleRowDescription() {},
    handleDataRow() {},
    handleEmptyQuery() {},
    handlePortalSuspended() {},
    handleCopyData() {},
  }
  client.query(query as unknown as pg.Submittable)
  return promise
}

const SPECIAL = /[\\\t\n\r\b\f\v]/g
const SPELLED: Record<string, string> = {
  '\\': '\\\\',
  '\t': '\\t',
  '\n': '\\n',
  '\r': '\\r',
  '\b': '\\b',
  '\f': '\\f',
  '\v': '\\v',
}

/** A row in COPY's text format. */
export function copyLine(values: readonly (string | null)[]): string {
  let line = ''
  for (let i = 0; i < values.length; i++) {
    const value = values[i] as string | null
    if (i > 0) line += '\t'
    if (value === null) line += '\\N'
    else if (value.search(SPECIAL) === -1) line += value
    else line += value.replace(SPECIAL, (character) => SPELLED[character] as string)
  }
  return `${line}\n`
}

const LINES_AT_ONCE = 500

/** Rows as pieces of COPY's text format. */
export function* copyChunks(
  rows: Iterable<readonly (string | null)[]>,
): Generator<Uint8Array, undefined> {
  let text = ''
  let lines = 0
  for (const row of rows) {
    text += copyLine(row)
    if (++lines < LINES_AT_ONCE) continue
    yield Buffer.from(text)
    text = ''
    lines = 0
  }
  if (text !== '') yield Buffer.from(text)
  return undefined
}
