import { Readable } from 'node:stream'
import {
  ClickHouseLogLevel,
  type ClickHouseSettings,
  createClient,
  ClickHouseError as Refused,
} from '@clickhouse/client'
import type { Sql } from './sql.ts'

/** The longest that a report may take. */
const ANSWER_WITHIN_MS = 30_000
/** The longest that nothing of an export comes. */
const SILENCE_MS = 600_000
const CONNECTIONS = 20
/** Lists of links stand in the query. */
const QUERY_BYTES = 268_435_456

/**
 * ClickHouse can't be reached, or refused: without its text, which may repeat a query or an address.
 */
export class ClickHouseError extends Error {
  override name = 'ClickHouseError'
  /** Its number for the error; 0: no answer of its own. */
  readonly code: number

  constructor(error: unknown) {
    const refused = error instanceof Refused
    const known = (error as { code?: unknown } | null)?.code
    const what = refused
      ? `${error.type} (${error.code})`
      : typeof known === 'string'
        ? known
        : null
    super(
      refused ? `ClickHouse refused: ${what}` : `ClickHouse does not answer: ${what ?? 'unknown'}`,
    )
    this.code = refused ? Number(error.code) : 0
  }
}

/** ClickHouse, as reports and the shipping use it. Everything throws {@link ClickHouseError}. */
export interface ClickHouse {
  /** All rows, each as its columns' values; 64-bit numbers as texts. */
  rows(query: Sql, signal?: AbortSignal): Promise<unknown[][]>
  /** Rows as they come, some thousand at a time. */
  stream(query: Sql, signal: AbortSignal): AsyncGenerator<unknown[][], undefined>
  /** An answer in some format, once it is complete on the server. */
  bytes(query: Sql, settings: ClickHouseSettings, signal: AbortSignal): AsyncGenerator<Uint8Array>
  /** Lines of JSONCompactEachRow; resolves when they are stored. */
  insert(
    table: string,
    columns: readonly string[],
    lines: Iterable<string>,
    settings?: ClickHouseSettings,
  ): Promise<void>
  /** Bytes of a format, however long they take; resolves when all rows are stored. */
  load(
    table: string,
    columns: readonly string[],
    format: string,
    bytes: Readable,
    settings?: ClickHouseSettings,
  ): Promise<void>
  command(statement: string, settings?: ClickHouseSettings): Promise<void>
  /** Makes the database that the address names. */
  createDatabase(): Promise<void>
  close(): Promise<void>
}

/** @param url `http://user:password@host:8123/database`; parameters as @clickhouse/client has them */
export function openClickHouse(url: string): ClickHouse {
  const common = { url, application: 'slugline', log: { level: ClickHouseLogLevel.OFF } } as const
  const client = createClient({
    ...common,
    request_timeout: ANSWER_WITHIN_MS,
    max_open_connections: CONNECTIONS,
    clickhouse_settings: {
      max_query_size: String(QUERY_BYTES),
      cancel_http_readonly_queries_on_client_close: 1,
      output_format_json_quote_64bit_integers: 1,
    },
  })
  const patient = createClient({
    ...common,
    request_timeout: SILENCE_MS,
    max_open_connections: CONNECTIONS,
    clickhouse_settings: {
      max_query_size: String(QUERY_BYTES),
      cancel_http_readonly_queries_on_client_close: 1,
      output_format_json_quote_64bit_integers: 1,
    },
  })

  function asked(query: Sql, signal?: AbortSignal) {
    const { query: text, parameters } = query.render()
    return {
      query: text,
      query_params: parameters,
      ...(signal === undefined ? {} : { abort_signal: signal }),
    }
  }

  async function send(
    through: typeof client,
    query: string,
    values: Readable,
    settings: ClickHouseSettings,
  ): Promise<void> {
    try {
      const { stream } = await through.exec({ query, values, clickhouse_settings: settings })
      stream.resume()
      await new Promise((done, failed) => stream.on('close', done).on('error', failed))
    } catch (error) {
      throw new ClickHouseError(error)
    }
  }

  return {
    async rows(query, signal) {
      try {
        const found = await client.query({
          ...asked(query, signal),
          format: 'JSONCompactEachRow',
          clickhouse_settings: { max_execution_time: ANSWER_WITHIN_MS / 1_000 },
        })
        return await found.json<unknown[]>()
      } catch (error) {
        signal?.throwIfAborted()
        throw new ClickHouseError(error)
      }
    },
    async *stream(query, signal) {
      try {
        const found = await patient.query({
          ...asked(query, signal),
          format: 'JSONCompactEachRow',
        })
        for await (const rows of found.stream<unknown[]>()) {
          yield rows.map((row) => row.json<unknown[]>())
        }
        return undefined
      } catch (error) {
        signal.throwIfAborted()
        throw new ClickHouseError(error)
      }
    },
    async *bytes(query, settings, signal) {
      try {
        const found = await patient.exec({
          ...asked(query, signal),
          clickhouse_settings: { ...settings, wait_end_of_query: 1 },
        })
        for await (const chunk of found.stream) yield chunk as Uint8Array
      } catch (error) {
        signal.throwIfAborted()
        throw new ClickHouseError(error)
      }
    },
    insert: (table, columns, lines, settings = {}) =>
      send(
        client,
        `INSERT INTO ${table} (${columns.join(', ')}) FORMAT JSONCompactEachRow`,
        Readable.from(lines, { objectMode: false }),
        settings,
      ),
    load: (table, columns, format, bytes, settings = {}) =>
      send(
        patient,
        `INSERT INTO ${table} (${columns.join(', ')}) FORMAT ${format}`,
        bytes,
        settings,
      ),
    async command(statement, settings = {}) {
      try {
        await client.command({ query: statement, clickhouse_settings: settings })
      } catch (error) {
        throw new ClickHouseError(error)
      }
    },
    async createDatabase() {
      const parsed = new URL(url)
      const name = decodeURIComponent(parsed.pathname.slice(1)) || 'default'
      parsed.pathname = '/default'
      const outside = openClickHouse(parsed.href)
      try {
        const quoted = `\`${name.replaceAll('\\', '\\\\').replaceAll('`', '\\`')}\``
        await outside.command(`CREATE DATABASE IF NOT EXISTS ${quoted}`)
      } finally {
        await outside.close()
      }
    },
    async close() {
      await Promise.all([client.close(), patient.close()])
    },
  }
}
