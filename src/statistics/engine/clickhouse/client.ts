import { Readable } from 'node:stream'
import {
  ClickHouseLogLevel,
  type ClickHouseSettings,
  createClient,
  ClickHouseError as ServerError,
} from '@clickhouse/client'

/** The longest that a report may take. */
const ANSWER_WITHIN_S = 30
/** The longest that a connection may be silent. */
const SILENCE_MS = 600_000
const CONNECTIONS = 20
/** Lists of links are part of the query. */
const QUERY_BYTES = 268_435_456

/**
 * ClickHouse can't be reached, or refused. Without its text, which may repeat a query or an address.
 */
export class ClickHouseError extends Error {
  override name = 'ClickHouseError'
  /** Its number for the error; 0: no answer of its own. */
  readonly code: number

  constructor(error: unknown) {
    const refused = error instanceof ServerError
    const known = (error as { code?: unknown } | null)?.code
    super(
      refused
        ? `ClickHouse refused: ${error.type} (${error.code})`
        : `ClickHouse does not answer: ${typeof known === 'string' ? known : 'unknown'}`,
    )
    this.code = refused ? Number(error.code) : 0
  }
}
export type ClickHouse = ReturnType<typeof openClickHouse>

/**
 * ClickHouse, as reports and the shipping use it. All methods throw {@link ClickHouseError}.
 * @param url `http://user:password@host:8123/database`; parameters as @clickhouse/client has them
 */
export function openClickHouse(url: string) {
  const client = createClient({
    url,
    application: 'slugline',
    log: { level: ClickHouseLogLevel.OFF },
    request_timeout: SILENCE_MS,
    max_open_connections: CONNECTIONS,
    clickhouse_settings: {
      max_query_size: String(QUERY_BYTES),
      cancel_http_readonly_queries_on_client_close: 1,
      output_format_json_quote_64bit_integers: 1,
    },
  })
  const format = 'JSONCompactEachRow'

  async function attempt<T>(work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    try {
      return await work()
    } catch (error) {
      signal?.throwIfAborted()
      throw new ClickHouseError(error)
    }
  }

  return {
    /**
     * All rows, each as its columns' values; 64-bit numbers as text. `values` are the parameters
     * `p0`, `p1` ….
     */
    rows: (
      query: string,
      values: readonly string[] = [],
      signal?: AbortSignal,
    ): Promise<unknown[][]> =>
      attempt(async () => {
        const found = await client.query({
          query,
          format,
          query_params: Object.fromEntries(values.map((value, no) => [`p${no}`, value])),
          clickhouse_settings: { max_execution_time: ANSWER_WITHIN_S },
          ...(signal !== undefined && { abort_signal: signal }),
        })
        return await found.json<unknown[]>()
      }, signal),
    /** Rows as they arrive, some thousand at a time. */
    async *stream(query: string): AsyncGenerator<unknown[][], undefined> {
      try {
        const found = await client.query({ query, format })
        for await (const rows of found.stream<unknown[]>()) {
          yield rows.map((row) => row.json<unknown[]>())
        }
        return undefined
      } catch (error) {
        throw new ClickHouseError(error)
      }
    },
    /** Resolves when all rows are stored. @param dataFormat of `data`, such as `JSONCompactEachRow` */
    insert: (
      table: string,
      columns: readonly string[],
      dataFormat: string,
      data: Readable | Iterable<string>,
      settings: ClickHouseSettings = {},
    ): Promise<void> =>
      attempt(async () => {
        const { stream } = await client.exec({
          query: `INSERT INTO ${table} (${columns.join(', ')}) FORMAT ${dataFormat}`,
          values: data instanceof Readable ? data : Readable.from(data, { objectMode: false }),
          clickhouse_settings: settings,
        })
        stream.resume()
        await new Promise((done, failed) => stream.on('close', done).on('error', failed))
      }),
    command: (statement: string, settings: ClickHouseSettings = {}): Promise<void> =>
      attempt(async () => {
        await client.command({ query: statement, clickhouse_settings: settings })
      }),
    /** Creates the database that the address names. */
    async createDatabase(): Promise<void> {
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
    close: () => client.close(),
  }
}
